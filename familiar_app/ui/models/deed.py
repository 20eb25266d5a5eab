"""Gives a familiar another model, for replies and for background work at once. Knows no Qt."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

from familiar_app.domain.ids import FamiliarId
from familiar_app.domain.model_spec import BUNDLED_MODEL, model_slot_from_spec
from familiar_app.ui.kit.config_change import change_config
from familiar_app.ui.kit.model_shelf import ModelRow

if TYPE_CHECKING:
    from familiar_app.services import Gate, Services

SLOTS = ("models.prose", "models.background")


def spec_of(row: ModelRow) -> str:
    """Return the SPEC of a model that is here."""
    return BUNDLED_MODEL if row.state == "bundled" else f"gguf:{row.stored_name}"


async def use_model(gate: Gate, services: Services, familiar: FamiliarId, row: ModelRow) -> dict[str, Any]:
    """Put a model into both slots of a familiar. Returns the changes that undo it."""
    slot = model_slot_from_spec(spec_of(row))
    changes = {f"{name}.{key}": value for name in SLOTS for key, value in slot.items()}
    before = await asyncio.to_thread(services.profile.config, familiar)
    models = before.models
    old = {
        f"{name}.{key}": getattr(models.prose if name == SLOTS[0] else models.background, key)
        for name in SLOTS
        for key in slot
    }
    await change_config(gate, services.profile, familiar, changes, old)
    return old
