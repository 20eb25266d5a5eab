"""What is to be said of a prompt as a whole: model, moment, cost, sampling, outcome. Knows nothing of Qt."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, tzinfo

from familiar_app.domain.clock import local_time
from familiar_app.domain.text import number, tr
from familiar_app.domain.trace import PromptTrace
from familiar_app.domain.trace_word import error_text, reason_text
from familiar_app.ui.kit.date_text import full_time
from familiar_app.ui.kit.projector_name import purpose_name
from familiar_app.ui.kit.prompt_word import meter, words
from familiar_app.ui.prompts.listing import seconds

_STOPPED = "stopped"
MOST_CHARS = 3000


def fact_lines(trace: PromptTrace, place: str, zone: tzinfo) -> list[tuple[str, str]]:
    """Return pairs of a name and a value."""
    purpose = purpose_name(trace.purpose)
    return [
        (tr("Number"), str(trace.id) if trace.id is not None else tr("not stored")),
        (tr("For"), tr("{purpose} in {place}", purpose=purpose, place=place) if trace.channel else purpose),
        (tr("When"), when(trace.at, zone)),
        (tr("Model"), f"{trace.model} ({words(trace.provider)})"),
        (tr("Prompt"), meter(trace.tokens, trace.context_tokens, exact=trace.exact_tokens)),
        (tr("Kept for the answer"), tr("{n} tokens", n=trace.answer_tokens)),
        *_times(trace),
        (tr("Sampling"), _sampling(trace)),
        *_moment(trace, zone),
        *_outcome(trace),
        *((tr("Note"), reason_text(note)) for note in trace.notes),
    ]


def when(at: datetime, zone: tzinfo) -> str:
    """Write an instant in the owner's zone."""
    return full_time(local_time(at, zone))


def _times(trace: PromptTrace) -> Iterator[tuple[str, str]]:
    usage = trace.usage or {}
    if usage.get("first_token_ms") is not None:
        yield tr("First word after"), seconds(float(usage["first_token_ms"]))
    total = trace.ms if trace.ms is not None else usage.get("total_ms")
    if total is not None:
        yield tr("All in"), seconds(float(total))
    if usage.get("completion_tokens"):
        yield tr("Answer took"), tr("{n} tokens", n=int(usage["completion_tokens"]))


def _sampling(trace: PromptTrace) -> str:
    chosen = [
        f"{words(name)} {number(value) if isinstance(value, float) else value}"
        for name, value in trace.sampling.items()
        if value not in (None, [], ())
    ]
    return ", ".join(chosen) or tr("the provider's own")


def _moment(trace: PromptTrace, zone: tzinfo) -> Iterator[tuple[str, str]]:
    if trace.known_at is not None:
        yield tr("As known on"), when(trace.known_at, zone)
    if trace.as_of is not None:
        yield tr("As true on"), when(trace.as_of, zone)


def _outcome(trace: PromptTrace) -> Iterator[tuple[str, str]]:
    if trace.error == _STOPPED:
        yield tr("Outcome"), tr("stopped before its end")
    elif trace.error:
        yield tr("Error"), error_text(trace.error)
    elif trace.silent:
        yield tr("Outcome"), tr("chose to stay silent")
    if trace.answer:
        yield tr("Answer"), trace.answer if len(trace.answer) <= MOST_CHARS else f"{trace.answer[:MOST_CHARS]}…"
