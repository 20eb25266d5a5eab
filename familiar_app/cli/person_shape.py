"""The JSON forms of people, as scripts rely on them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from familiar_app.domain.clock import format_time
from familiar_app.domain.projection import Dossier
from familiar_app.domain.turn import NameSpan
from familiar_app.store.person_count import PersonRow


@dataclass(frozen=True, slots=True)
class PersonSheet:
    """Somebody with everything that is shown of them. `memories` counts those a familiar has about them."""

    row: PersonRow
    names: Sequence[NameSpan]
    dossier: Dossier | None
    memories: int


def person_shape(row: PersonRow) -> dict[str, Any]:
    """Return somebody's line in the list."""
    return {
        "key": row.key,
        "label": row.label,
        "turns": row.turns,
        "facts": row.facts,
        "last_seen_at": None if row.last_seen_at is None else format_time(row.last_seen_at),
        "privacy": str(row.privacy),
    }


def sheet_shape(sheet: PersonSheet) -> dict[str, Any]:
    """Return somebody with their names over time and what is written about them."""
    return {
        "key": sheet.row.key,
        "label": sheet.row.label,
        "names": [name_shape(span) for span in sheet.names],
        "privacy": str(sheet.row.privacy),
        "dossier": dossier_shape(sheet.dossier),
        "facts": sheet.row.facts,
        "memories": sheet.memories,
        "turns": sheet.row.turns,
    }


def dossier_shape(dossier: Dossier | None) -> dict[str, Any] | None:
    """Return what is written about somebody, null where nothing is."""
    if dossier is None:
        return None
    at = format_time(dossier.created_at)
    return {"text": dossier.text, "created_at": at, "last_fact_id": dossier.last_fact_id}


def name_shape(span: NameSpan) -> dict[str, Any]:
    """Return a name with the time it was borne."""
    return {
        "name": span.name,
        "kind": span.kind,
        "from": format_time(span.since),
        "to": None if span.until is None else format_time(span.until),
    }
