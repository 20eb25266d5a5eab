"""The upkeep of memory in words: what each projector makes, how it stands, what it took. Knows no Qt."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import tzinfo

from familiar_app.domain.clock import local_time
from familiar_app.domain.text import tr
from familiar_app.projectors.status import ProjectorStatus
from familiar_app.store.health import ProjectorFigures
from familiar_app.store.index.search_index import IndexStatus
from familiar_app.ui.kit.projector_name import projector_name

_WORDS: Mapping[str, tuple[str, str]] = {
    "rich_note": ("Notes facts from what was said.", "turns"),
    "fact_supersede": ("Compares new facts with earlier ones; see the inbox.", "facts"),
    "people_dossier": ("Writes a portrait of everybody there are facts about.", "people"),
    "rolling_summary": ("Carries on the story of each channel.", "turns"),
    "reflection": ("Thinks about what was said lately.", "turns"),
    "fact_embedding": ("Lets facts be found by their meaning.", "facts"),
    "turn_embedding": ("Lets messages be found by their meaning.", "turns"),
    "saved_memory": ("Brings what was saved on purpose from the log into its place.", "acts"),
}
_SINGULAR = {"people": "person"}
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
    what, unit = _WORDS.get(status.name, ("A projector that was installed.", "things"))
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
        what,
        state,
        tone,
        status.last_error or "",
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
    by_hand = "With this model memory is drawn only when you ask for it. " if weak else ""
    more = "Click to see each part."
    if index.state == "failed":
        return Pulse("memory: search not working", f"The search index failed. {more}", "danger")
    if not rows:
        return Pulse("memory: off", f"Nothing is drawn from what is said. {more}", "text_2")
    if any(row.work for row in rows):
        return Pulse("memory: working", more, "accent")
    if failed:
        return Pulse("memory: not working", f"Failed: {', '.join(failed)}. {more}", "danger")
    if all(row.paused for row in rows):
        return Pulse("memory: paused", more, "text_2")
    if index.state == "building":
        return Pulse("memory: indexing", f"The search index is being built. {more}", "text_2")
    if behind:
        text = f"memory: {behind:,} behind"
        return Pulse(f"{text}, by hand" if weak else text, f"{by_hand}{more}", "text_2")
    return Pulse("memory: by hand" if weak else "memory: up to date", f"{by_hand}{more}", "text_2")


def index_text(status: IndexStatus) -> str:
    """Say how the search index stands."""
    match status.state:
        case "building":
            share = f" of {status.total:,}" if status.total else ""
            return f"Being built: {status.indexed:,}{share} messages so far."
        case "ready":
            return f"Ready: {count(status.indexed, 'messages')}."
        case "failed":
            return "It failed; nothing is found by words until it is there again."
        case _:
            return "Not there: nothing is found by words."


def cost_text(figures: ProjectorFigures | None) -> str:
    """Say what asking a model again would take, judged by what it took so far."""
    if figures is None:
        return "No answer is kept, so nobody knows yet what it takes."
    minutes = figures.ms / 60_000
    time = f"{minutes:,.0f} minutes" if minutes >= 2 else f"{figures.ms / 1000:,.0f} seconds"
    took = f"{count(figures.answers, 'answers')}, {count(figures.tokens, 'tokens')} and {time}"
    return f"So far it took {took}; expect about as much again."


def count(number: int, things: str) -> str:
    """Write a number of things."""
    return f"{number:,} {_SINGULAR.get(things, things.removesuffix('s')) if number == 1 else things}"


def _state(status: ProjectorStatus, lag: int, due: int, missing: int, unit: str) -> tuple[str, str]:
    if status.paused:
        return f"Paused, {count(lag, unit)} behind" if lag else "Paused", "text_2"
    if status.last_error:
        return f"Failed, {count(lag, unit)} behind" if lag else "Failed in its last run", "danger"
    if due:
        return f"{count(due, unit)} behind", "text_1"
    if lag:
        where = "" if status.fullest is None else "the fullest channel "
        return f"Up to date; {where}goes on after {missing:,} more", "good"
    return ("Up to date" if status.watermark is not None or status.last_run_at else "Nothing to do yet"), "good"


def _figures(status: ProjectorStatus, figures: ProjectorFigures | None, zone: tzinfo) -> tuple[str, ...]:
    last = "never" if status.last_run_at is None else f"{local_time(status.last_run_at, zone):%Y-%m-%d %H:%M}"
    parts = [f"Last run: {last}"]
    if figures is not None:
        answers, tokens = count(figures.answers, "answers"), count(figures.tokens, "tokens")
        parts.append(f"{answers}, {tokens}, {figures.ms / 1000:,.1f} s")
        if figures.malformed:
            parts.append(f"In a wrong form: {figures.malformed:,}")
        dropped = ", ".join(f"{guard} {count:,}" for guard, count in sorted(figures.rejected.items()) if count)
        if dropped:
            parts.append(f"Dropped by guards: {dropped}")
    if status.failures:
        parts.append(f"Failed runs: {status.failures:,}")
    return tuple(parts)
