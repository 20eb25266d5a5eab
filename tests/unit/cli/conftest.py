"""A double of the gate: a real vault with a cheap key, a profile in memory, and a scripted conversation."""

from __future__ import annotations

import io
import json
from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from familiar_app.cli.main import run_command
from familiar_app.cli.output import Output
from familiar_app.cli.parser import parse
from familiar_app.conversation.event import ReplyDelta, ReplyFailed, ReplyStored, StayedSilent, UserTurnStored
from familiar_app.domain.card import CharacterCard
from familiar_app.domain.chat import ModelInfo
from familiar_app.domain.clock import FixedClock
from familiar_app.domain.contact import Contacts
from familiar_app.domain.errors import FamiliarError, LockedError
from familiar_app.domain.ids import FamiliarId, ego_key
from familiar_app.domain.settings import BackupSettings, CharacterConfig
from familiar_app.domain.trace import LayerTrace, LeftOut, PromptTrace, TracedMessage
from familiar_app.domain.turn import Author, Channel, NewTurn, Role
from familiar_app.models.network import NetworkPolicy
from familiar_app.projectors.status import ProjectorStatus
from familiar_app.store.backup_keeper import BackupKeeper
from familiar_app.store.keys import KdfCost
from familiar_app.store.lore_place import LorePlace
from familiar_app.store.vault import Vault
from tests.doubles.talk import make_config

NOW = datetime(2026, 1, 1, 12, tzinfo=UTC)
PASSPHRASE = "correct horse"
LINEAGE = "0b5c2d4e-1f7a-4c3b-9d8e-6a5f4e3d2c1b"
INFO = ModelInfo("scripted", "answers.jsonl", 4096, local=True, exact_tokens=False)


class FakeProfile:
    """The files of a profile, in memory."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.vault_path = root / "vault.db"
        self.cards: dict[FamiliarId, CharacterCard] = {}
        self.avatars: dict[FamiliarId, bytes] = {}
        self.kept: dict[FamiliarId, bytes | None] = {}
        backup = BackupSettings(every_hours=0, folder="backups", keep_daily=1, keep_weekly=0, keep_monthly=0)
        self.values: dict[str, Any] = {
            "last_familiar": None,
            "owner_name": "Robin",
            "remember_key": False,
            "backup": backup,
        }

    def exists(self) -> bool:
        return self.vault_path.exists()

    def familiars(self) -> list[FamiliarId]:
        return list(self.cards)

    def card(self, familiar: FamiliarId) -> CharacterCard:
        return self.cards[familiar]

    def avatar(self, familiar: FamiliarId) -> Path | None:
        return None

    def save_avatar(self, familiar: FamiliarId, png: bytes) -> None:
        self.avatars[familiar] = png

    def kept_card(self, familiar: FamiliarId) -> bytes | None:
        return self.kept.get(familiar)

    def save_kept_card(self, familiar: FamiliarId, kept: bytes | None) -> None:
        self.kept[familiar] = kept

    def save_card(self, familiar: FamiliarId, card: CharacterCard) -> None:
        self.cards[familiar] = card

    def lorebook(self, familiar: FamiliarId) -> Path:
        return self.root / f"{familiar}.lorebook.toml"

    def lorebooks(self, familiar: FamiliarId) -> tuple[LorePlace, ...]:
        path = self.lorebook(familiar)
        return (LorePlace(path, "familiar"),) if path.exists() else ()

    def settings(self) -> SimpleNamespace:
        return SimpleNamespace(**self.values)

    def config(self, familiar: FamiliarId) -> CharacterConfig:
        return make_config()

    def save_settings(self, changes: Mapping[str, Any]) -> None:
        self.values |= changes


@dataclass
class FakeConversation:
    """Stores what is said in the real vault, and answers as told: a text, None for silence, or an error."""

    vault: Vault
    familiar: FamiliarId
    answer: str | FamiliarError | None = "Hello you."

    async def say(self, channel: Channel, text: str, author: Author) -> AsyncIterator[object]:
        user = NewTurn(channel.id, Role.USER, text, NOW, author=author)
        stored, _ = await self.vault.turns.append(user)
        yield UserTurnStored(stored)
        if stored.deleted:
            yield StayedSilent(None, "The message was not kept.")
            return
        if isinstance(self.answer, FamiliarError):
            yield ReplyFailed(self.answer, retryable=False)
            return
        trace = await self.vault.traces.put(prompt_trace(self.familiar, text, answer=self.answer))
        if self.answer is None:
            yield StayedSilent(trace)
            return
        for piece in (self.answer[:4], self.answer[4:]):
            yield ReplyDelta(piece)
        own = Author(ego_key(self.familiar), "Aria")
        reply = NewTurn(
            channel.id, Role.ASSISTANT, self.answer, NOW, author=own, familiar=self.familiar, answers=stored.id
        )
        turn, _ = await self.vault.turns.append(reply, trace=trace)
        yield ReplyStored(turn, trace)


def prompt_trace(familiar: str, text: str, answer: str | None = None) -> PromptTrace:
    return PromptTrace(
        familiar=familiar,
        channel="local:main",
        mode="text",
        purpose="reply",
        at=NOW,
        model="answers.jsonl",
        provider="scripted",
        context_tokens=4096,
        answer_tokens=400,
        tokens=7,
        exact_tokens=False,
        messages=(TracedMessage(role="user", content=text, layer="recent_history"),),
        layers=(
            LayerTrace(
                name="recent_history",
                key="k",
                cached=False,
                tokens=7,
                ms=0.1,
                text=text,
                left_out=(LeftOut(what="turn 1", tokens=3, reason="no room"),),
            ),
        ),
        sampling={"temperature": 0.7},
        answer=answer,
    )


async def prepare() -> ModelInfo:
    return INFO


class FakeAssembler:
    """Makes a prompt of the pending text alone, and remembers the requests."""

    def __init__(self, familiar: FamiliarId) -> None:
        self.familiar = familiar
        self.requests: list[Any] = []

    async def assemble(self, request: Any) -> SimpleNamespace:
        self.requests.append(request)
        return SimpleNamespace(trace=prompt_trace(self.familiar, request.pending))


class FakeProjectors:
    """Tells of one projector, which failed twice."""

    async def status(self) -> list[ProjectorStatus]:
        return [ProjectorStatus("rich_note", 7, 3, NOW, None, failures=2)]


@dataclass
class FakeGate:
    """Implements `services.Gate` as far as commands use it."""

    profile: FakeProfile
    opened: Any = None
    closed: int = 0
    tried: list[str] = field(default_factory=list)
    code: str | None = None

    @property
    def state(self) -> str:
        if self.opened is not None:
            return "open"
        return "locked" if self.profile.exists() else "new"

    @property
    def services(self) -> Any:
        if self.opened is None:
            raise LockedError("not open")
        return self.opened

    async def create(self, passphrase: str, familiar: Any, *, recovery_code: str, remember: bool) -> Any:
        self.code = recovery_code
        cost = KdfCost(1, 8 * 1024, 1)
        vault = await Vault.create(
            self.profile.vault_path, passphrase, recovery_code=recovery_code, clock=FixedClock(NOW), cost=cost
        )
        self._use(vault)
        await self.add_familiar(familiar)
        return self.opened

    async def unlock(self, *, passphrase: str | None = None, keyring: bool = False) -> Any:
        self.tried.append("keyring" if keyring else "passphrase")
        if keyring:
            raise LockedError("no keyring")
        self._use(await Vault.open(self.profile.vault_path, clock=FixedClock(NOW), passphrase=passphrase))
        return self.opened

    def _use(self, vault: Vault) -> None:
        network = NetworkPolicy(local_only=False, contacts=Contacts(FixedClock(NOW)))
        self.opened = SimpleNamespace(
            profile=self.profile, vault=vault, network=network, clock=FixedClock(NOW), familiars={}, broken={}
        )
        self.opened.backups = BackupKeeper(vault, self.profile, self.opened.clock)  # type: ignore[arg-type]
        for familiar in self.profile.familiars():
            self._host(familiar)

    def _host(self, familiar: FamiliarId) -> SimpleNamespace:
        model = SimpleNamespace(info=INFO, prepare=prepare)
        assembler = FakeAssembler(familiar)
        hosted = self.opened.familiars[familiar] = SimpleNamespace(
            id=familiar,
            name=self.profile.cards[familiar].name,
            config=make_config(f'lineage = "{LINEAGE}"\n[budget.text]\nmax_rag_items = 0\n'),
            embedder=None,
            prose=model,
            background=model,
            assembler=assembler,
            inspector=assembler,
            conversation=FakeConversation(self.opened.vault, familiar),
            projectors=FakeProjectors(),
        )
        return hosted

    async def add_familiar(self, familiar: Any) -> Any:
        chosen = familiar.id or FamiliarId(familiar.card.name.lower())
        self.profile.cards[chosen] = replace(familiar.card)
        if familiar.avatar_png is not None:
            self.profile.save_avatar(chosen, familiar.avatar_png)
        if familiar.card_kept is not None:
            self.profile.save_kept_card(chosen, familiar.card_kept)
        if familiar.lorebook_toml is not None:
            self.profile.lorebook(chosen).write_bytes(familiar.lorebook_toml)
        return self._host(chosen)

    async def close(self) -> None:
        self.closed += 1
        if self.opened is not None:
            await self.opened.vault.close()


@dataclass
class Ran:
    """How a command ended and what it printed."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        assert self.out.count("\n") == 1
        return json.loads(self.out)


class Program:
    """Runs commands against one profile; each on a gate of its own, as each is a process of its own."""

    def __init__(self, root: Path) -> None:
        self.profile = FakeProfile(root)
        self.gate = FakeGate(self.profile)
        self.answer: str | FamiliarError | None = "Hello you."

    async def __call__(self, *argv: str) -> Ran:
        self.gate = FakeGate(self.profile)
        stdout, stderr = io.StringIO(), io.StringIO()
        args = parse(argv)
        use, answer = self.gate._use, self.answer

        def with_answer(vault: Vault) -> None:
            use(vault)
            for hosted in self.gate.opened.familiars.values():
                hosted.conversation.answer = answer

        self.gate._use = with_answer  # type: ignore[method-assign]
        code = await run_command(args, self.gate, Output(args.json, stdout, stderr))  # type: ignore[arg-type]
        assert self.gate.closed == 1
        return Ran(code, stdout.getvalue(), stderr.getvalue())


@pytest.fixture
def new_program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Program:
    """A program without a profile."""
    monkeypatch.setenv("FAMILIAR_PASSPHRASE", PASSPHRASE)
    return Program(tmp_path / "profile")


@pytest.fixture
async def program(new_program: Program) -> Program:
    """A program with a profile and the familiar Aria."""
    assert (await new_program("init", "--name", "Aria")).code == 0
    return new_program
