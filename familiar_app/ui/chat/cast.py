"""Who is who in a chat that is brought in: which of its speakers is the familiar, which the owner. Without Qt."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from familiar_app.domain.ids import OWNER, PersonKey
from familiar_app.domain.turn import Author, Role
from familiar_app.interchange.turn_record import TurnRecord

if TYPE_CHECKING:
    from familiar_app.ui.chat.bringing import Speaker

_SPACE = re.compile(r"\s+")
_EGO = "ego:"


def speaker_key(record: TurnRecord) -> str:
    """Return what tells a speaker from others; turns without an author are told apart by their role."""
    return record.author.key if record.author is not None else f"role:{record.role.value}"


@dataclass(frozen=True, slots=True)
class Cast:
    """Whose turns become the familiar's own, and whose the owner's, by the keys that the file has for them."""

    familiar: frozenset[str] = frozenset()
    owner: str | None = None

    def applied(self, record: TurnRecord) -> TurnRecord:
        """Return a turn as said by whom it is to be."""
        if record.role not in (Role.USER, Role.ASSISTANT):
            return record
        key = speaker_key(record)
        if key in self.familiar:
            return replace(record, role=Role.ASSISTANT)
        return replace(record, role=Role.USER, author=self._person(record, key), others=())

    def _person(self, record: TurnRecord, key: str) -> Author | None:
        author = record.author
        if key == self.owner:
            return replace(author, key=OWNER) if author is not None else Author(OWNER, "You")
        if author is None:
            return None if record.role is Role.USER else Author(PersonKey("import:assistant"), "Assistant")
        if author.key == OWNER or author.key.startswith(_EGO):
            return replace(author, key=_imported(author.name))
        return author


def _imported(name: str) -> PersonKey:
    return PersonKey("import:" + (_SPACE.sub("-", name.casefold().strip()) or "somebody"))


def guessed(speakers: Sequence[Speaker], *, familiar: str, owner: str) -> Cast:
    """Guess who is who, by what the file says of them, by their names, and by who is left of two."""
    own = frozenset(one.key for one in speakers if one.own)
    if not own:
        chosen = _named(speakers, familiar) or _only_bot(speakers)
        own = frozenset([chosen]) if chosen is not None else own
    others = [one for one in speakers if one.key not in own]
    you = next((one.key for one in others if one.key == OWNER), None) or _named(others, owner)
    if you is None and own and len(others) == 1:
        you = others[0].key
    if not own and you is not None and len(speakers) == 2:
        own = frozenset(one.key for one in speakers if one.key != you)
    return Cast(own, you)


def _named(speakers: Sequence[Speaker], name: str) -> str | None:
    wanted = name.strip().casefold()
    return next((one.key for one in speakers if wanted and one.name.strip().casefold() == wanted), None)


def _only_bot(speakers: Sequence[Speaker]) -> str | None:
    bots = [one.key for one in speakers if one.bot]
    return bots[0] if len(bots) == 1 else None
