"""Conditions that an entry's decorators set: how often the character spoke, how the chat began, further keys."""

from __future__ import annotations

from functools import cached_property
from typing import Any

from familiar_app.domain.lorebook.prepared import Candidate, Key, PreparedBooks
from familiar_app.domain.lorebook.scene import Scene
from familiar_app.domain.lorebook.verdict import Outcome, Reason
from familiar_app.domain.lorebook.window import Window


class Conditions:
    """The conditions of entries in one evaluation."""

    def __init__(self, books: PreparedBooks, scene: Scene) -> None:
        self._books = books
        self._scene = scene

    def untimely(self, candidate: Candidate) -> Outcome | None:
        """Refuse an entry that is for another moment, or for a chat that began in another way."""
        marks, greeting = candidate.marks, self._scene.greeting
        if marks.only_after and self._said < marks.only_after:
            return _out(f"@@activate_only_after {marks.only_after}", messages=self._said)
        if marks.only_every and self._said % marks.only_every:
            return _out(f"@@activate_only_every {marks.only_every}", messages=self._said)
        if marks.greeting is not None and greeting is not None and greeting != marks.greeting:
            return _out(f"@@is_greeting {marks.greeting}", greeting=greeting if greeting >= 0 else None)
        return None

    def refuses(self, candidate: Candidate, window: Window) -> Outcome | None:
        """Refuse an entry that lacks one of its further keys, or beside which a key is that must not be."""
        for keys in candidate.needed:
            if not self._found(keys, candidate, window):
                return _out("@@additional_keys", missed=[key.text for key in keys])
        hit = self._found(candidate.banned, candidate, window)
        if hit:
            return _out("@@exclude_keys", found=hit)
        together = self._found(candidate.banned_together, candidate, window)
        if together and len(together) == len(candidate.banned_together):
            return _out("@@exclude_keys_all", found=together)
        return None

    @cached_property
    def _said(self) -> int:
        return self._scene.character_messages

    def _found(self, keys: tuple[Key, ...], candidate: Candidate, window: Window) -> list[str]:
        expand = self._scene.expand
        return [key.text for key in keys if window.find(self._books.number(key, candidate, expand)) is not None]


def _out(decorator: str, **detail: Any) -> Outcome:
    return Outcome(False, Reason.DECORATOR, {"decorator": decorator, **detail})
