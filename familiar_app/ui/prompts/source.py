"""Where a line of a prompt came from, and where that can be looked at. Knows nothing of Qt."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from familiar_app.domain.text import tr
from familiar_app.domain.trace import PromptTrace
from familiar_app.ui.prompts.item_word import item_word, opened
from familiar_app.ui.prompts.sheet import Sheet

MOST = 8
_LEAST_CHARS = 8
PANELS = {
    "turn": "chat",
    "fact": "timeline",
    "memory": "memories",
    "reflection": "reflections",
    "dossier": "people",
    "lore": "lorebook",
}


@dataclass(frozen=True, slots=True)
class Source:
    """A thing that a line shows. `panel` is the one that has it; a turn's place is found by its channel."""

    kind: str
    id: int | str
    title: str

    @property
    def panel(self) -> str:
        return PANELS.get(self.kind, "")

    @property
    def place(self) -> str:
        """Its place in its panel."""
        return str(self.id)


def sources_of(trace: PromptTrace, sheet: Sheet, line: int) -> list[Source]:
    """Return what a line came from: its turn, the candidates that it shows, the entries of its layer."""
    piece = sheet.piece_at(line)
    if piece is None:
        return []
    found = [Source("turn", piece.turn, opened(item_word("turn", piece.turn)))] if piece.turn is not None else []
    found += _candidates(trace, sheet.lines[line])
    if piece.layer == "lorebook":
        found += _entries(trace)
    return list(dict.fromkeys(found))[:MOST]


def _candidates(trace: PromptTrace, line: str) -> Iterator[Source]:
    for one in trace.candidates:
        text = str(one.get("text") or "").strip().split("\n")[0].strip()
        if one.get("kept") and len(text) >= _LEAST_CHARS and text in line:
            kind = str(one.get("kind", ""))
            yield Source(kind, one.get("id", 0), opened(item_word(kind, one.get("id", 0))))


def _entries(trace: PromptTrace) -> Iterator[Source]:
    for one in (trace.lorebook or {}).get("places", ()):
        if one.get("shown"):
            yield Source(
                "lore", f"{one.get('book', '')}/{one.get('uid', '')}", tr("Entry {name}", name=one.get("entry", ""))
            )
