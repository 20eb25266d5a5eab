"""Undo and redo of the window: the bar for the last act, and the acts before it, for keys and palette. Knows no Qt."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from familiar_app.domain.text import tr, tr_later
from familiar_app.ui.kit.action import Action
from familiar_app.ui.kit.undo import Act, Acts

LISTED = 10
GROUP = tr_later("Last acts")


class Bar(Protocol):
    """What shows the last act for a while."""

    @property
    def offered(self) -> bool: ...

    def offer(self, text: str, undo: Callable[[], object]) -> None: ...

    def undo(self) -> None: ...

    def clear(self) -> None: ...


class Undoing:
    """An act without a redo can be taken back while the bar shows it; one with a redo also later, and done again."""

    def __init__(self, bar: Bar, tell: Callable[[str], object]) -> None:
        self._bar, self._tell = bar, tell
        self._acts = Acts()

    def offer(self, text: str, undo: Callable[[], object], redo: Callable[[], object] | None) -> None:
        """Show what was done."""
        if redo is None:
            self._acts.end_redo()
            self._bar.offer(text, undo)
        else:
            act = Act(text, undo, redo)
            self._acts.add(act)
            self._bar.offer(text, lambda: self._undo(act))

    @property
    def can_undo(self) -> bool:
        return self._bar.offered or bool(self._acts.done)

    @property
    def can_redo(self) -> bool:
        return bool(self._acts.undone)

    def undo(self) -> None:
        """Take back what the bar shows, else the last act that is known."""
        if self._bar.offered:
            self._bar.undo()
        else:
            self._undo(None)

    def redo(self) -> None:
        """Do again what was taken back last."""
        self._redo(None)

    def actions(self) -> list[Action]:
        """Return the last acts for the palette, each to be taken back or done again by itself."""
        done = list(reversed(self._acts.done))[:LISTED]
        undone = list(reversed(self._acts.undone))[:LISTED]
        back = [self._action("undo", number, tr("Undo: {act}", act=act.text), act) for number, act in enumerate(done)]
        return back + [
            self._action("redo", number, tr("Redo: {act}", act=act.text), act) for number, act in enumerate(undone)
        ]

    def _action(self, word: str, number: int, title: str, act: Act) -> Action:
        run = self._undo if word == "undo" else self._redo
        return Action(f"shell.acts.{word}.{number}", title, lambda: run(act), icon=word, group=tr(GROUP))

    def _undo(self, act: Act | None) -> None:
        self._bar.clear()
        taken = self._acts.undo(act)
        if taken is not None:
            self._tell(tr("Undone: {act}", act=taken.text))

    def _redo(self, act: Act | None) -> None:
        taken = self._acts.redo(act)
        if taken is not None:
            self._bar.clear()
            self._tell(tr("Done again: {act}", act=taken.text))
