"""The upkeep of memory in words: what each projector makes, how it stands, what it took. Knows no Qt."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import tzinfo

from familiar_app.domain.clock import local_time
from familiar_app.domain.text import ntr, number, tr, tr_later
from familiar_app.domain.trace_word import error_text
from familiar_app.projectors.status import ProjectorStatus
from familiar_app.store.health import ProjectorFigures
from familiar_app.store.index.search_index import IndexStatus
from familiar_app.ui.kit.date_text import numeric_date_time
from familiar_app.ui.kit.projector_name import projector_name

_WORDS: Mapping[str, tuple[str, str]] = {
    "rich_note": (tr_later("Notes facts from what was said."), "turns"),
    "fact_supersede": (tr_later("Compares new facts with earlier ones; see the inbox."), "facts"),
    "people_dossier": (tr_later("Writes a portrait of everybody there are facts about."), "people"),
    "rolling_summary": (tr_later("Carries on the story of each channel."), "turns"),
    "reflection": (tr_later("Thinks about what was said lately."), "turns"),
    "fact_embedding": (tr_later("Lets facts be found by their meaning."), "facts"),
    "turn_embedding": (tr_later("Lets messages be found by their meaning."), "turns"),
    "saved_memory": (tr_later("Brings what was saved on purpose from the log into its place."), "acts"),
}
_INSTALLED = tr_later("A projector that was installed.")
_MORE = tr_later("Click to see each part.")
_COUNTED: Mapping[str, Callable[[int], str]] = {
    "acts": lambda n: ntr("{n} act", "{n} acts", n),
    "answers": lambda n: ntr("{n} answer", "{n} answers", n),
    "facts": lambda n: ntr("{n} fact", "{n} facts", n),
    "messages": lambda n: ntr("{n} message", "{n} messages", n),
    "people": lambda n: ntr("{n} person", "{n} people", n),
    "things": lambda n: ntr("{n} thing", "{n} things", n),
    "tokens": lambda n: ntr("{n} token", "{n} tokens", n),
    "turns": lambda n: ntr("{n} turn", "{n} turns", n),
}
ASKS_NOBODY = frozenset({"fact_embedding", "turn_embedding", "saved_memory"})
"""Projectors that never ask a model of language, so that asking again means nothing."""


@dataclass(frozen=True, slots=True)
class Row:
    """How one projector is shown. `due` is what is to be done now; a rest too small for a batch is not."""

    name: str
    title: str
    what: str
    state: str
    tone: str
    error: str
    figures: tuple[str, ...]
    paused: bool
    due: int
    asks: bool
    work: str = ""


@dataclass(frozen=True, slots=True)
class Pulse:
    """What the status bar tells of memory; `tone` is a role of the theme."""

    text: str
    tip: str
    tone: str


def row_of(
    status: ProjectorStatus, figures: ProjectorFigures | None, batch: int, zone: tzinfo, *, work: str = ""
) -> Row:
    """Make a projector ready to be shown. Below `batch` things it waits for more; 1 where it never waits.

    Where each channel waits for itself, the fullest one tells whether anything is due.
    """
    what, unit = _WORDS.get(status.name, (_INSTALLED, "things"))
    lag = status.lag or 0
    waiting = lag if status.fullest is None else status.fullest
    due = lag if waiting >= batch else 0
    state, tone = _state(status, lag, due, batch - waiting, unit)
    if tone == "good" and figures is not None and figures.last_malformed:
        state, tone = (
            tr("Nothing is left to read, but the last answer came in a wrong form and counts as empty"),
            "warning",
        )
    return Row(
        status.name,
        projector_name(status.name),
        tr(what),
        state,
        tone,
        error_text(status.last_error or ""),
        _figures(status, figures, zone),
        status.paused,
        due,
        status.name not in ASKS_NOBODY,
        work,
    )


def pulse_of(rows: tuple[Row, ...], index: IndexStatus, *, weak: bool) -> Pulse:
    """Say in a few words how memory stands, worst first."""
    failed = [row.title for row in rows if row.error and not row.paused]
    behind = max((row.due for row in rows if not row.paused), default=0)
    by_hand = tr("With this model memory is drawn only when you ask for it.") if weak else ""
    more = tr(_MORE)
    if index.state == "failed":
        return Pulse(tr("memory: search not working"), _said(tr("The search index failed."), more), "danger")
    if not rows:
        return Pulse(tr("memory: off"), _said(tr("Nothing is drawn from what is said."), more), "text_2")
    if any(row.work for row in rows):
        return Pulse(tr("memory: working"), more, "accent")
    if failed:
        names = tr("Failed: {names}.", names=", ".join(failed))
        return Pulse(tr("memory: not working"), _said(names, more), "danger")
    if all(row.paused for row in rows):
        return Pulse(tr("memory: paused"), more, "text_2")
    if index.state == "building":
        return Pulse(tr("memory: indexing"), _said(tr("The search index is being built."), more), "text_2")
    if behind:
        text = tr("memory: {n} behind, by hand", n=behind) if weak else tr("memory: {n} behind", n=behind)
        return Pulse(text, _said(by_hand, more), "text_2")
    return Pulse(tr("memory: by hand") if weak else tr("memory: up to date"), _said(by_hand, more), "text_2")


def index_text(status: IndexStatus) -> str:
    """Say how the search index stands."""
    match status.state:
        case "building":
            if not status.total:
                return ntr("Being built: {n} message so far.", "Being built: {n} messages so far.", status.indexed)
            return tr("Being built: {n} of {all} messages so far.", n=status.indexed, all=status.total)
        case "ready":
            return ntr("Ready: {n} message.", "Ready: {n} messages.", status.indexed)
        case "failed":
            return tr("It failed; nothing is found by words until it is there again.")
        case _:
            return tr("Not there: nothing is found by words.")


def cost_text(figures: ProjectorFigures | None) -> str:
    """Say what asking a model again would take, judged by what it took so far."""
    if figures is None:
        return tr("No answer is kept, so nobody knows yet what it takes.")
    minutes = figures.ms / 60_000
    if minutes >= 2:
        time = ntr("{n} minute", "{n} minutes", round(minutes))
    else:
        time = ntr("{n} second", "{n} seconds", round(figures.ms / 1000))
    return tr(
        "So far it took {answers}, {tokens} and {time}; expect about as much again.",
        answers=count(figures.answers, "answers"),
        tokens=count(figures.tokens, "tokens"),
        time=time,
    )


def count(n: int, things: str) -> str:
    """Write a number of things."""
    return _COUNTED[things](n)


def _said(*sentences: str) -> str:
    return " ".join(one for one in sentences if one)


def _state(status: ProjectorStatus, lag: int, due: int, missing: int, unit: str) -> tuple[str, str]:
    amount = count(lag, unit)
    if status.paused:
        return tr("Paused, {amount} behind", amount=amount) if lag else tr("Paused"), "text_2"
    if status.last_error:
        return tr("Failed, {amount} behind", amount=amount) if lag else tr("Failed in its last run"), "danger"
    if due:
        return tr("{amount} behind", amount=count(due, unit)), "text_1"
    if lag and status.fullest is None:
        return tr("Up to date; goes on after {n} more", n=missing), "good"
    if lag:
        return tr("Up to date; the fullest channel goes on after {n} more", n=missing), "good"
    ran = status.watermark is not None or status.last_run_at
    return (tr("Up to date") if ran else tr("Nothing to do yet")), "good"


def _figures(status: ProjectorStatus, figures: ProjectorFigures | None, zone: tzinfo) -> tuple[str, ...]:
    parts = [tr("Last run: never")]
    if status.last_run_at is not None:
        parts = [tr("Last run: {when}", when=numeric_date_time(local_time(status.last_run_at, zone)))]
    if figures is not None:
        took = (count(figures.answers, "answers"), count(figures.tokens, "tokens"), _seconds(figures))
        parts.append(", ".join(took))
        if figures.malformed:
            parts.append(tr("In a wrong form: {n}", n=figures.malformed))
        dropped = ", ".join(f"{guard} {number(n)}" for guard, n in sorted(figures.rejected.items()) if n)
        if dropped:
            parts.append(tr("Dropped by guards: {guards}", guards=dropped))
    if status.failures:
        parts.append(tr("Failed runs: {n}", n=status.failures))
    return tuple(parts)


def _seconds(figures: ProjectorFigures) -> str:
    return tr("{seconds} s", seconds=number(figures.ms / 1000, 1))
