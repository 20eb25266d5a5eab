"""Tells hearsay from what people say of themselves, by who said it and whom it is about."""

from __future__ import annotations

from collections.abc import Iterable

from familiar_app.domain.ids import PersonKey


def claimants(about: Iterable[PersonKey], said_by: Iterable[PersonKey | None]) -> tuple[PersonKey, ...]:
    """Return those by whose word alone something is known: all who said it, where none of them is concerned.

    Nobody where one of the people it is about said it too, or it is about nobody.
    """
    concerned = set(about)
    speakers = {speaker for speaker in said_by if speaker is not None}
    return tuple(sorted(speakers)) if concerned and not concerned & speakers else ()
