"""Changes a familiar's settings and has it loaded again with them; where that fails, the file is put back."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from familiar_app.domain.errors import FamiliarError
from familiar_app.domain.ids import FamiliarId

if TYPE_CHECKING:
    from familiar_app.services import Gate
    from familiar_app.store.profile import Profile


async def change_config(
    gate: Gate, profile: Profile, familiar: FamiliarId, changes: Mapping[str, Any], before: Mapping[str, Any]
) -> None:
    """Write dotted keys (None takes a key out) and reload. `before` is what the same keys were."""
    await asyncio.to_thread(profile.save_config, familiar, changes)
    try:
        await gate.reload_familiar(familiar)
    except FamiliarError:
        await asyncio.to_thread(profile.save_config, familiar, before)
        raise
