"""What turns text into vectors looks like, and how turns and facts are worded for it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True, slots=True)
class Vector:
    """A unit vector: `dim` little-endian float32 numbers."""

    dim: int
    data: bytes


class Embedder(Protocol):
    """Turns texts into vectors whose angle tells how near they are in meaning."""

    @property
    def name(self) -> str:
        """The model, as it is stored beside its vectors: vectors of different names are never compared."""
        ...

    async def embed(self, texts: Sequence[str]) -> list[Vector]:
        """Return one vector for each text, all of one `dim`. Raises OutsideError where the model fails."""
        ...

    async def close(self) -> None:
        """Give memory and threads back."""
        ...


def passage(speaker: str, day: str, text: str) -> str:
    """Word a turn for embedding: who said it on which day, and what."""
    return f"{speaker} ({day}): {text}" if speaker else f"({day}): {text}"
