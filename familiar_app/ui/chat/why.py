"""What stands behind a reply, made ready to be read: the layers of its prompt, the messages, the model."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import tzinfo

from familiar_app.domain.text import number, tr
from familiar_app.domain.trace import LayerTrace, PromptTrace
from familiar_app.domain.trace_word import error_text, left_out_text, reason_text
from familiar_app.ui.chat.further import cut_off
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
            WhyMessage(f"{words(message.role)} · {words(message.layer)}", message.content, message.turn)
            for message in trace.messages
        ),
        sent=trace.sent,
    )


def _facts(trace: PromptTrace, zone: tzinfo) -> list[tuple[str, str]]:
    facts = [
        (tr("Model"), f"{trace.model} ({words(trace.provider)})"),
        (tr("When"), full_time(trace.at, zone)),
        (tr("Prompt"), meter(trace.tokens, trace.context_tokens, exact=trace.exact_tokens)),
    ]
    usage = trace.usage or {}
    if usage.get("completion_tokens"):
        spoken = int(usage["completion_tokens"])
        facts.append((tr("Answer"), tr("{n} tokens, at most {most}", n=spoken, most=trace.answer_tokens)))
    if usage.get("first_token_ms") is not None:
        first_s = float(usage["first_token_ms"]) / 1000
        facts.append((tr("First word after"), tr("{n} s", n=number(first_s, 1))))
    speed = speed_of(trace)
    if speed is not None:
        facts.append((tr("Speed"), tr("{n} tokens a second", n=number(speed, 1))))
    sampling = ", ".join(
        f"{words(name)} {number(value) if isinstance(value, float) else value}"
        for name, value in trace.sampling.items()
        if value not in (None, [], ())
    )
    facts.append((tr("Sampling"), sampling or tr("the provider's own")))
    if trace.error == _STOPPED:
        facts.append((tr("Outcome"), tr("stopped before its end")))
    elif trace.error:
        facts.append((tr("Error"), error_text(trace.error)))
    elif cut_off(trace):
        facts.append((tr("Outcome"), tr("cut off at its length limit")))
    if trace.silent:
        facts.append((tr("Outcome"), tr("chose to stay silent")))
    return facts


def _layer(layer: LayerTrace, trace: PromptTrace) -> WhyLayer:
    most = layer.cap_tokens if layer.cap_tokens is not None else layer.budget_tokens
    amount = tr("{n} tokens", n=layer.tokens)
    if most is not None:
        amount = tr("{n} of {most} tokens", n=layer.tokens, most=most)
    cached = tr("unchanged since the last prompt") if layer.cached else tr("built in {n} ms", n=number(layer.ms, 0))
    return WhyLayer(
        title=words(layer.name),
        summary=f"{amount} · {cached}",
        share=min(1.0, layer.tokens / trace.tokens) if trace.tokens > 0 else 0.0,
        text=layer.text,
        left_out=tuple(
            tr(
                "{what}: {reason} ({n} tokens)",
                what=left_out_text(one.what),
                reason=reason_text(one.reason),
                n=one.tokens,
            )
            for one in layer.left_out
        ),
    )
