"""Embedders, shared by the familiars that use the same one, and the work of keeping their vectors complete."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from pathlib import Path

from familiar_app.domain.embedding import Embedder
from familiar_app.domain.memory_settings import EmbeddingSettings
from familiar_app.domain.task import TaskRegistry
from familiar_app.models.embedder_factory import build_embedder
from familiar_app.store.resource import resource
from familiar_app.store.vault import Vault
from familiar_app.store.vector_fill import VectorFill


class EmbedderPool:
    """Builds each distinct embedder of an open vault once."""

    def __init__(self, base_dir: Path) -> None:
        self._base_dir = base_dir
        self._embedders: dict[str, Embedder | None] = {}
        self._filling: dict[str, asyncio.Task[None]] = {}

    def get(self, settings: EmbeddingSettings) -> Embedder | None:
        """Return the embedder of the settings, None where it is off. Raises BadInputError where it has no model."""
        identity = settings.model_dump_json()
        if identity not in self._embedders:
            tokenizer = resource("embedder", "tokenizer.json")
            self._embedders[identity] = build_embedder(settings, base_dir=self._base_dir, tokenizer=tokenizer)
        return self._embedders[identity]

    def keep_filled(self, embedder: Embedder, vault: Vault, tasks: TaskRegistry, *, owner: object) -> None:
        """Embed what has no vector yet and what is said from now on, until the tasks of `owner` end."""
        running = self._filling.get(embedder.name)
        if running is None or running.done():
            filling = VectorFill(vault.vectors, embedder).run(vault.turns)
            self._filling[embedder.name] = tasks.start(filling, name="vectors", owner=owner)

    def keep_only(self, used: Iterable[Embedder], filled: Iterable[Embedder]) -> None:
        """Let go of embedders that nobody uses any more, and fill in vectors of the others alone.

        One that is let go is not closed: a reply may be under way with it, and its memory is given back after that.
        """
        kept, names = {id(one) for one in used}, {one.name for one in filled}
        self._embedders = {key: one for key, one in self._embedders.items() if one is None or id(one) in kept}
        for name in [name for name in self._filling if name not in names]:
            self._filling.pop(name).cancel()

    async def close(self) -> None:
        """Close them all."""
        embedders, self._embedders = self._embedders, {}
        for embedder in embedders.values():
            if embedder is not None:
                await embedder.close()
