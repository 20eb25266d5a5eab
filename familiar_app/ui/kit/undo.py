"""What was done last and can be taken back and done again. Knows no Qt and none of the things that are done."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

LONGEST = 30


@dataclass(frozen=True, slots=True)
class Act:
    """Something that was done: what to call it, what takes it back, what does it again. Both start their own task."""

    text: str
    undo: Callable[[], object] = field(compare=False)
    redo: Callable[[], object] = field(compare=False)


class Acts:
    """The last acts, newest last. A new act ends what could be done again."""

    def __init__(self) -> None:
        self.done: list[Act] = []
        self.undone: list[Act] = []

    def add(self, act: Act) -> None:
        """Take note of an act that was just done."""
        self.done = [*self.done, act][-LONGEST:]
        self.undone = []

    def end_redo(self) -> None:
        """Something else was done: what was taken back can't be done again over it."""
        self.undone = []

    def undo(self, act: Act | None = None) -> Act | None:
        """Take back an act, the last one where none is named, and return it; None where it is not to be had."""
        taken = _take(self.done, act)
        if taken is not None:
            self.undone.append(taken)
            taken.undo()
        return taken

    def redo(self, act: Act | None = None) -> Act | None:
        """Do an act again, the one taken back last where none is named, and return it; None as above."""
        taken = _take(self.undone, act)
        if taken is not None:
            self.done.append(taken)
            taken.redo()
        return taken


def _take(acts: list[Act], wanted: Act | None) -> Act | None:
    at = len(acts) - 1 if wanted is None else next((at for at, one in enumerate(acts) if one is wanted), -1)
    return acts.pop(at) if at >= 0 else None
