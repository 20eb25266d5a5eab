"""The layers of a prompt as a stack: what each took of its share, why it is here, what it left out. No Qt in here."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from familiar_app.domain.text import tr
from familiar_app.domain.trace import LayerTrace, LeftOut, PromptTrace
from familiar_app.domain.trace_word import left_out_text, reason_text
from familiar_app.ui.kit.prompt_word import words
from familiar_app.ui.prompts.sheet import layer_names

PURPOSE: Mapping[str, str] = {
    "character_card": "Who the familiar is. It stands first because it changes least, so a model can keep it in mind.",
    "operating_mode": "How to write and when to stay silent in this kind of conversation.",
    "lorebook": "Knowledge from the lorebook whose keys were said in the last turns.",
    "saved_memories": "What the familiar was asked to keep, as far as it may be told here.",
    "conversation_summary": "What was said before the turns that are shown as they are.",
    "reflections": "Thoughts the familiar had about what was said here.",
    "people_dossiers": "Portraits of the people who speak here or were mentioned.",
    "retrieved_context": "What memory brought back for the newest message, best first.",
    "recent_history": "The newest turns word for word, as many as there is room for.",
    "attention": "What is unread in channels it does not attend to, and reminders that wait in this one.",
    "platform": "How an answer says on Discord what it replies to and whom it pings. Empty in the window.",
    "final_reminder": "The time and what holds for the very next answer. It stands last, where models heed it most.",
}


@dataclass(frozen=True, slots=True)
class StackRow:
    """One layer. `share` is its part of the model's whole context, `fill` of its own budget; both 0..1.

    `budget` is the most that it may have, or what it was given where that is not told.
    """

    name: str
    title: str
    hue: int
    tokens: int
    budget: int | None
    share: float
    fill: float | None
    cached: bool
    text: str
    left_out: tuple[LeftOut, ...]
    reasons: tuple[str, ...]

    @property
    def summary(self) -> str:
        """The layer's cost in a few words."""
        budget = f" of {self.budget:,}" if self.budget is not None else ""
        left = f" · {len(self.left_out)} left out" if self.left_out else ""
        return f"{self.tokens:,}{budget} · {'cached' if self.cached else 'built'}{left}"

    @property
    def spoken(self) -> str:
        """The row as a screen reader says it."""
        budget = f" of {self.budget:,}" if self.budget is not None else ""
        kept = "unchanged" if self.cached else "built anew"
        left = f", {len(self.left_out)} left out" if self.left_out else ""
        return f"{self.title}, {self.tokens:,}{budget} tokens, {kept}{left}"


@dataclass(frozen=True, slots=True)
class Stack:
    """All layers in their order, and the room around them. `free` is what nothing used."""

    rows: tuple[StackRow, ...] = ()
    tokens: int = 0
    context: int = 0
    answer: int = 0
    exact: bool = True

    @property
    def free(self) -> int:
        return max(0, self.context - self.answer - self.tokens)

    def row(self, name: str) -> StackRow | None:
        """Return a layer's row."""
        return next((row for row in self.rows if row.name == name), None)


def stack_of(trace: PromptTrace) -> Stack:
    """Lay the layers of a prompt on each other."""
    names = layer_names(trace)
    rows = tuple(_row(layer, number, trace, names) for number, layer in enumerate(trace.layers))
    return Stack(rows, trace.tokens, trace.context_tokens, trace.answer_tokens, trace.exact_tokens)


def left_out_line(one: LeftOut) -> str:
    """Say what was left out and why."""
    what, reason = words(left_out_text(one.what)), reason_text(one.reason)
    return tr("{what}: {reason} ({n} tokens)", what=what, reason=reason, n=one.tokens)


def _row(layer: LayerTrace, number: int, trace: PromptTrace, names: list[str]) -> StackRow:
    budget = _budget(layer)
    whole = trace.context_tokens or trace.tokens
    return StackRow(
        name=layer.name,
        title=words(layer.name).capitalize(),
        hue=names.index(layer.name),
        tokens=layer.tokens,
        budget=budget,
        share=min(1.0, layer.tokens / whole) if whole > 0 else 0.0,
        fill=min(1.0, layer.tokens / budget) if budget else None,
        cached=layer.cached,
        text=layer.text,
        left_out=layer.left_out,
        reasons=tuple(_reasons(layer, number, trace)),
    )


def _reasons(layer: LayerTrace, number: int, trace: PromptTrace) -> list[str]:
    told = [PURPOSE[layer.name]] if layer.name in PURPOSE else []
    told.append(f"Place {number + 1} of {len(trace.layers)}{_message(layer.name, trace)}.")
    if layer.tokens == 0 or not layer.text:
        told.append("It had nothing to say this time.")
    elif layer.cached:
        told.append("Nothing it depends on has changed since the last prompt, so its text was kept.")
    else:
        told.append(f"Something it depends on has changed, so its text was built anew in {layer.ms:.1f} ms.")
    budget = _budget(layer)
    if budget:
        share = layer.tokens * 100 // budget
        told.append(f"It took {layer.tokens:,} of the {budget:,} tokens it could have ({share} %).")
    if budget and layer.budget_tokens is not None and layer.tokens and layer.budget_tokens < budget and layer.left_out:
        told.append(f"There was room for {layer.budget_tokens:,} of them beside the other layers.")
    return told


def _budget(layer: LayerTrace) -> int | None:
    return layer.cap_tokens if layer.cap_tokens is not None else layer.budget_tokens


def _message(name: str, trace: PromptTrace) -> str:
    roles = list(dict.fromkeys(part.role for part in trace.messages if part.layer == name))
    if not roles:
        return ", not part of what was sent"
    return f", sent in {'a message' if len(roles) == 1 else 'messages'} of the {' and the '.join(roles)}"
