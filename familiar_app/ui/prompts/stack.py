"""The layers of a prompt as a stack: what each took of its share, why it is here, what it left out. No Qt in here."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from familiar_app.domain.text import ntr, number, tr, tr_later
from familiar_app.domain.trace import LayerTrace, LeftOut, PromptTrace
from familiar_app.domain.trace_word import left_out_text, reason_text
from familiar_app.ui.kit.prompt_word import words
from familiar_app.ui.prompts.item_word import opened
from familiar_app.ui.prompts.sheet import layer_names

PURPOSE: Mapping[str, str] = {
    "character_card": tr_later(
        "Who the familiar is. It stands first because it changes least, so a model can keep it in mind."
    ),
    "operating_mode": tr_later("How to write and when to stay silent in this kind of conversation."),
    "lorebook": tr_later("Knowledge from the lorebook whose keys were said in the last turns."),
    "saved_memories": tr_later("What the familiar was asked to keep, as far as it may be told here."),
    "conversation_summary": tr_later("What was said before the turns that are shown as they are."),
    "reflections": tr_later("Thoughts the familiar had about what was said here."),
    "people_dossiers": tr_later("Portraits of the people who speak here or were mentioned."),
    "retrieved_context": tr_later("What memory brought back for the newest message, best first."),
    "recent_history": tr_later("The newest turns word for word, as many as there is room for."),
    "attention": tr_later("What is unread in channels it does not attend to, and reminders that wait in this one."),
    "platform": tr_later("How an answer says on Discord what it replies to and whom it pings. Empty in the window."),
    "final_reminder": tr_later(
        "The time and what holds for the very next answer. It stands last, where models heed it most."
    ),
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
        """What the layer took of the tokens it may have, and how much it left out."""
        taken = number(self.tokens)
        if self.budget is not None:
            taken = tr("{n} of {most}", n=self.tokens, most=self.budget)
        return " · ".join([taken, *self._missing])

    @property
    def percent(self) -> str:
        """How full its budget is, for the end of its bar; "" where it has none."""
        return tr("{share} %", share=share_of(self.tokens, self.budget)) if self.budget else ""

    @property
    def spoken(self) -> str:
        """The row as a screen reader says it."""
        taken = tr("{n} tokens", n=self.tokens)
        if self.budget is not None:
            taken = tr("{n} of {most} tokens", n=self.tokens, most=self.budget)
        told = [self.title, taken]
        if self.budget:
            told.append(tr("{share} % of its budget", share=share_of(self.tokens, self.budget)))
        return ", ".join([*told, tr("unchanged") if self.cached else tr("built anew"), *self._missing])

    @property
    def _missing(self) -> tuple[str, ...]:
        left = len(self.left_out)
        return (ntr("{n} left out", "{n} left out", left),) if left else ()


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
    rows = tuple(_row(layer, place, trace, names) for place, layer in enumerate(trace.layers, start=1))
    return Stack(rows, trace.tokens, trace.context_tokens, trace.answer_tokens, trace.exact_tokens)


def share_of(tokens: int, budget: int) -> str:
    """Write how many hundredths of a budget were taken."""
    share = tokens * 100 // budget
    return tr("< {n}", n=1) if tokens and not share else number(share)


def left_out_line(one: LeftOut) -> str:
    """Say what was left out and why."""
    return tr("{what}: {reason} ({n} tokens)", what=left_out_what(one), reason=reason_text(one.reason), n=one.tokens)


def left_out_what(one: LeftOut) -> str:
    """Name what was left out."""
    return words(left_out_text(one.what))


def _row(layer: LayerTrace, place: int, trace: PromptTrace, names: list[str]) -> StackRow:
    budget = _budget(layer)
    whole = trace.context_tokens or trace.tokens
    return StackRow(
        name=layer.name,
        title=opened(words(layer.name)),
        hue=names.index(layer.name),
        tokens=layer.tokens,
        budget=budget,
        share=min(1.0, layer.tokens / whole) if whole > 0 else 0.0,
        fill=min(1.0, layer.tokens / budget) if budget else None,
        cached=layer.cached,
        text=layer.text,
        left_out=layer.left_out,
        reasons=tuple(_reasons(layer, place, trace)),
    )


def _reasons(layer: LayerTrace, place: int, trace: PromptTrace) -> list[str]:
    told = [tr(PURPOSE[layer.name])] if layer.name in PURPOSE else []
    told.append(_place(layer.name, place, trace))
    if layer.tokens == 0 or not layer.text:
        told.append(tr("It had nothing to say this time."))
    elif layer.cached:
        told.append(tr("Nothing it depends on has changed since the last prompt, so its text was kept."))
    else:
        told.append(
            tr("Something it depends on has changed, so its text was built anew in {n} ms.", n=number(layer.ms, 1))
        )
    budget = _budget(layer)
    if budget:
        share = share_of(layer.tokens, budget)
        text = tr_later("It took {n} of the {most} tokens it could have ({share} %).")
        told.append(tr(text, n=layer.tokens, most=budget, share=share))
    if budget and layer.budget_tokens is not None and layer.tokens and layer.budget_tokens < budget and layer.left_out:
        told.append(tr("There was room for {n} of them beside the other layers.", n=layer.budget_tokens))
    return told


def _budget(layer: LayerTrace) -> int | None:
    return layer.cap_tokens if layer.cap_tokens is not None else layer.budget_tokens


def _place(name: str, place: int, trace: PromptTrace) -> str:
    """Say where a layer stands, and in whose messages it was sent."""
    roles = [words(role) for role in dict.fromkeys(part.role for part in trace.messages if part.layer == name)]
    count = len(trace.layers)
    if not roles:
        return tr("Place {place} of {n}, not part of what was sent.", place=place, n=count)
    if len(roles) == 1:
        return tr("Place {place} of {n}, sent in a message of the {role}.", place=place, n=count, role=roles[0])
    told = roles[0]
    for role in roles[1:]:
        told = tr("{roles} and the {role}", roles=told, role=role)
    return tr("Place {place} of {n}, sent in messages of the {roles}.", place=place, n=count, roles=told)
