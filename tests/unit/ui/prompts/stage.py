"""A vault with prompts to look at, and an inspector that says what a test wants."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Mapping
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from familiar_app.conversation.inspector import Piece, Tried
from familiar_app.domain.clock import FixedClock
from familiar_app.domain.errors import FamiliarError
from familiar_app.domain.ids import OWNER, ChannelKey, FamiliarId, ego_key
from familiar_app.domain.ranking import Candidate, Weights, rank
from familiar_app.domain.task import TaskRegistry
from familiar_app.domain.trace import LayerTrace, LeftOut, PromptTrace, TracedMessage
from familiar_app.domain.turn import Author, NewTurn, Role, Turn
from familiar_app.domain.variation import UNCHANGED, Variation
from familiar_app.store.keys import new_recovery_code
from familiar_app.store.vault import Vault

MIRA = FamiliarId("mira")
START = datetime(2026, 11, 2, 18, 0, tzinfo=UTC)
WEIGHTS = Weights(
    bm25=1.0, recency=0.0, importance=0.6, embedding=0.0, nearness=0.0, named=0.25, neighbours=0.2, facts=0.5
)
CARD = "You are Mira, keeper of a lighthouse.\n\nYou speak softly, and of the sea."
LORE = "The lamp was dark for nine nights in the winter of the long fog. 🕯"
MEMORY = "What comes to mind:\n- Jo's sister Ada sails on the Heron. (fact 7)\n- Jo asked about the ninth night."
LORE_TRACE: dict[str, Any] = {
    "files": ["lorebook.toml"],
    "rules": "default",
    "activated": ["The dark nights"],
    "passes": 1,
    "budget_tokens": 800,
    "used_tokens": 21,
    "places": [{"entry": "The dark nights", "book": "Harbour", "uid": "1", "shown": "section"}],
    "verdicts": [
        {
            "entry": "The Heron",
            "book": "Harbour",
            "uid": "2",
            "pass": 1,
            "verdict": "out",
            "reason": "no-match",
            "detail": {"nearest": {"kind": "case", "key": "Heron"}},
        },
        {
            "entry": "The market",
            "book": "Harbour",
            "uid": "3",
            "pass": 1,
            "verdict": "out",
            "reason": "no-match",
            "detail": {},
        },
        {
            "entry": "The dark nights",
            "book": "Harbour",
            "uid": "1",
            "pass": 1,
            "verdict": "in",
            "reason": "key",
            "detail": {"key": "lamp", "where": "message", "index": 0},
        },
    ],
    "unexplained": 0,
}


def candidates(count: int = 6, kept: int = 2) -> tuple[dict[str, Any], ...]:
    """Return facts as a trace keeps them, in the order of `WEIGHTS`; one more was held back."""
    texts = ["Jo's sister Ada sails on the Heron.", "Jo fears the ninth night.", "Jo keeps bees."]
    found = [
        Candidate(
            key=("fact", 7 + number),
            order=100 - number,
            bm25=float(count - number),
            importance=(number * 3) % 11,
            cosine=0.1 * (number % 7),
        )
        for number in range(count)
    ]
    shapes = []
    for place, one in enumerate(rank(found, WEIGHTS)):
        number = one.key[1] - 7
        shapes.append(
            {
                "kind": "fact",
                "id": one.key[1],
                "text": texts[number] if number < len(texts) else f"Something else that Jo said, number {number}.",
                "score": one.score,
                "signals": {
                    name: {"raw": signal.raw, "normalised": signal.normalised, "weight": signal.weight}
                    for name, signal in one.signals.items()
                },
                "kept": place < kept,
                "why": "kept" if place < kept else "score",
                "tokens": 12,
            }
        )
    held = {"kind": "fact", "id": 999, "text": "Ada is ill.", "score": 0.0, "signals": {}, "kept": False}
    return (*shapes, {**held, "why": "audience"})


def reply_trace(at: datetime, *, turn: int = 1, **changes: Any) -> PromptTrace:
    """Return the trace of a reply with five layers, memory and a lorebook."""
    fields: dict[str, Any] = {
        "familiar": "mira",
        "channel": "local:main",
        "mode": "text",
        "purpose": "reply",
        "at": at,
        "model": "SmolLM2-135M",
        "provider": "llama_cpp",
        "context_tokens": 8192,
        "answer_tokens": 512,
        "tokens": 1240,
        "exact_tokens": True,
        "messages": (
            TracedMessage(role="system", content=CARD, layer="character_card"),
            TracedMessage(role="system", content="\n\n" + LORE, layer="lorebook", joined=True),
            TracedMessage(role="system", content="\n\n" + MEMORY, layer="retrieved_context", joined=True),
            TracedMessage(role="user", content="[18:00 Jo] Good evening", layer="recent_history", turn=turn),
            TracedMessage(role="assistant", content="The lamp is lit, Jo.", layer="recent_history", turn=turn + 1),
            TracedMessage(role="user", content="[18:02 Jo] And the Heron?", layer="recent_history", turn=turn + 2),
            TracedMessage(role="user", content="\n\n(It is evening.)", layer="final_reminder", joined=True),
        ),
        "layers": (
            _layer("character_card", 400, CARD, budget=3000, cached=True),
            _layer("lorebook", 21, LORE, budget=800),
            _layer("retrieved_context", 64, MEMORY, budget=2400),
            _layer(
                "recent_history",
                700,
                "[18:00 Jo] Good evening\nThe lamp is lit, Jo.\n[18:02 Jo] And the Heron?",
                budget=8000,
                left_out=(LeftOut(what="12 turns before turn 1", tokens=640, reason="older than the room allows"),),
            ),
            _layer("final_reminder", 12, "It is evening.", budget=200),
        ),
        "sampling": {"temperature": 0.8, "top_p": 0.95, "seed": None},
        "candidates": candidates(),
        "lorebook": LORE_TRACE,
        "sent": '{"model":"SmolLM2-135M"}',
        "usage": {"prompt_tokens": 1240, "completion_tokens": 9, "first_token_ms": 300.0, "total_ms": 2300.0},
        "ms": 2300.0,
        "answer": "She came in with the tide.",
        "turn_id": turn + 2,
        "ranking": {"speakers": 2.0, "weights": asdict(WEIGHTS)},
    }
    return PromptTrace(**{**fields, **changes})


def long_trace(at: datetime, **changes: Any) -> PromptTrace:
    """Return the trace of a reply in which all twelve layers have something to say."""
    taken = {
        "character_card": 612,
        "operating_mode": 48,
        "lorebook": 790,
        "saved_memories": 96,
        "conversation_summary": 430,
        "reflections": 118,
        "people_dossiers": 260,
        "retrieved_context": 540,
        "recent_history": 3210,
        "attention": 34,
        "platform": 22,
        "final_reminder": 12,
    }
    fields: dict[str, Any] = {
        "messages": tuple(
            TracedMessage(role="system", content=f"\n\nWhat {name} says.", layer=name, joined=bool(number))
            for number, name in enumerate(taken)
        ),
        "layers": tuple(
            _layer(name, tokens, f"What {name} says.", budget=800 if tokens < 800 else 8000)
            for name, tokens in taken.items()
        ),
        "tokens": sum(taken.values()),
    }
    return reply_trace(at, **{**fields, **changes})


def background_trace(at: datetime, purpose: str = "rich_note") -> PromptTrace:
    """Return the trace of a projector's request."""
    return reply_trace(
        at,
        purpose=purpose,
        channel="",
        layers=(),
        candidates=(),
        lorebook=None,
        messages=(
            TracedMessage(role="system", content="Note what is said.", layer="instruction"),
            TracedMessage(role="user", content="Jo: Ada sails on the Heron.", layer="material"),
        ),
        tokens=80,
        usage=None,
        ms=None,
    )


def _layer(
    name: str, tokens: int, text: str, *, budget: int, cached: bool = False, left_out: tuple[LeftOut, ...] = ()
) -> LayerTrace:
    return LayerTrace(
        name=name, key="k", cached=cached, tokens=tokens, ms=1.5, text=text, budget_tokens=budget, left_out=left_out
    )


def varied(trace: PromptTrace, variation: Variation) -> PromptTrace:
    """Return a trace as it would be with layers left out or in another order; system layers alone change places."""
    order = variation.layers(tuple(one.name for one in trace.layers))
    layers = {one.name: one for one in trace.layers}
    heads = [name for name in order if any(m.layer == name and m.role == "system" for m in trace.messages)]
    parts: list[TracedMessage] = []
    for name in heads:
        text = layers[name].text
        parts.append(
            TracedMessage(role="system", content="\n\n" + text if parts else text, layer=name, joined=bool(parts))
        )
    parts += [one for one in trace.messages if one.role != "system" and one.layer in order]
    return trace.model_copy(
        update={
            "id": None,
            "messages": tuple(parts),
            "layers": tuple(layers[name] for name in order),
            "variation": variation.to_json(),
            "answer": None,
            "sent": None,
            "usage": None,
        }
    )


class DoubleInspector:
    """Varies stored traces as they are; answers with the names of the layers it was given."""

    def __init__(self, vault: Vault) -> None:
        self.vault = vault
        self.asked: list[Variation] = []
        self.gate = asyncio.Event()
        self.gate.set()
        self.error: FamiliarError | None = None
        self.model_error = ""
        self.things: list[Any] = []

    async def again(self, trace: int, variation: Variation = UNCHANGED) -> Any:
        if self.error is not None:
            raise self.error
        self.asked.append(variation)
        found = await self.vault.traces.get(trace)
        return SimpleNamespace(trace=varied(found, variation))

    async def ask(self, prompt: Any) -> AsyncGenerator[Piece | Tried, None]:
        said = ["I", " read", *(f" {one.name}" for one in prompt.trace.layers)]
        for piece in said:
            yield Piece(piece)
        await self.gate.wait()
        update: dict[str, Any] = {"answer": "".join(said), "usage": {"completion_tokens": len(said)}}
        if self.model_error:
            update = {"error": self.model_error}
        yield Tried(prompt.trace.model_copy(update=update))

    async def find(self, trace: int, text: str, *, limit: int = 20) -> list[Any]:
        return [one for one in self.things if text.casefold() in one.text.casefold()][:limit]

    async def why_not(self, trace: int, kind: str, number: int | str) -> Any:
        told = f"{kind} {number} was out-ranked."
        return SimpleNamespace(kind=kind, id=number, code="outranked", sentence=told, detail={})

    async def would_say(self, channel: Any, text: str) -> Any:
        kept = {"kind": "fact", "id": 7, "text": "Ada sails on the Heron.", "why": "kept"}
        held = {"kind": "fact", "id": 999, "text": "Ada is ill.", "why": "audience"}
        return SimpleNamespace(kept=(kept,), held_back=(held,) if channel.key != "local:main" else ())


@dataclass
class Stage:
    """What the panel stands on. `clock` is the test's own."""

    vault: Vault
    clock: FixedClock
    services: SimpleNamespace
    inspector: DoubleInspector
    errors: list[BaseException] = field(default_factory=list)
    turns: list[Turn] = field(default_factory=list)

    @property
    def tasks(self) -> TaskRegistry:
        return self.services.tasks

    async def fill(self, replies: int = 3, *, background: int = 1) -> list[int]:
        """Store a conversation and as many traces; returns their ids, oldest first."""
        channel = await self.vault.channels.ensure(ChannelKey("local:main"), familiar=MIRA, title="Main")
        await self.vault.channels.ensure(ChannelKey("local:crew"), familiar=MIRA, title="The crew")
        for number, text in enumerate(("Good evening", "The lamp is lit, Jo.", "And the Heron?")):
            own = number % 2 == 0
            author = Author(OWNER, "Jo") if own else Author(ego_key(MIRA), "Mira")
            new = NewTurn(channel.id, Role.USER if own else Role.ASSISTANT, text, START, author=author)
            self.turns.append((await self.vault.turns.append(new))[0])
        first = self.turns[0].id
        ids = []
        for number in range(replies):
            at = START + timedelta(minutes=number)
            ids.append(await self.vault.traces.put(reply_trace(at, turn=first, tokens=1240 + number)))
        for number in range(background):
            at = START + timedelta(hours=1, minutes=number)
            ids.append(await self.vault.traces.put(background_trace(at)))
        return [int(one) for one in ids]

    async def rows(self) -> Mapping[str, int]:
        """Count everything that must not grow by looking."""
        traces = await self.vault.traces.list(limit=10_000)
        turns = await self.vault.turns.page(self.turns[0].channel, limit=1000)
        return {"traces": len(traces), "turns": len(turns)}


async def make_stage(folder: Path, *, now: datetime | None = None) -> Stage:
    """Make a vault and the panel's surroundings in a folder."""
    clock = FixedClock(now or START + timedelta(hours=2))
    vault = await Vault.create(folder / "vault.db", "correct horse", recovery_code=new_recovery_code(), clock=clock)
    inspector = DoubleInspector(vault)
    errors: list[BaseException] = []
    config = SimpleNamespace(
        display=SimpleNamespace(zone=lambda: UTC),
        memory=SimpleNamespace(retrieval=SimpleNamespace(weights=lambda: WEIGHTS)),
    )
    hosted = SimpleNamespace(id=MIRA, name="Mira", config=config, inspector=inspector)
    services = SimpleNamespace(
        vault=vault,
        clock=clock,
        tasks=TaskRegistry(lambda _name, error: errors.append(error)),
        familiars={MIRA: hosted},
    )
    return Stage(vault, clock, services, inspector, errors)
