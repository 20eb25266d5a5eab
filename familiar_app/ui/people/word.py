"""How people are written down in the window. Knows nothing of Qt."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, datetime, tzinfo

from familiar_app.domain.clock import local_time
from familiar_app.domain.fact import Fact
from familiar_app.domain.privacy import PrivacyLevel
from familiar_app.domain.text import ntr, ptr, tr, tr_later
from familiar_app.domain.turn import NameSpan
from familiar_app.store.person_count import MonthCount, Order, PersonRow
from familiar_app.ui.kit.date_text import month_year, numeric_date, numeric_date_time

_KINDS = {
    "name": tr_later("shown name"),
    "username": tr_later("username"),
    "global_name": tr_later("global name"),
    "nickname": tr_later("nickname"),
}
LEVELS: tuple[tuple[PrivacyLevel, str, str], ...] = (
    (PrivacyLevel.NONE, tr_later("Everything is kept"), tr_later("Messages, facts and memories are kept.")),
    (
        PrivacyLevel.PARTIAL,
        tr_later("Messages only"),
        tr_later("Messages are kept, but no facts, dossier or memories about this person."),
    ),
    (
        PrivacyLevel.FULL,
        tr_later("Nothing"),
        tr_later("What this person writes from now on is not kept either."),
    ),
)
SHORT_LEVELS = {
    PrivacyLevel.NONE: tr_later("everything"),
    PrivacyLevel.PARTIAL: tr_later("messages only"),
    PrivacyLevel.FULL: tr_later("nothing"),
}
PREVIEW_CHARS = 110


def order_title(order: Order) -> str:
    """Name what the list can be ordered by."""
    return tr("Privacy") if order == "privacy" else column_title(order)


def column_title(order: Order) -> str:
    """Name a column of the list."""
    match order:
        case "last_seen":
            return tr("Last seen")
        case "name":
            return tr("Name")
        case "turns":
            return tr("Messages")
        case "facts":
            return tr("Facts")
        case "privacy":
            return ptr("what is kept of a person", "Kept")
        case "key":
            return ptr("of a person", "Key")


def messages(n: int) -> str:
    """Count messages."""
    return ntr("{n} message", "{n} messages", n)


def facts(n: int) -> str:
    """Count facts."""
    return ntr("{n} fact", "{n} facts", n)


def last_seen(row: PersonRow, zone: tzinfo) -> str:
    """Say when somebody was seen last."""
    return tr("last seen {when}", when=day(row.last_seen_at, zone, tr("never")))


def day(at: datetime | None, zone: tzinfo, otherwise: str) -> str:
    """Write a day, or a word where there is none."""
    return otherwise if at is None else numeric_date(local_time(at, zone))


def minute(at: datetime, zone: tzinfo) -> str:
    """Write an instant to the minute."""
    return numeric_date_time(local_time(at, zone))


def name_line(span: NameSpan, zone: tzinfo) -> str:
    """Write a name with its kind and the time it was borne."""
    kind = tr(_KINDS[span.kind]) if span.kind in _KINDS else span.kind
    if span.guild:
        kind = tr("{kind} in {server}", kind=kind, server=span.guild.partition(":")[2] or span.guild)
    until = day(span.until, zone, tr("today"))
    return f"{span.name} · {kind} · {day(span.since, zone, '')} – {until}"


def fact_note(fact: Fact, zone: tzinfo, *, in_dossier: bool) -> str:
    """Write a fact's weight and both of its clocks."""
    weight = tr("no importance") if fact.importance is None else tr("importance {n}", n=fact.importance)
    parts = [weight, _true(fact, zone), tr("believed since {when}", when=day(fact.created_at, zone, ""))]
    return " · ".join([*parts, tr("in the dossier")] if in_dossier else parts)


def _true(fact: Fact, zone: tzinfo) -> str:
    since = day(fact.valid.since, zone, ptr("beginning", "always"))
    if fact.valid.until is not None:
        return tr("true {since} – {until}", since=since, until=day(fact.valid.until, zone, ""))
    return tr("true since always") if fact.valid.since is None else tr("true since {when}", when=since)


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
        return tr("No messages yet.")
    most = max(months, key=lambda one: one.turns)
    first, last = months[0], months[-1]
    total = sum(one.turns for one in months)
    if len(months) == 1:
        return ntr("{n} message, all in {month}.", "{n} messages, all in {month}.", total, month=month_name(first))
    return ntr(
        "{n} message from {first} to {last}; most in {most}: {times}.",
        "{n} messages from {first} to {last}; most in {most}: {times}.",
        total,
        first=month_name(first),
        last=month_name(last),
        most=month_name(most),
        times=most.turns,
    )


def month_name(one: MonthCount) -> str:
    """Write a month."""
    return month_year(date(one.year, one.month, 1))
