"""A vault with channels and people, and a background model that answers as told."""

from __future__ import annotations

import json
import tomllib
from collections.abc import AsyncGenerator, Callable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from familiar_app.domain.chat import ChatEvent, ChatRequest, Finished, Message, ModelInfo, RequestSent, TextDelta, Usage
from familiar_app.domain.clock import FixedClock
from familiar_app.domain.errors import OutsideError
from familiar_app.domain.fact import Fact
from familiar_app.domain.ids import MAIN_CHANNEL, ChannelKey, FamiliarId, PersonKey, TurnId, ego_key
from familiar_app.domain.settings import CharacterConfig, parse_config
from familiar_app.domain.turn import Author, Channel, NewTurn, Role
from familiar_app.projectors.port import Desk
from familiar_app.store.vault import Vault

NOON = datetime(2024, 5, 1, 12, tzinfo=UTC)
MIRA = FamiliarId("mira")
EGO = ego_key(MIRA)
ANN = Author(PersonKey("discord:1"), "Ann", "ann")
BEN = Author(PersonKey("discord:2"), "Ben", "ben")
_DEFAULTS = Path(__file__).parents[3] / "resources" / "defaults" / "character.toml"
Reply = Callable[[ChatRequest], Any]


def make_config(text: str = "") -> CharacterConfig:
    shipped = tomllib.loads(_DEFAULTS.read_text(encoding="utf-8"))
    return parse_config([("shipped", shipped), ("character.toml", tomllib.loads(text))])


def lost() -> OutsideError:
    return OutsideError("The model did not answer in time.", "Try again.", retryable=True)


@dataclass
class ToldModel:
    """Answers with what is queued for a purpose; an exception is raised, a callable is asked. Fails where none is."""

    queues: dict[str, list[Any]] = field(default_factory=dict)
    requests: list[ChatRequest] = field(default_factory=list)
    context_tokens: int = 8192

    def tell(self, purpose: str, *answers: Any) -> None:
        self.queues.setdefault(purpose, []).extend(answers)

    def prompts(self, purpose: str) -> list[str]:
        return ["\n".join(m.content for m in one.messages) for one in self.requests if one.purpose == purpose]

    @property
    def info(self) -> ModelInfo:
        return ModelInfo("scripted", "told", self.context_tokens, local=True, exact_tokens=True)

    async def prepare(self) -> ModelInfo:
        return self.info

    async def stream(self, request: ChatRequest) -> AsyncGenerator[ChatEvent, None]:
        self.requests.append(request)
        yield RequestSent("{}")
        queue = self.queues.get(request.purpose)
        if not queue:
            raise OutsideError(f"Nobody told what to answer to {request.purpose}.")
        answer = queue.pop(0)
        if callable(answer):
            answer = answer(request)
        if isinstance(answer, Exception):
            raise answer
        yield TextDelta(answer if isinstance(answer, str) else json.dumps(answer))
        yield Finished("stop", Usage(100, 20))

    async def count_tokens(self, texts: Sequence[str]) -> list[int]:
        return [-(-len(text) // 4) for text in texts]

    async def count_prompt_tokens(self, messages: Sequence[Message]) -> int:
        return sum(len(message.content) // 4 for message in messages)

    async def close(self) -> None:
        return


@dataclass
class Scene:
    """One familiar's vault, in which tests speak."""

    vault: Vault
    clock: FixedClock
    channel: Channel
    model: ToldModel
    config: CharacterConfig

    @property
    def desk(self) -> Desk:
        return Desk(MIRA, "Mira", self.vault, self.model, self.config, self.clock)

    async def say(self, text: str, author: Author | None = ANN, **changes: Any) -> TurnId:
        """Append a turn; without an author the familiar speaks."""
        values: dict[str, Any] = {"channel": self.channel.id, "at": self.clock.now(), "role": Role.USER}
        if author is None:
            values |= {"role": Role.ASSISTANT, "familiar": MIRA, "author": Author(EGO, "Mira")}
        else:
            values["author"] = author
        turn, _ = await self.vault.turns.append(NewTurn(content=text, **{**values, **changes}))
        return turn.id

    async def talk(self, count: int, *, start: int = 1, **changes: Any) -> list[TurnId]:
        return [await self.say(f"remark {n}", **changes) for n in range(start, start + count)]

    async def hear(self, key: str, guild: str | None = "discord:g") -> Channel:
        return await self.vault.channels.ensure(ChannelKey(key), familiar=MIRA, title=key, guild=guild)

    def later(self, **span: float) -> datetime:
        self.clock.instant += timedelta(**span)
        return self.clock.instant

    async def beliefs(self) -> list[Fact]:
        """Every fact with all its beliefs, newest first."""
        return await self.vault.facts.page(MIRA, include_retired=True, limit=10_000)

    async def texts(self, **question: Any) -> list[str]:
        return [fact.text for fact in await self.vault.facts.page(MIRA, **question)]

    async def sql(self, statement: str) -> None:
        """Do something by hand in the vault, as an owner might."""
        await self.vault.projections._engine.write(lambda connection: connection.execute(statement).close())


async def main_channel(vault: Vault) -> Channel:
    return await vault.channels.ensure(MAIN_CHANNEL, familiar=MIRA)


def note(text: str, *sources: int, about: Sequence[str] = (), **more: Any) -> dict[str, Any]:
    return {"text": text, "source_turn_ids": list(sources), "subject_keys": list(about), **more}
