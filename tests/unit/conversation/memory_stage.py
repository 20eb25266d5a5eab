"""A vault, a familiar's memory tools, and the people of a server who call them."""

from __future__ import annotations

import struct
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from familiar_app.conversation.memory_tool import MemoryTools, keeper_of
from familiar_app.domain.clock import FixedClock
from familiar_app.domain.embedding import Vector
from familiar_app.domain.errors import OutsideError
from familiar_app.domain.ids import OWNER, ChannelKey, FamiliarId, Lineage, PersonKey
from familiar_app.domain.privacy import PrivacyLevel
from familiar_app.domain.saved_memory.keeper import Keeper, Wording
from familiar_app.domain.saved_memory.memory import MemoryPlace, SavedMemory, Scope
from familiar_app.domain.saved_memory.notice import ChannelNotice, MemoryNotice
from familiar_app.domain.saved_memory.request import ToolContext
from familiar_app.domain.saved_memory.status import SAVE_TOOL, UPDATE_TOOL, ToolResult
from familiar_app.domain.saved_memory.target import ChatPerson
from familiar_app.domain.settings import CharacterConfig, parse_config
from familiar_app.store.saved_memory import MemoryQuestion
from familiar_app.store.vault import Vault

NOON = datetime(2024, 5, 1, 12, tzinfo=UTC)
MIRA = FamiliarId("mira")
LINEAGE = Lineage("5d1f6e7c-8f4e-4f6c-9f3e-0a1b2c3d4e5f")
ANN = ChatPerson(PersonKey("discord:1"), "Ann", "ann")
BEN = ChatPerson(PersonKey("discord:2"), "Ben", "ben")
SERVER = "discord:100"
CHANNEL = ChannelKey("discord:10")
_DEFAULTS = Path(__file__).parents[3] / "resources" / "defaults" / "character.toml"


def make_config(**changes: Any) -> CharacterConfig:
    shipped = tomllib.loads(_DEFAULTS.read_text(encoding="utf-8"))
    return parse_config([("shipped", shipped), ("test", {"lineage": LINEAGE, "saved_memories": changes})])


@dataclass
class Told:
    """A sink for notices and metrics that remembers what it was told; `error` is raised instead."""

    notices: list[tuple[MemoryNotice, ChannelNotice | None]] = field(default_factory=list)
    metrics: list[tuple[str, dict[str, Any]]] = field(default_factory=list)
    error: Exception | None = None

    async def show(self, notice: MemoryNotice, in_channel: ChannelNotice | None, context: ToolContext) -> None:
        if self.error is not None:
            raise self.error
        self.notices.append((notice, in_channel))

    def count(self, name: str, **labels: Any) -> None:
        self.metrics.append((name, labels))


@dataclass
class LetterEmbedder:
    """Texts with the same first letter are near each other. Fails where told so."""

    fails: bool = False
    asked: list[str] = field(default_factory=list)

    @property
    def name(self) -> str:
        return "letters"

    async def embed(self, texts: Sequence[str]) -> list[Vector]:
        if self.fails:
            raise OutsideError("The embedder failed.")
        self.asked += texts
        return [_vector(text) for text in texts]

    async def close(self) -> None:
        return


def _vector(text: str) -> Vector:
    place = ord((text.strip() or " ")[0].lower()) % 32
    return Vector(32, struct.pack("<32f", *(1.0 if n == place else 0.0 for n in range(32))))


@dataclass
class Stage:
    """One familiar's tools on a vault of its own."""

    vault: Vault
    clock: FixedClock
    config: CharacterConfig = field(default_factory=make_config)
    told: Told = field(default_factory=Told)
    embedder: LetterEmbedder | None = None
    context: ToolContext = field(
        default_factory=lambda: ToolContext(
            MIRA, "Mira", LINEAGE, SERVER, CHANNEL, ANN, participants=(ANN, BEN), guild=SERVER
        )
    )

    @property
    def tools(self) -> MemoryTools:
        return MemoryTools(self.vault.saved_memories, self.config.saved_memories, self.embedder, self.told, self.told)

    @property
    def keeper(self) -> Keeper:
        return keeper_of(MIRA, self.config)

    async def save(self, content: Any, target: Any = None, scope: Any = None, **context: Any) -> ToolResult:
        chosen = scope or ("server_wide" if target is None else "target_user")
        arguments = {"memory_content": content, "memory_scope": chosen, "target_user": target}
        return await self.tools.call(SAVE_TOOL, arguments, replace(self.context, **context))

    async def update(self, number: Any, content: Any, target: Any = None, **context: Any) -> ToolResult:
        arguments = {"memory_id": number, "memory_content": content, "target_user": target}
        return await self.tools.call(UPDATE_TOOL, arguments, replace(self.context, **context))

    async def add(self, content: str, place: MemoryPlace | None = None, tags: Sequence[str] = ()) -> SavedMemory:
        wording = Wording(place or self.server, content, tuple(tags))
        return await self.vault.saved_memories.add(self.keeper, wording, by=OWNER)

    async def private(self, person: ChatPerson, level: PrivacyLevel) -> None:
        assert person.key is not None
        await self.vault.privacy.set(person.key, level, familiar=MIRA, by=person.key)

    async def texts(self, **question: Any) -> list[str]:
        return [one.content for one in await self.vault.saved_memories.list(MemoryQuestion(LINEAGE, **question))]

    def wait(self, **span: float) -> None:
        self.clock.instant += timedelta(**span)

    @property
    def server(self) -> MemoryPlace:
        return MemoryPlace(Scope.SERVER, SERVER, LINEAGE)

    def about(self, person: ChatPerson, lineage: Lineage = LINEAGE) -> MemoryPlace:
        return MemoryPlace(Scope.PERSONAL, str(person.key), lineage)

    async def dump(self, *tables: str) -> dict[str, list[Any]]:
        """Everything in the vault, or in some tables."""

        def work(connection: Any) -> dict[str, list[Any]]:
            names = tables or [
                name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")
            ]
            return {name: connection.execute(f"SELECT * FROM {name}").fetchall() for name in names}

        return await self.vault.saved_memories._engine.read(work)

    async def sql(self, *statements: str) -> None:
        """Do something by hand in the vault, as an owner might."""

        def work(connection: Any) -> None:
            for statement in statements:
                connection.execute(statement)

        await self.vault.saved_memories._engine.write(work)
