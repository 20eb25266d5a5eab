"""The Timeline in words: a moment, how a fact stands, what the picture shows, what two moments differ in."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import tzinfo

from familiar_app.domain.clock import format_time
from familiar_app.domain.text import ntr, tr, tr_later
from familiar_app.store.moment import from_micros
from familiar_app.ui.timeline.delta import delta
from familiar_app.ui.timeline.model import TimelineModel
from familiar_app.ui.timeline.scale import shown
from familiar_app.ui.timeline.span_index import Moment, Standing

STANDINGS = {
    Standing.UNKNOWN: tr_later("not known yet"),
    Standing.CURRENT: tr_later("true and believed"),
    Standing.ENDED: tr_later("believed, ended in the world"),
    Standing.AHEAD: tr_later("believed, lies ahead"),
    Standing.SUPERSEDED: tr_later("no longer believed"),
}
KINDS = {
    "": tr_later("held"),
    "gained": tr_later("gained"),
    "changed": tr_later("changed"),
    "lost": tr_later("lost"),
}
SIGNS = {"gained": "+", "lost": "−", "changed": "↻"}
_MOST_LINES = 20


@dataclass(frozen=True, slots=True)
class Difference:
    """One line of a comparison: `kind` is gained, lost or changed; a changed fact has what it said before."""

    kind: str
    fact: int
    text: str
    prior: int | None = None
    before: str = ""


def moment_text(moment: Moment, zone: tzinfo) -> str:
    """Say which question a moment asks."""
    if moment.as_of is None:
        if moment.known_at is None:
            return tr("whatever the time")
        return tr("as believed on {date}", date=shown(moment.known_at, zone))
    date = shown(moment.as_of, zone)
    if moment.known_at is None:
        return tr("true on {date}, by all ever believed", date=date)
    if moment.as_of == moment.known_at:
        return tr("true and believed on {date}", date=date)
    return tr("true on {date}, as believed on {known}", date=date, known=shown(moment.known_at, zone))


def capitalized(text: str) -> str:
    """Begin with a capital letter, and leave the rest as it is."""
    return text[:1].upper() + text[1:]


def differences(model: TimelineModel, then: Moment, now: Moment) -> list[Difference]:
    """Return what the second moment has gained, changed and lost against the first, within the filter."""
    if model.index is None:
        return []
    found, ids = delta(model.index, then, now, model.among), model.index.spans.ids
    pairs = zip(found.before.tolist(), found.after.tolist(), strict=True)
    return [
        *(Difference("gained", int(ids[row]), model.text(row)) for row in found.gained.tolist()),
        *(
            Difference("changed", int(ids[new]), model.text(new), int(ids[old]), model.text(old))
            for old, new in pairs
        ),
        *(Difference("lost", int(ids[row]), model.text(row)) for row in found.lost.tolist()),
    ]  # fmt: skip


def as_text(found: Sequence[Difference], then: Moment, now: Moment, zone: tzinfo) -> str:
    """Write a comparison to be read."""
    lines = [f"A: {moment_text(then, zone)}", f"B: {moment_text(now, zone)}", ""]
    for one in found:
        lines.append(f"{SIGNS[one.kind]} [F#{one.fact}] {one.text}")
        if one.prior is not None:
            before = f"[F#{one.prior}] {one.before}"
            lines.append("  " + tr("before: {words}", words=before))
    if not found:
        lines.append(tr("Nothing differs."))
    return "\n".join(lines) + "\n"


def as_json(found: Sequence[Difference], then: Moment, now: Moment) -> str:
    """Write a comparison to be read by programs; absent values are null."""
    value = {
        "a": _moment_value(then),
        "b": _moment_value(now),
        "differences": [
            {"kind": d.kind, "id": d.fact, "text": d.text, "prior": d.prior, "before": d.before or None} for d in found
        ],
    }
    return json.dumps(value, ensure_ascii=False, indent=2) + "\n"


def picture_text(model: TimelineModel) -> str:
    """Say in words what the picture shows, for those who do not see it."""
    if model.index is None or not model.size:
        return tr("No facts yet.")
    zone, rows = model.zone, model.rows().tolist()
    asked, (first, last) = moment_text(model.moment, zone), model.window
    lines = [
        ntr("{n} fact {moment}.", "{n} facts {moment}.", len(rows), moment=asked),
        tr("The picture reaches from {start} to {end}.", start=shown(first, zone), end=shown(last, zone)),
    ]
    if model.filter.on:
        lines.append(tr("A filter is on."))
    changes = model.delta()
    if changes.size:
        text = tr_later("Since the position before: {gained} gained, {lost} lost, {changed} changed.")
        counts = {"gained": len(changes.gained), "lost": len(changes.lost), "changed": len(changes.after)}
        lines.append(tr(text, **counts))
    lines += [f"{model.text(row)} ({period(model, row)})" for row in rows[:_MOST_LINES]]
    if len(rows) > _MOST_LINES:
        lines.append(tr("And {n} more, in the list of beliefs.", n=len(rows) - _MOST_LINES))
    return "\n".join(lines)


def period(model: TimelineModel, row: int) -> str:
    """Say from when to when a fact is true in the world."""
    if model.spans is None:
        return ""
    start, end = int(model.spans.valid_from[row]), int(model.spans.valid_to[row])
    return f"{shown(start, model.zone)} – {shown(end, model.zone)}"


def _moment_value(moment: Moment) -> dict[str, str | None]:
    def shown(at: int | None) -> str | None:
        return None if at is None else format_time(from_micros(at))

    return {"as_of": shown(moment.as_of), "known_at": shown(moment.known_at)}
