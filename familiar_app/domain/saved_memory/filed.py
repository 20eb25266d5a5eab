"""A memory as it stands in a file, in whatever form."""

from __future__ import annotations

from dataclasses import dataclass

from familiar_app.domain.saved_memory.memory import Scope

OWN, GLOBAL = "own", "global"


@dataclass(frozen=True, slots=True)
class FileMemory:
    """A memory as a file has it. `bucket` is the file's word for its lineage; `place` says where it stands there."""

    content: str
    tags: tuple[str, ...]
    bucket: str
    place: str
    scope: Scope | None = None
    owner: str | None = None

    @property
    def is_global(self) -> bool:
        """Whether every character knows it."""
        return self.bucket in (GLOBAL, "0")
