"""How people are written down in the window. Knows nothing of Qt."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, tzinfo

from familiar_app.domain.clock import local_time
from familiar_app.domain.fact import Fact
from familiar_app.domain.privacy import PrivacyLevel
from familiar_app.domain.turn import NameSpan
from familiar_app.store.person_count import MonthCount

MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
_KINDS = {"name": "shown name", "username": "username", "global_name": "global name", "nickname": "nickname"}
LEVELS: tuple[tuple[PrivacyLevel, str, str], ...] = (
    (PrivacyLevel.NONE, "Everything is kept", "Messages, facts and memories are kept."),
    (PrivacyLevel.PARTIAL, "Messages only", "Messages are kept, but no facts, dossier or memories about this person."),
    (PrivacyLevel.FULL, "Nothing", "What this person writes from now on is not kept either."),
)
SHORT_LEVELS = {PrivacyLevel.NONE: "everything", PrivacyLevel.PARTIAL: "messages only", PrivacyLevel.FULL: "nothing"}
PREVIEW_CHARS = 110


def count(number: int, one: str, many: str = "") -> str:
    """Write a number with its noun."""
    return f"{number:,} {one if number == 1 else many or one + 's'}"


def day(at: datetime | None, zone: tzinfo, otherwise: str) -> str:
    """Write a day, or a word where there is none."""
    return otherwise if at is None else f"{local_time(at, zone):%Y-%m-%d}"


def minute(at: datetime, zone: tzinfo) -> str:
    """Write an instant to the minute."""
    return f"{local_time(at, zone):%Y-%m-%d %H:%M}"


def name_line(span: NameSpan, zone: tzinfo) -> str:
    """Write a name with its kind and the time it was borne."""
    place = f" in {span.guild.partition(':')[2] or span.guild}" if span.guild else ""
    until = day(span.until, zone, "today")
    return f"{span.name} · {_KINDS.get(span.kind, span.kind)}{place} · {day(span.since, zone, '')} – {until}"


def fact_note(fact: Fact, zone: tzinfo, *, in_dossier: bool) -> str:
    """Write a fact's weight and both of its clocks."""
    weight = "no importance" if fact.importance is None else f"importance {fact.importance}"
    since = day(fact.valid.since, zone, "always")
    until = day(fact.valid.until, zone, "")
    true = f"true since {since}" if not until else f"true {since} – {until}"
    parts = [weight, true, f"believed since {day(fact.created_at, zone, '')}"]
    return " · ".join([*parts, "in the dossier"] if in_dossier else parts)


def short(text: str, most: int = PREVIEW_CHARS) -> str:
    """Return the beginning of a text in one line."""
    plain = " ".join(text.split())
    return plain if len(plain) <= most else plain[: most - 1] + "…"


def whole_span(months: Sequence[MonthCount]) -> list[MonthCount]:
    """Return every month from the first to the last one, those without messages too."""
    if not months:
        return []
    found = {(one.year, one.month): one for one in months}
    year, month = months[0].year, months[0].month
    last = (months[-1].year, months[-1].month)
    filled = []
    while (year, month) <= last:
        filled.append(found.get((year, month), MonthCount(year, month, 0)))
        year, month = (year, month + 1) if month < 12 else (year + 1, 1)
    return filled


def plot_words(months: Sequence[MonthCount]) -> str:
    """Say what the picture of messages by month shows."""
    if not months:
        return "No messages yet."
    most = max(months, key=lambda one: one.turns)
    first, last = months[0], months[-1]
    total = sum(one.turns for one in months)
    if len(months) == 1:
        return f"{count(total, 'message')}, all in {month_name(first)}."
    return (
        f"{count(total, 'message')} from {month_name(first)} to {month_name(last)}; "
        f"most in {month_name(most)}: {most.turns:,}."
    )


def month_name(one: MonthCount) -> str:
    """Write a month."""
    return f"{MONTHS[one.month - 1]} {one.year}"
