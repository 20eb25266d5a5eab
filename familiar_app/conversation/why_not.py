"""Says of any turn, fact, thought, portrait or lorebook entry why it stands in a prompt, or why it does not.

The trace is asked first: what it tells is what happened. Only where it is silent, the vault is looked at as it stood
at the moment of the prompt, and memory is searched further down than the trace was kept.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from itertools import zip_longest
from typing import Any

from familiar_app.context.lore_replay import LORE, entry_id
from familiar_app.context.memory_reader import cue_of
from familiar_app.context.retrieved_context import RETRIEVED
from familiar_app.context.stretch import Stretch
from familiar_app.conversation.why_not_word import (
    LAYER_OF,
    Word,
    candidate_word,
    least_kept,
    left_out_word,
    retired_word,
    say,
)
from familiar_app.domain.fact import Fact, FactId, was_believed
from familiar_app.domain.ids import ChannelKey, FamiliarId, PersonKey, TurnId, is_local
from familiar_app.domain.lorebook.sentence import sentence
from familiar_app.domain.lorebook.verdict import Outcome, Reason
from familiar_app.domain.recall import Recall
from familiar_app.domain.rerank import recorded_weights
from familiar_app.domain.saved_memory.memory import MemoryId
from familiar_app.domain.settings import CharacterConfig
from familiar_app.domain.speech import clean_text
from familiar_app.domain.trace import PromptTrace
from familiar_app.domain.turn import Channel, Role, Turn
from familiar_app.store.saved_memory import MemoryQuestion
from familiar_app.store.turn_then import Then
from familiar_app.store.vault import Vault

_FURTHER = 200
"""How far down memory is searched for what the trace does not name."""
_CUE_TURNS = 40
_MOST_THOUGHTS = 1000
_MOST_DIGITS = 18
"""A longer number is no id."""


@dataclass(frozen=True, slots=True)
class WhyNot:
    """The answer: a short word for programs, a sentence for people, and what it rests on."""

    kind: str
    id: int | str
    code: str
    sentence: str
    detail: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Named:
    """Something that can be asked about."""

    kind: str
    id: int | str
    text: str


@dataclass(frozen=True, slots=True)
class WhyNotFinder:
    """Finds the reasons for the prompts of one familiar."""

    familiar: FamiliarId
    config: CharacterConfig
    vault: Vault

    async def why_not(self, trace: PromptTrace, kind: str, number: int | str) -> WhyNot:
        """Return the reason. A kind or id that nothing has is `unknown`."""
        word = self._told(trace, kind, number)
        if word is None:
            match kind:
                case "turn":
                    word = await self._turn(trace, int(number))
                case "fact":
                    word = await self._fact(trace, int(number))
                case "reflection":
                    word = await self._reflection(trace, int(number))
                case "dossier":
                    word = await self._dossier(trace, str(number))
                case "memory":
                    word = await self._memory(trace, int(number))
                case _:
                    word = say("unknown")
        return WhyNot(kind, number, word.code, word.sentence, word.detail)

    async def find(self, trace: PromptTrace, text: str, limit: int) -> list[Named]:
        """Return what a text may mean: a number, words of a fact or turn, the name of a lorebook entry."""
        needle = text.strip()
        if not needle or limit < 1:
            return []
        sorts = [
            await self._numbered(needle) if needle.isdecimal() and len(needle) <= _MOST_DIGITS else [],
            await self._facts(needle, limit),
            [one for one in _entries(trace) if needle.casefold() in one.text.casefold()],
            await self._memories(needle, limit),
            await self._thoughts(needle),
            await self._people(needle),
            [Named("turn", turn.id, turn.content) for turn in await self.vault.turns.search(needle, limit=limit)],
        ]
        # In turns, so that many of one sort leave room for the others.
        mixed = [one for round_ in zip_longest(*sorts) for one in round_ if one is not None]
        return list({(one.kind, one.id): one for one in mixed}.values())[:limit]

    async def _facts(self, needle: str, limit: int) -> list[Named]:
        found = await self.vault.facts.page(self.familiar, search=needle, include_retired=True, limit=limit)
        return [Named("fact", fact.id, fact.text) for fact in found]

    async def _memories(self, needle: str, limit: int) -> list[Named]:
        asked = MemoryQuestion(self.config.lineage, search=needle, include_retired=True, limit=limit)
        return [Named("memory", one.id, one.content) for one in await self.vault.saved_memories.list(asked)]

    async def _thoughts(self, needle: str) -> list[Named]:
        thoughts = await self.vault.projections.reflections(self.familiar, limit=_MOST_THOUGHTS)
        return [Named("reflection", one.id, one.text) for one in thoughts if needle.casefold() in one.text.casefold()]

    async def _people(self, needle: str) -> list[Named]:
        people = await self.vault.people.list(search=needle)
        return [Named("dossier", one.key, one.label) for one in people]

    async def _numbered(self, digits: str) -> list[Named]:
        turn = await self.vault.turns.get(TurnId(int(digits)))
        fact = await self.vault.facts.get(FactId(int(digits)))
        found = [Named("fact", fact.id, fact.text)] if fact is not None and fact.familiar == self.familiar else []
        return [*found, *([Named("turn", turn.id, turn.content)] if turn is not None and not turn.deleted else [])]

    def _told(self, trace: PromptTrace, kind: str, number: int | str) -> Word | None:
        """Return what the trace itself tells, None where it is silent."""
        if kind == "turn" and any(part.turn == number for part in trace.messages):
            return say("window")
        for one in trace.candidates:
            if (one["kind"], one["id"]) == (kind, number):
                return candidate_word(one, trace.candidates)
        if kind == LORE:
            return _lore_word(trace, str(number))
        for layer in trace.layers:
            for left in layer.left_out:
                if left.what == f"{kind} {number}":
                    return left_out_word(left)
        layer_name = LAYER_OF.get(kind)
        if layer_name is not None and all(layer.name != layer_name for layer in trace.layers):
            return say("disabled", layer=layer_name)
        return None

    async def _turn(self, trace: PromptTrace, number: int) -> Word:
        turn = await self.vault.turns.get(TurnId(number))
        if turn is None or turn.role is Role.OPERATOR:
            return say("unknown")
        if turn.deleted:
            return say("deleted")
        if turn.arrived_at > _moment(trace) or (trace.turn_id is not None and number > trace.turn_id):
            return say("later", at=turn.arrived_at)
        if turn.hidden or not turn.active:
            return say("hidden" if turn.hidden else "replaced")
        if not await self._hears(turn):
            return say("elsewhere")
        return await self._searched(trace, "turn", number)

    async def _fact(self, trace: PromptTrace, number: int) -> Word:
        fact = await self.vault.facts.get(FactId(number))
        if fact is None or fact.familiar != self.familiar:
            return say("unknown")
        if fact.hidden:
            return say("deleted")
        return self._fact_at(fact, trace) or await self._searched(trace, "fact", number)

    def _fact_at(self, fact: Fact, trace: PromptTrace) -> Word | None:
        """Tell why a fact did not count at the moment of a prompt, by its two clocks; None where it did."""
        moment, world = _moment(trace), trace.as_of or _moment(trace)
        if fact.created_at > moment:
            return say("later", at=fact.created_at)
        if not was_believed(fact, moment):
            return retired_word(fact, moment)
        if fact.valid.until is not None and fact.valid.until <= world:
            return say("ended", at=fact.valid.until)
        if trace.as_of is not None and world not in fact.valid:
            return say("not_yet_true", at=fact.valid.since)
        return None

    async def _searched(self, trace: PromptTrace, kind: str, number: int) -> Word:
        """Search as the prompt did, but further down."""
        if RETRIEVED not in {layer.name for layer in trace.layers}:
            return say("disabled", layer=RETRIEVED)
        channel = await self.vault.channels.find(ChannelKey(trace.channel), familiar=self.familiar)
        if channel is None:
            return say("unknown")
        recalled = await self.vault.retrieval.look(await self._recall(trace, channel), held=_FURTHER)
        for rank, hit in enumerate(recalled.hits, start=1):
            if (hit.kind, hit.id) == (kind, number):
                return say("outranked", rank=rank, score=hit.score, needed=least_kept(trace.candidates))
        held = next((hit for hit in recalled.held if (hit.kind, hit.id) == (kind, number)), None)
        if held is not None:
            return say("audience", reason=str(held.held))
        return say("no_match" if recalled.ready else "not_ready")

    async def _recall(self, trace: PromptTrace, channel: Channel) -> Recall:
        until = TurnId(trace.turn_id) if trace.turn_id is not None else None
        stretch = Stretch(channel.id, until, then=Then(_moment(trace), trace.as_of))
        turns = [one for one in await stretch.before(self.vault, stretch.end, _CUE_TURNS) if stretch.shows(one)]
        mode = self.config.audience_mode(channel.key)
        return Recall(
            familiar=self.familiar,
            cue=cue_of(turns),
            weights=recorded_weights(trace.ranking, self.config.memory.retrieval.weights()),
            limit=_FURTHER,
            as_of=trace.as_of,
            known_at=_moment(trace),
            until=until,
            audience=await self.vault.audiences.of(self.familiar, channel, mode),
        )

    async def _reflection(self, trace: PromptTrace, number: int) -> Word:
        thoughts = await self.vault.projections.reflections(self.familiar, limit=_MOST_THOUGHTS)
        thought = next((one for one in thoughts if one.id == number), None)
        if thought is None:
            return say("unknown")
        if _stands_in(trace, "reflections", thought.text):
            return say("in")
        if thought.created_at > _moment(trace):
            return say("later", at=thought.created_at)
        channel = await self.vault.channels.find(ChannelKey(trace.channel), familiar=self.familiar)
        if thought.channel is not None and (channel is None or thought.channel != channel.id):
            return say("elsewhere")
        newer = [one for one in thoughts if one.id > number and one.created_at <= _moment(trace)]
        if len(newer) >= self.config.budget.text.max_reflections:
            return say("newer", count=len(newer))
        return say("over_cap" if channel is not None and is_local(channel.key) else "held_or_cut")

    async def _dossier(self, trace: PromptTrace, key: str) -> Word:
        dossier = await self.vault.projections.dossier(self.familiar, PersonKey(key))
        if dossier is None:
            return say("not_extracted")
        if _stands_in(trace, "people_dossiers", dossier.text):
            return say("in")
        if dossier.created_at > _moment(trace):
            return say("later", at=dossier.created_at)
        return say("not_spoken_of")

    async def _memory(self, trace: PromptTrace, number: int) -> Word:
        memory = await self.vault.saved_memories.get(MemoryId(number))
        if memory is None:
            return say("unknown")
        if memory.created_at > _moment(trace):
            return say("later", at=memory.created_at)
        if memory.retired_at is not None and memory.retired_at <= _moment(trace):
            return say("forgotten", at=memory.retired_at)
        return say("elsewhere")

    async def _hears(self, turn: Turn) -> bool:
        return turn.channel in await self.vault.projections.heard_channels(self.familiar)


def _moment(trace: PromptTrace) -> datetime:
    return trace.known_at or trace.at


def _stands_in(trace: PromptTrace, layer: str, text: str) -> bool:
    """Tell whether a layer shows a text, however its white space was laid out."""
    shown = " ".join(next((one.text for one in trace.layers if one.name == layer), "").split())
    return " ".join(clean_text(text).split()) in shown


def _lore_word(trace: PromptTrace, number: str) -> Word:
    """Return the last verdict on an entry."""
    story = trace.lorebook
    if story is None:
        return say("disabled", layer="lorebook")
    for verdict in reversed(story["verdicts"]):
        if entry_id(verdict["book"], verdict["uid"]) == number:
            outcome = Outcome(verdict["verdict"] == "in", Reason(verdict["reason"]), verdict["detail"])
            code = "in" if outcome.accepted else f"lore:{outcome.reason.value}"
            return Word(code, sentence(outcome), dict(verdict["detail"]))
    return say("unexplained" if story.get("unexplained") else "unknown")


def _entries(trace: PromptTrace) -> list[Named]:
    verdicts = trace.lorebook["verdicts"] if trace.lorebook is not None else []
    return [Named(LORE, entry_id(one["book"], one["uid"]), str(one["entry"])) for one in verdicts]
