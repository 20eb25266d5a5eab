"""Small stand-ins for the vault and a language model, enough to assemble prompts and hold conversations."""

from __future__ import annotations

import asyncio
import itertools
import tomllib
from collections.abc import AsyncGenerator, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from familiar_app.domain.audience import Audience, AudienceMode
from familiar_app.domain.chat import (
    ChatEvent,
    ChatRequest,
    Finished,
    Message,
    ModelInfo,
    RequestSent,
    TextDelta,
    ToolCall,
    ToolCallRequested,
    Usage,
)
from familiar_app.domain.embedding import Embedder
from familiar_app.domain.ids import OWNER, ChannelId, ChannelKey, FamiliarId, PersonKey, TraceId, TurnId, ego_key
from familiar_app.domain.projection import Reflection, Summary
from familiar_app.domain.recall import Recall, Recalled
from familiar_app.domain.settings import CharacterConfig, parse_config
from familiar_app.domain.trace import PromptTrace
from familiar_app.domain.turn import Author, Channel, NewTurn, Role, Turn
from familiar_app.store.portrait import Glimpse, Portrait
from familiar_app.store.written import Moment

START = datetime(2024, 5, 1, 12, 30, tzinfo=UTC)
MIRA = FamiliarId("mira")
ANN = Author(OWNER, "Ann")
BEN = Author(PersonKey("discord:2"), "Ben")
LOCAL = Channel(ChannelId(1), ChannelKey("local:main"), MIRA, "Main")
GENERAL = Channel(ChannelId(2), ChannelKey("discord:10"), None, "general", guild="discord:1")

_DEFAULTS = Path(__file__).parents[2] / "resources" / "defaults" / "character.toml"


def make_config(text: str = "") -> CharacterConfig:
    shipped = tomllib.loads(_DEFAULTS.read_text(encoding="utf-8"))
    zone = {"display": {"timezone": "UTC"}}
    return parse_config([("shipped", shipped), ("zone", zone), ("character.toml", tomllib.loads(text))])


class FakeTurns:
    def __init__(self, traces: FakeTraces) -> None:
        self.rows: list[Turn] = []
        self.reads = 0
        self._traces = traces
        self._ids = itertools.count(1)

    def add(self, author: Author | None, content: str, *, channel: Channel = LOCAL, **more: Any) -> Turn:
        own = author is None and more.get("role") is None
        turn = Turn(
            id=TurnId(next(self._ids)),
            channel=channel.id,
            channel_key=channel.key,
            role=more.pop("role", Role.ASSISTANT if own else Role.USER),
            content=content,
            at=more.pop("at", START + timedelta(minutes=len(self.rows))),
            arrived_at=START,
            author=Author(ego_key(MIRA), "Mira") if own else author,
            familiar=more.pop("familiar", MIRA if own else None),
            **more,
        )
        self.rows.append(turn)
        return turn

    async def append(self, new: NewTurn, *, trace: TraceId | None = None) -> tuple[Turn, bool]:
        turn = Turn(
            id=TurnId(next(self._ids)),
            channel=new.channel,
            channel_key=LOCAL.key if new.channel == LOCAL.id else GENERAL.key,
            role=new.role,
            content=new.content,
            at=new.at,
            arrived_at=new.at,
            author=new.author,
            familiar=new.familiar,
            answers=new.answers,
            message_id=new.message_id,
            trace=trace,
            alternative=1 + sum(row.answers == new.answers for row in self.rows if new.answers is not None),
        )
        if new.answers is not None:
            self.rows = [
                replace(row, active=False) if row.answers == new.answers and row.active else row for row in self.rows
            ]
        self.rows.append(turn)
        if trace is not None:
            self._traces.linked[trace] = turn.id
        return turn, True

    async def get(self, turn: TurnId) -> Turn | None:
        return next((row for row in self.rows if row.id == turn), None)

    async def answers(self, turn: TurnId) -> list[Turn]:
        return [row for row in self.rows if row.answers == turn]

    async def count(self, channel: ChannelId | None = None) -> int:
        return sum(row.channel == channel for row in self.rows)

    async def count_said(self, channel: ChannelId, *, until: TurnId | None = None) -> int:
        own = [row for row in self.rows if row.channel == channel and row.role is Role.ASSISTANT and row.active]
        return sum(until is None or (row.answers or row.id - 1) < until for row in own)

    async def page(
        self, channel: ChannelId, *, before: TurnId | None = None, after: TurnId | None = None, limit: int = 100
    ) -> list[Turn]:
        self.reads += limit
        rows = [row for row in self.rows if row.channel == channel and row.active and row.role is not Role.OPERATOR]
        if after is not None:
            return [row for row in rows if row.id > after][:limit]
        return [row for row in rows if before is None or row.id < before][-limit:]


class FakeTraces:
    def __init__(self) -> None:
        self.rows: dict[TraceId, PromptTrace] = {}
        self.linked: dict[TraceId, TurnId] = {}

    async def put(self, trace: PromptTrace, *, keep: int = 500) -> TraceId:
        number = TraceId(len(self.rows) + 1)
        self.rows[number] = trace
        return number


class FakePeople:
    def __init__(self) -> None:
        self.names: dict[str, str] = {}

    async def label(self, key: PersonKey, *, guild: str | None = None) -> str:
        return self.names.get(key, "")

    async def labels(self, keys: Sequence[PersonKey], *, guild: str | None = None) -> dict[PersonKey, str]:
        return {key: self.names.get(key, "") for key in keys}


class FakeProjections:
    """Nothing was distilled yet, but what a test puts here."""

    def __init__(self) -> None:
        self.summaries: dict[ChannelId, Summary] = {}
        self.thoughts: list[Reflection] = []
        self.mentions: dict[TurnId, list[PersonKey]] = {}

    async def summary(self, familiar: FamiliarId, channel: ChannelId, *, moment: Moment) -> Summary | None:
        return self.summaries.get(channel)

    async def told_reflections(
        self,
        familiar: FamiliarId,
        channel: ChannelId,
        moment: Moment,
        audience: Audience,
        *,
        limit: int,
        held: int = 0,
    ) -> tuple[list[Reflection], list[Reflection]]:
        return [one for one in self.thoughts if one.channel in (None, channel)][:limit], []

    async def mentioned_in(self, turns: Sequence[TurnId]) -> list[PersonKey]:
        return [person for turn in reversed(turns) for person in self.mentions.get(turn, ())]


class FakePortraits:
    """Of nobody, but those whom a test puts here."""

    def __init__(self) -> None:
        self.texts: dict[PersonKey, str] = {}

    async def of(
        self,
        people: Sequence[PersonKey],
        glimpse: Glimpse,
        *,
        most_people: int,
        most_facts: int,
        before: Sequence[PersonKey] = (),
    ) -> list[Portrait]:
        portraits = [Portrait(one, self.texts[one]) for one in (*before, *people) if one in self.texts]
        return portraits[: most_people + len(before)]


class FakeRetrieval:
    """An index that has not been built yet."""

    async def look(
        self, request: Recall, embedder: Embedder | None = None, *, held: int = 0, beside: bool = False
    ) -> Recalled:
        return Recalled(ready=False)


class FakeAudiences:
    """Nobody has told who reads where."""

    async def of(self, familiar: FamiliarId, channel: Channel, mode: AudienceMode) -> Audience:
        return Audience(channel.id, mode)


class FakePrivacy:
    """Nobody wants anything left out."""

    async def levels(self) -> dict[PersonKey, str]:
        return {}


class FakeSavedMemories:
    """Nothing was ever saved."""

    async def shown(self, server: str, people: Sequence[PersonKey], lineage: str, *, at: object = None) -> Any:
        return [], []


class FakePersonPages:
    """Nobody has another identity here."""

    async def merged(self, _people: Sequence[PersonKey]) -> dict[PersonKey, Any]:
        return {}


class FakeAttention:
    """Every channel is attended to."""

    async def unread(self, _familiar: FamiliarId) -> list[Any]:
        return []


class FakeAlarms:
    """Nobody asked to be reminded of anything."""

    async def waiting(self, _familiar: FamiliarId, *, channel: object = None) -> list[Any]:
        return []


class FakeVault:
    def __init__(self) -> None:
        self.person_pages = FakePersonPages()
        self.attention = FakeAttention()
        self.alarms = FakeAlarms()
        self.saved_memories = FakeSavedMemories()
        self.privacy = FakePrivacy()
        self.retrieval = FakeRetrieval()
        self.audiences = FakeAudiences()
        self.portraits = FakePortraits()
        self.projections = FakeProjections()
        self.traces = FakeTraces()
        self.turns = FakeTurns(self.traces)
        self.people = FakePeople()


@dataclass
class FakeModel:
    """Answers with `deltas`, one per loop turn; an exception among them is raised, a ToolCall is requested.

    `surcharge_percent` makes a whole prompt cost more than its parts, as texts can that are tokenized together.
    """

    context_tokens: int = 8192
    deltas: Sequence[str | Exception | ToolCall] = ("Hello.",)
    characters_per_token: int = 4
    surcharge_percent: int = 0
    reason: str = "stop"
    requests: list[ChatRequest] = field(default_factory=list)
    counted: int = 0
    closed_early: int = 0
    gate: asyncio.Event | None = None
    prepare_error: Exception | None = None

    @property
    def info(self) -> ModelInfo:
        return ModelInfo("scripted", "fake", self.context_tokens, local=True, exact_tokens=True)

    async def prepare(self) -> ModelInfo:
        if self.prepare_error is not None:
            raise self.prepare_error
        return self.info

    async def count_tokens(self, texts: Sequence[str]) -> list[int]:
        self.counted += len(texts)
        return [-(-len(text) // self.characters_per_token) for text in texts]

    async def count_prompt_tokens(self, messages: Sequence[Message]) -> int:
        plain = 3 + sum(5 - (-len(one.content) // self.characters_per_token) for one in messages)
        return plain + plain * self.surcharge_percent // 100

    async def stream(self, request: ChatRequest) -> AsyncGenerator[ChatEvent, None]:
        self.requests.append(request)
        finished = False
        try:
            yield RequestSent("{}")
            for delta in self.deltas:
                await asyncio.sleep(0)
                if isinstance(delta, Exception):
                    finished = True
                    raise delta
                if isinstance(delta, ToolCall):
                    yield ToolCallRequested(delta)
                else:
                    yield TextDelta(delta)
            if self.gate is not None:
                await self.gate.wait()
            finished = True
            yield Finished("length" if self.reason == "length" else "stop", Usage(10, 5, 100.0, 600.0))
        finally:
            self.closed_early += not finished

    async def close(self) -> None:
        pass
