"""Models shared by the familiars that use the same one, so that a file of gigabytes is loaded once."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Iterable
from pathlib import Path

from familiar_app.domain.errors import FamiliarError
from familiar_app.domain.settings import ModelSlot
from familiar_app.models.factory import SharedModels, build_model
from familiar_app.models.network import NetworkPolicy
from familiar_app.models.port import LanguageModel

log = logging.getLogger(__name__)
SecretReader = Callable[[str], Awaitable[str | None]]


def model_identity(slot: ModelSlot) -> str:
    """Tell which slots can share one model: those that differ at most in what a single request says."""
    return slot.model_dump_json(exclude={"sampling", "max_answer_tokens"})


class ModelPool:
    """Builds each distinct model once and closes those that no familiar uses any more."""

    def __init__(self, network: NetworkPolicy, secret: SecretReader) -> None:
        self._network = network
        self._secret = secret
        self._shared = SharedModels()
        self._models: dict[str, LanguageModel] = {}

    async def get(self, slot: ModelSlot, base_dir: Path) -> LanguageModel:
        """Return the model of a slot. Raises UserError where its settings name none that can be used."""
        identity = model_identity(slot)
        if identity not in self._models:
            self._models[identity] = await build_model(
                slot, network=self._network, secret=self._secret, base_dir=base_dir, shared=self._shared
            )
        return self._models[identity]

    async def keep_only(self, used: Iterable[LanguageModel]) -> None:
        """Close every model that is not in `used`."""
        wanted = {id(model) for model in used}
        unused = {key: model for key, model in self._models.items() if id(model) not in wanted}
        for key in unused:
            del self._models[key]
        for outcome in await asyncio.gather(*(m.close() for m in unused.values()), return_exceptions=True):
            if isinstance(outcome, FamiliarError | OSError):
                log.warning("a model did not close cleanly", exc_info=outcome)
            elif outcome is not None:
                raise outcome

    async def close(self) -> None:
        """Close them all."""
        await self.keep_only(())
