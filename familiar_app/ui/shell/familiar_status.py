"""What the status bar tells of the familiar that is shown: its model, and whether the network is allowed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from familiar_app.domain.ids import FamiliarId
from familiar_app.ui.kit.status import StatusModel

if TYPE_CHECKING:
    from familiar_app.services import Services


def show_familiar_status(status: StatusModel, services: Services, familiar: FamiliarId) -> None:
    """Write it into the status; another model begins idle, the same one goes on as it was."""
    info = services.familiars[familiar].prose.info
    changes = {} if info.name == status.now.model else {"model_state": "idle", "tokens_per_s": None}
    status.update(
        vault_open=True,
        local_only=services.network.local_only,
        model=info.name,
        model_local=info.local,
        model_weak=info.weak,
        **changes,
    )
