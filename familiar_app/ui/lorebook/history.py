"""Undo and redo over whole books. A step keeps two books, which share every entry that did not change."""

from __future__ import annotations

from dataclasses import dataclass, field

from familiar_app.domain.lorebook.entry import LoreBook

MOST_STEPS = 500


@dataclass(frozen=True, slots=True)
class Step:
    """One change: what it is called, and the book before and after."""

    title: str
    before: LoreBook = field(repr=False)
    after: LoreBook = field(repr=False)
    key: str = ""


class History:
    """The steps that can be taken back and those that can be done again."""

    def __init__(self) -> None:
        self.done: list[Step] = []
        self.undone: list[Step] = []
        self._sealed = True

    def add(self, step: Step) -> None:
        """Note a change. One with the same key as the last joins it (typing), until `seal`."""
        self.undone.clear()
        last = self.done[-1] if self.done else None
        if last is not None and step.key and step.key == last.key and not self._sealed:
            self.done[-1] = Step(last.title, last.before, step.after, step.key)
        else:
            self.done.append(step)
            del self.done[:-MOST_STEPS]
        self._sealed = False

    def seal(self) -> None:
        """Let the next change be a step of its own."""
        self._sealed = True

    def take_back(self) -> Step | None:
        """Return the last step, which counts as undone now."""
        if not self.done:
            return None
        self._sealed = True
        self.undone.append(self.done.pop())
        return self.undone[-1]

    def do_again(self) -> Step | None:
        """Return the step that was undone last, which counts as done again now."""
        if not self.undone:
            return None
        self._sealed = True
        self.done.append(self.undone.pop())
        return self.done[-1]
