"""Lets the model go on with an answer of its own that was cut off: what it is asked, and how both parts become one.

A model that goes on where a last message of its own ends is given the answer so far as that message, and its words
follow without a seam. Any other is asked in words to go on; such a model begins a new sentence or says the last words
once more, so the seam is looked at.
"""

from __future__ import annotations

import unicodedata
from dataclasses import replace

import regex

from familiar_app.context.assembler import Assembler
from familiar_app.context.prompt import AssembledPrompt, PromptRequest
from familiar_app.conversation.reply_pattern import ends_in_code
from familiar_app.conversation.tool_offer import ToolOffer
from familiar_app.domain.chat import Message, MessageRole
from familiar_app.domain.trace import TracedMessage
from familiar_app.domain.turn import Turn

LAYER = "answer_so_far"
GO_ON = (
    "(Your last message was cut off at its length limit. Go on with it exactly where it stops: "
    "repeat nothing, explain nothing, begin with the next word.)"
)
_FRAME_TOKENS = 8
_LEAST_OVERLAP_CHARS = 8
_MOST_OVERLAP_CHARS = 80
_CLOSING = frozenset(".,;:!?…)]}’”»%")
_OPENING = frozenset("([{“‘«„-–—/#")
_JOINER, _SKINS = "\u200d", "🏻🏼🏽🏾🏿"
_SHORT_END = regex.compile(r"['’](?:s|t|re|ve|ll|d|m)\b", regex.IGNORECASE)
_UNSPACED = regex.compile(
    r"[\p{Han}\p{Hiragana}\p{Katakana}\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}\p{Tibetan}\u3000-\u303f\uff01-\uff60]"
)
_OPENED_AGAIN = regex.compile(r"```[^\s`]+[ \t]*\n")


async def offer_going_on(assembler: Assembler, request: PromptRequest, cut: Turn) -> ToolOffer:
    """Assemble the prompt of an answer and put before the model what it has said of it. No tools are offered."""
    told: list[tuple[MessageRole, str]] = [("assistant", cut.content)]
    if not assembler.model.info.goes_on:
        told.append(("user", GO_ON))
    counts = await assembler.count([text for _, text in told])
    aside = sum(counts) + _FRAME_TOKENS * len(told)
    prompt = await assembler.assemble(
        replace(request, must_speak=True, set_aside_tokens=request.set_aside_tokens + aside)
    )
    return ToolOffer(_with(prompt, told, cut), "none", {})


def _with(prompt: AssembledPrompt, told: list[tuple[MessageRole, str]], cut: Turn) -> AssembledPrompt:
    messages = tuple(Message(role, text) for role, text in told)
    parts = tuple(
        TracedMessage(role=role, content=text, layer=LAYER, turn=cut.id if role == "assistant" else None)
        for role, text in told
    )
    request = replace(prompt.request, messages=(*prompt.request.messages, *messages))
    trace = prompt.trace.model_copy(update={"messages": (*prompt.trace.messages, *parts)})
    return replace(prompt, request=request, trace=trace)


class Seam:
    """Joins the words of a model that was asked to go on to those it said before. Feed it pieces, show what it gives.

    The first words are held until it is clear whether they only repeat the last ones.
    """

    def __init__(self, said: str) -> None:
        self._said = said
        self._held = ""
        self._joined = False

    def feed(self, piece: str) -> str:
        """Take a piece of what follows and return what can be shown now, maybe nothing."""
        if self._joined:
            return piece
        self._held += piece
        return self.finish() if len(self._held) >= _MOST_OVERLAP_CHARS else ""

    def finish(self) -> str:
        """Tell that no more is held, and return what was."""
        held, self._held = self._held, ""
        self._joined = self._joined or bool(held)
        return joint(self._said, held) if held.strip() else ""


def joint(said: str, more: str) -> str:
    """Return what is to be put behind `said` so that `more` goes on with it: nothing twice, a space where one is due.

    >>> joint("The lamp went out and the", "and the sea was dark.")
    ' sea was dark.'
    >>> joint("She said", "nothing.")
    ' nothing.'
    """
    first = more.lstrip()
    if ends_in_code(said) and (opened := _OPENED_AGAIN.match(first)):
        first = more = first[opened.end() :]
        return more if said.endswith("\n") else f"\n{more}"
    most = min(len(said), len(first), _MOST_OVERLAP_CHARS)
    twice = next((size for size in range(most, 0, -1) if said.endswith(first[:size]) and _repeats(said, size)), 0)
    if twice:
        return first[twice:]
    if not said or not more or said[-1].isspace() or more[0].isspace():
        return more
    if more.startswith("```"):
        return f"\n{more}"
    return f" {more}" if _space_is_due(said[-1], more) else more


def _space_is_due(last: str, more: str) -> bool:
    """Tell whether words are told apart by a space here; halves of a character, and some scripts, are not."""
    if last in _OPENING or more[0] in _CLOSING or _SHORT_END.match(more):
        return False
    if last == _JOINER or more[0] in (_JOINER, *_SKINS) or unicodedata.category(more[0])[0] == "M":
        return False
    return not (_UNSPACED.match(last) or _UNSPACED.match(more))


def _repeats(said: str, size: int) -> bool:
    """Tell whether so many last characters are words that were said again, and not alike by chance."""
    begins_a_word = size == len(said) or not said[-size - 1].isalnum()
    return begins_a_word and (size >= _LEAST_OVERLAP_CHARS or " " in said[-size:])
