"""What is to be said of a prompt as a whole: model, moment, cost, sampling, outcome. Knows nothing of Qt."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, tzinfo

from familiar_app.domain.clock import local_time
from familiar_app.domain.trace import PromptTrace
from familiar_app.domain.trace_word import error_text, reason_text
from familiar_app.ui.kit.projector_name import purpose_name
from familiar_app.ui.kit.prompt_word import meter, words
from familiar_app.ui.prompts.listing import seconds

_STOPPED = "stopped"
MOST_CHARS = 3000


def fact_lines(trace: PromptTrace, place: str, zone: tzinfo) -> list[tuple[str, str]]:
    """Return pairs of a name and a value."""
    return [
        ("Number", str(trace.id) if trace.id is not None else "not stored"),
        ("For", f"{purpose_name(trace.purpose)} in {place}" if trace.channel else purpose_name(trace.purpose)),
        ("When", when(trace.at, zone)),
        ("Model", f"{trace.model} ({words(trace.provider)})"),
        ("Prompt", meter(trace.tokens, trace.context_tokens, exact=trace.exact_tokens)),
        ("Kept for the answer", f"{trace.answer_tokens:,} tokens"),
        *_times(trace),
        ("Sampling", _sampling(trace)),
        *_moment(trace, zone),
        *_outcome(trace),
        *(("Note", reason_text(note)) for note in trace.notes),
    ]


def when(at: datetime, zone: tzinfo) -> str:
    """Write an instant in the owner's zone."""
    there = local_time(at, zone)
    return f"{there.day} {there:%B} {there.year}, {there:%H:%M:%S}"


def _times(trace: PromptTrace) -> Iterator[tuple[str, str]]:
    usage = trace.usage or {}
    if usage.get("first_token_ms") is not None:
        yield "First word after", seconds(float(usage["first_token_ms"]))
    total = trace.ms if trace.ms is not None else usage.get("total_ms")
    if total is not None:
        yield "All in", seconds(float(total))
    if usage.get("completion_tokens"):
        yield "Answer took", f"{usage['completion_tokens']:,} tokens"


def _sampling(trace: PromptTrace) -> str:
    chosen = [f"{words(name)} {value}" for name, value in trace.sampling.items() if value not in (None, [], ())]
    return ", ".join(chosen) or "the provider's own"


def _moment(trace: PromptTrace, zone: tzinfo) -> Iterator[tuple[str, str]]:
    if trace.known_at is not None:
        yield "As known on", when(trace.known_at, zone)
    if trace.as_of is not None:
        yield "As true on", when(trace.as_of, zone)


def _outcome(trace: PromptTrace) -> Iterator[tuple[str, str]]:
    if trace.error == _STOPPED:
        yield "Outcome", "stopped before its end"
    elif trace.error:
        yield "Error", error_text(trace.error)
    elif trace.silent:
        yield "Outcome", "chose to stay silent"
    if trace.answer:
        yield "Answer", trace.answer if len(trace.answer) <= MOST_CHARS else f"{trace.answer[:MOST_CHARS]}…"
