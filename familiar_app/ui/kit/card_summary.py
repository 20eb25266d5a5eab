"""What a card from a file brings, in words: its parts beside name and description, and what came out differently."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from familiar_app.domain.card import CharacterCard
from familiar_app.domain.text import ntr, tr, tr_later
from familiar_app.interchange.report import ReportLine, What

KEPT = tr_later("What has no place here is kept beside the card, and comes back when you export it.")
_BEFORE_GREETINGS: Mapping[str, str] = {
    "personality": tr_later("personality"),
    "scenario": tr_later("scenario"),
    "first_message": tr_later("first message"),
}
_BEHIND_GREETINGS: Mapping[str, str] = {
    "example_dialogue": tr_later("example dialogue"),
    "system_prompt": tr_later("system prompt"),
    "post_history_instructions": tr_later("post-history instructions"),
    "creator_notes": tr_later("creator notes"),
    "creator": tr_later("creator"),
    "character_version": tr_later("version"),
    "tags": tr_later("tags"),
}
_WHAT: Mapping[What, str] = {
    "defaulted": tr_later("defaulted"),
    "renamed": tr_later("renamed"),
    "merged": tr_later("merged"),
    "dropped": tr_later("dropped"),
    "repaired": tr_later("repaired"),
    "ignored": tr_later("ignored"),
}


def card_parts(card: CharacterCard, *, picture: bool, lorebook: bool) -> list[str]:
    """Name every part that a card has beside name and description."""
    parts = [tr(word) for name, word in _BEFORE_GREETINGS.items() if getattr(card, name)]
    if card.alternate_greetings:
        parts.append(ntr("{n} more greeting", "{n} more greetings", len(card.alternate_greetings)))
    parts += [tr(word) for name, word in _BEHIND_GREETINGS.items() if getattr(card, name)]
    beside = {tr("portrait"): picture, tr("lorebook"): lorebook}
    return [*parts, *(word for word, there in beside.items() if there)]


def report_texts(lines: Iterable[ReportLine]) -> tuple[str, ...]:
    """Say each thing once, with all the fields that it is said of."""
    fields: dict[tuple[What, str], dict[str, None]] = {}
    for line in lines:
        fields.setdefault((line.what, line.detail), {})[line.field] = None
    return tuple(
        tr("{fields}: {what}; {detail}", fields=", ".join(names), what=tr(_WHAT[what]), detail=detail)
        for (what, detail), names in fields.items()
    )
