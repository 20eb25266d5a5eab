"""Handwritten stand-ins for what the window stands on: a gate, a vault, a log, a model. The profile is the real one."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from PySide6.QtWidgets import QPlainTextEdit, QWidget

from familiar_app.domain.card import CharacterCard
from familiar_app.domain.chat import ModelInfo
from familiar_app.domain.clock import FixedClock
from familiar_app.domain.errors import FamiliarError, LockedError
from familiar_app.domain.fact import Fact
from familiar_app.domain.ids import FamiliarId, familiar_id_from_name
from familiar_app.domain.model_catalogue import read_catalogue
from familiar_app.domain.model_spec import model_slot_from_spec
from familiar_app.domain.task import TaskRegistry
from familiar_app.models.model_library import ModelLibrary
from familiar_app.models.network import NetworkPolicy
from familiar_app.store.profile import Profile
from familiar_app.store.profile_list import ProfileList
from familiar_app.store.resource import resource
from familiar_app.ui.kit.action import Action
from familiar_app.ui.kit.desktop import Desktop
from familiar_app.ui.kit.label import column, label, surface
from familiar_app.ui.kit.panel import PanelContext, Place
from familiar_app.ui.kit.parts import WindowParts
from familiar_app.ui.kit.theme import Theme
from familiar_app.ui.log.panel import log_panel
from familiar_app.ui.settings.panel import settings_panel

NOON = datetime(2024, 5, 1, 12, tzinfo=UTC)
PASSPHRASE = "seven quiet lanterns drifting"


class MemoryTable:
    """`State` and `Secrets` of a vault, in memory."""

    def __init__(self) -> None:
        self.values: dict[str, Any] = {}

    async def get(self, key: str) -> Any:
        return self.values.get(key)

    async def set(self, key: str, value: Any) -> None:
        self.values[key] = value

    async def names(self) -> list[str]:
        return sorted(self.values)


class NobodyAsks:
    """No server asks people first."""

    async def opt_in_servers(self) -> frozenset[str]:
        return frozenset()


class NoFacts:
    """Remembers nothing."""

    async def page(self, _familiar: FamiliarId, **_question: object) -> list[Fact]:
        return []


class NoTurns:
    """A log that nobody writes."""

    def watch(self, _watcher: object) -> None:
        """Never has anything to tell."""

    def unwatch(self, _watcher: object) -> None:
        """Had nothing to tell."""


class DoubleVault:
    """Keeps what the window asks a vault to keep."""

    def __init__(self) -> None:
        self.state, self.secrets = MemoryTable(), MemoryTable()
        self.facts, self.turns = NoFacts(), NoTurns()
        self.privacy = NobodyAsks()
        self.passphrase, self.recovery_code = PASSPHRASE, ""

    async def confirm(self, secret: str) -> None:
        if secret not in (self.passphrase, self.recovery_code):
            raise LockedError("The passphrase is wrong.", "Check Caps Lock and the keyboard, or use the recovery code.")

    async def change_passphrase(self, new: str) -> None:
        self.passphrase = new

    async def replace_recovery_code(self, new: str) -> None:
        self.recovery_code = new


@dataclass
class DoubleModel:
    """Knows only what it is."""

    info: ModelInfo


@dataclass
class DoubleGate:
    """A gate over a real profile folder and a double of the vault.

    `fails` maps the name of a method to the error it raises next; `calls` has what was asked.
    """

    profile: Profile
    tasks: TaskRegistry
    vault: DoubleVault = field(default_factory=DoubleVault)
    state: str = "new"
    fails: dict[str, FamiliarError] = field(default_factory=dict)
    calls: list[tuple[str, Any]] = field(default_factory=list)
    delay_s: float = 0.0
    open_services: Any = None

    @property
    def services(self) -> Any:
        if self.open_services is None:
            raise LockedError("The vault is not open.", "Unlock it first.")
        return self.open_services

    async def create(self, passphrase: str, familiar: Any, *, recovery_code: str, remember: bool) -> Any:
        await self._called("create", (passphrase, familiar, recovery_code, remember))
        self.vault.passphrase, self.vault.recovery_code = passphrase, recovery_code
        self.add(familiar.card, familiar.model)
        return self._open()

    async def unlock(
        self, *, passphrase: str | None = None, recovery_code: str | None = None, keyring: bool = False
    ) -> Any:
        await self._called("unlock", (passphrase, recovery_code, keyring))
        if passphrase != self.vault.passphrase and recovery_code != self.vault.recovery_code:
            raise LockedError(
                "This passphrase does not open the vault.", "Check Caps Lock and the keyboard's language."
            )
        return self._open()

    async def add_familiar(self, familiar: Any) -> Any:
        await self._called("add_familiar", familiar)
        made = self.add(familiar.card, familiar.model)
        self.services.familiars[made] = self._host(made)
        return self.services.familiars[made]

    async def reload_familiar(self, familiar: FamiliarId) -> Any:
        await self._called("reload_familiar", familiar)
        self.services.familiars[familiar] = self._host(familiar)
        return self.services.familiars[familiar]

    async def set_local_only(self, on: bool) -> None:
        await self._called("set_local_only", on)
        self.profile.save_settings({"local_only": on})
        if self.open_services is not None:
            self.services.network.local_only = on

    async def close(self) -> None:
        self.calls.append(("close", None))
        self.open_services, self.state = None, "locked"

    def add(self, card: CharacterCard, model: str = "smollm2") -> FamiliarId:
        """Write a familiar's files."""
        made = familiar_id_from_name(card.name, frozenset(self.profile.familiars()))
        changes = {f"models.prose.{key}": value for key, value in model_slot_from_spec(model).items()}
        self.profile.add_familiar(made, card, changes, "00000000-0000-4000-8000-000000000001")
        return made

    def open_now(self) -> Any:
        """Be open without being asked."""
        return self._open()

    async def _called(self, name: str, what: Any) -> None:
        self.calls.append((name, what))
        if self.delay_s:
            await asyncio.sleep(self.delay_s)
        if name in self.fails:
            raise self.fails.pop(name)

    def _open(self) -> Any:
        self.state = "open"
        self.open_services = SimpleNamespace(
            profile=self.profile,
            vault=self.vault,
            clock=FixedClock(NOON),
            tasks=self.tasks,
            network=SimpleNamespace(local_only=self.profile.settings().local_only),
            familiars={familiar: self._host(familiar) for familiar in self.profile.familiars()},
            broken={},
            discord=None,
            backups=SimpleNamespace(listen=lambda _listener: lambda: None),
        )
        return self.open_services

    def _host(self, familiar: FamiliarId) -> Any:
        config = self.profile.config(familiar)
        slot = config.models.prose
        weak = slot.model == "smollm2"
        info = ModelInfo(slot.provider, "SmolLM2 135M" if weak else slot.model, 8192, not slot.base_url, True, weak)
        name = self.profile.card(familiar).name
        return SimpleNamespace(id=familiar, name=name, config=config, prose=DoubleModel(info))


@dataclass(frozen=True)
class DoubleLine:
    """One line of the log."""

    at: datetime
    level: int
    part: str
    text: str


class DoubleLog:
    """A ring of lines that tests fill."""

    def __init__(self, lines: Sequence[DoubleLine] = ()) -> None:
        self.lines = list(lines)
        self.listeners: list[Callable[[DoubleLine], None]] = []

    def records(self) -> list[DoubleLine]:
        return list(self.lines)

    def listen(self, listener: Callable[[DoubleLine], None]) -> Callable[[], None]:
        self.listeners.append(listener)
        return lambda: self.listeners.remove(listener)

    def write(self, line: DoubleLine) -> None:
        self.lines.append(line)
        for listener in self.listeners:
            listener(line)


def some_lines(count: int) -> list[DoubleLine]:
    """Make lines of every level, a second apart."""
    kinds = (
        (20, "store.vault", "the vault was opened in 412 ms"),
        (10, "models.llama_cpp", "the worker loaded the model, 8192 tokens of context"),
        (20, "conversation.exchange", "turn 41 was answered in 2210 ms, 87 tokens"),
        (30, "models.openai", "the endpoint asked to wait; trying again in 4 s"),
        (40, "models.openai", "no connection after 3 tries (OutsideError; openai.py:120 stream < exchange.py:88 say)"),
    )
    return [DoubleLine(NOON + timedelta(seconds=n), *kinds[n % len(kinds)]) for n in range(count)]


class DoublePanel:
    """A panel that only remembers what was asked of it."""

    def __init__(self, panel_id: str, title: str, icon: str, context: PanelContext) -> None:
        self.id, self.title, self.icon, self.context = panel_id, title, icon, context
        self.widget = surface(QWidget(), 1)
        self.widget.setAccessibleName(title)
        self.text = QPlainTextEdit()
        self.text.setAccessibleName(f"{title} text")
        layout = column(margins=16)
        layout.addWidget(label(title, "heading"))
        layout.addWidget(self.text)
        self.widget.setLayout(layout)
        self.asked: list[str] = []

    def actions(self) -> list[Action]:
        return [Action(f"{self.id}.new", f"New in {self.title}", lambda: self.asked.append("new"), "Ctrl+N", "plus")]

    def palette_entries(self) -> list[Action]:
        return [
            Action(f"{self.id}.{key}", f"{key} channel", lambda k=key: self.context.go_to(self.id, k), group="Channel")
            for key in ("garden", "kitchen")
        ]

    def activate(self) -> None:
        self.asked.append("activate")
        self.text.setFocus()

    def find(self) -> None:
        self.asked.append("find")

    def show_place(self, key: str) -> None:
        self.asked.append(f"show {key}")
        self.context.visit(Place(self.id, key, key))

    async def close(self) -> None:
        self.asked.append("close")


@dataclass
class DoubleServer:
    """A model server that was found."""

    kind: str
    base_url: str
    models: tuple[str, ...]


@dataclass
class World:
    """A window's parts over doubles, and what was asked of them."""

    parts: WindowParts
    gate: DoubleGate
    tasks: TaskRegistry
    log: DoubleLog
    errors: list[tuple[str, BaseException]]
    asked: list[tuple[str, Any]]


def double_library(root: Path, gate: DoubleGate, tasks: TaskRegistry) -> ModelLibrary:
    """Make the real library over the shipped catalogue, by the rule of the gate's settings."""
    shipped = read_catalogue(resource("models", "catalogue.toml").read_text(encoding="utf-8"))
    return ModelLibrary(root, shipped, lambda: NetworkPolicy(local_only=gate.profile.settings().local_only), tasks)


class DoubleAutostart:
    """Starting with the system, kept in a variable."""

    def __init__(self) -> None:
        self.on = False

    def is_on(self) -> bool:
        return self.on

    def switch(self, on: bool) -> None:
        self.on = on


def make_desktop(root: Path, asked: list[tuple[str, Any]]) -> Desktop:
    """A system on which `root` is the usual profile; which programs it was to start stands in `asked`."""
    licence = "Permission is hereby granted, free of charge, to any person.\n" * 30
    libraries = (
        SimpleNamespace(name="Python", version="3.11.7", licence="PSF-2.0", text=""),
        SimpleNamespace(name="a-library", version="1.2", licence="MIT", text=licence),
        SimpleNamespace(name="PySide6_Essentials", version="6.11.3", licence="LGPL-3.0-only OR GPL-2.0-only", text=""),
    )
    return Desktop(
        profile=root,
        profiles=ProfileList(root),
        portable=False,
        autostart=DoubleAutostart(),
        launch=lambda folder: asked.append(("launch", folder)),
        build=lambda: SimpleNamespace(packed=None, libraries=libraries),
    )


def make_world(root: Path, theme: Theme, *, cards: Sequence[CharacterCard] = (), servers: Sequence[Any] = ()) -> World:
    """Build the parts over a profile in `root`. With `cards`, the vault exists and is locked."""
    errors: list[tuple[str, BaseException]] = []
    asked: list[tuple[str, Any]] = []
    tasks = TaskRegistry(lambda name, error: errors.append((name, error)))
    gate = DoubleGate(Profile(root), tasks)
    for card in cards:
        gate.add(card)
    if cards:
        gate.state = "locked"
    log = DoubleLog(some_lines(12))

    async def test_model(spec: str, key: str | None, local_only: bool) -> ModelInfo:
        asked.append(("test_model", (spec, key, local_only)))
        if "test_model" in gate.fails:
            raise gate.fails.pop("test_model")
        return ModelInfo("openai", "llama3.1:8b", 8192, True, False)

    async def find_servers() -> Sequence[Any]:
        return servers

    async def remember_key(on: bool) -> None:
        asked.append(("remember_key", on))
        gate.profile.save_settings({"remember_key": on})

    def read_card(path: Path) -> Any:
        card = CharacterCard(name=path.stem.title(), description="From a file.", first_message="Hello.")
        return SimpleNamespace(card=card, avatar_png=None)

    parts = WindowParts(
        gate=gate,
        tasks=tasks,
        theme=theme,
        panels=(
            lambda _services, context: DoublePanel("chat", "Chat", "chat", context),
            lambda _services, context: DoublePanel("character", "Character", "character", context),
            log_panel(log),
            settings_panel,
        ),
        read_card=read_card,
        card_lorebook=lambda _card: b"[[entries]]\nkeys = ['tide']\ncontent = 'It comes twice.'\n",
        test_model=test_model,
        find_servers=find_servers,
        keyring_available=lambda: True,
        request_quit=lambda: asked.append(("quit", None)),
        set_log_level=lambda level: asked.append(("log_level", level)),
        remember_key=remember_key,
        desktop=make_desktop(root, asked),
        models=double_library(root, gate, tasks),
    )
    return World(parts, gate, tasks, log, errors, asked)
