"""What stands behind a reply, made ready to be read: the layers of its prompt, the messages, the model."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import tzinfo

from familiar_app.domain.trace import LayerTrace, PromptTrace
from familiar_app.ui.chat.reply import speed_of
from familiar_app.ui.chat.row import full_time
from familiar_app.ui.kit.prompt_word import meter, words

_STOPPED = "stopped"
"""What a trace has as its error where the person ended the reply."""


@dataclass(frozen=True, slots=True)
class WhyLayer:
    """One layer: what it is called, its share in words, its share of the prompt (0..1), its text, what it left out."""

    title: str
    summary: str
    share: float
    text: str
    left_out: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class WhyMessage:
    """One message as it was sent."""

    title: str
    text: str
    turn: int | None


@dataclass(frozen=True, slots=True)
class Why:
    """A reply's trace in readable parts. `facts` are pairs of a name and a value."""

    facts: tuple[tuple[str, str], ...]
    layers: tuple[WhyLayer, ...]
    messages: tuple[WhyMessage, ...]
    sent: str | None


def explain(trace: PromptTrace, zone: tzinfo) -> Why:
    """Return the readable parts of a trace."""
    return Why(
        facts=tuple(_facts(trace, zone)),
        layers=tuple(_layer(layer, trace) for layer in trace.layers),
        messages=tuple(
            WhyMessage(f"{message.role} · {words(message.layer)}", message.content, message.turn)
            for message in trace.messages
        ),
        sent=trace.sent,
    )


def _facts(trace: PromptTrace, zone: tzinfo) -> list[tuple[str, str]]:
    facts = [
        ("Model", f"{trace.model} ({trace.provider})"),
        ("When", full_time(trace.at, zone)),
        ("Prompt", meter(trace.tokens, trace.context_tokens, exact=trace.exact_tokens)),
    ]
    usage = trace.usage or {}
    if usage.get("completion_tokens"):
        facts.append(("Answer", f"{usage['completion_tokens']:,} tokens, at most {trace.answer_tokens:,}"))
    if usage.get("first_token_ms") is not None:
        facts.append(("First word after", f"{float(usage['first_token_ms']) / 1000:.1f} s"))
    speed = speed_of(trace)
    if speed is not None:
        facts.append(("Speed", f"{speed:.1f} tokens a second"))
    sampling = ", ".join(
        f"{words(name)} {value}" for name, value in trace.sampling.items() if value not in (None, [], ())
    )
    facts.append(("Sampling", sampling or "the provider's own"))
    if trace.error == _STOPPED:
        facts.append(("Outcome", "stopped before its end"))
    elif trace.error:
        facts.append(("Error", trace.error))
    if trace.silent:
        facts.append(("Outcome", "chose to stay silent"))
    return facts


def _layer(layer: LayerTrace, trace: PromptTrace) -> WhyLayer:
    most = layer.cap_tokens if layer.cap_tokens is not None else layer.budget_tokens
    budget = f" of {most:,}" if most is not None else ""
    cached = "unchanged since the last prompt" if layer.cached else f"built in {layer.ms:.0f} ms"
    return WhyLayer(
        title=words(layer.name),
        summary=f"{layer.tokens:,}{budget} tokens · {cached}",
        share=min(1.0, layer.tokens / trace.tokens) if trace.tokens > 0 else 0.0,
        text=layer.text,
        left_out=tuple(f"{one.what}: {one.reason} ({one.tokens:,} tokens)" for one in layer.left_out),
    )
