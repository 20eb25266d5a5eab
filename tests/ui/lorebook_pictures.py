"""The lorebook in the whole window, for pictures and for the walk over every screen."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from types import SimpleNamespace

from PySide6.QtWidgets import QWidget

from familiar_app.domain.lorebook.entry import EntryKey
from familiar_app.domain.turn import Role
from familiar_app.ui.lorebook.book_page import BookPage
from familiar_app.ui.lorebook.panel import create_lorebook_panel
from familiar_app.ui.lorebook.replace_view import ReplaceView
from familiar_app.ui.shell.window import MainWindow
from tests.doubles.waiting import until
from tests.ui.double import NOON, DoubleModel, World

TOWN = """\
name = "Salt Harbour"

[[folders]]
id = "people"
name = "People"

[[entries]]
name = "The lighthouse"
keys = ["lighthouse", "lamp room"]
content = "The lighthouse of Salt Harbour has been dark since the winter of the great tide."
order = 200

[[entries]]
name = "Keeper Anselm"
keys = ["Anselm", "keeper"]
secondary_keys = ["lighthouse"]
content = "Anselm kept the lamp for forty years and still carries its key."
order = 150
folder = "people"

[[entries]]
name = "The tide bell"
keys = ["bell"]
content = "The bell under the pier rings by itself before a storm."
constant = true

[[entries]]
name = "The great tide"
keys = ["tide", "flood", "/winter of \\\\d+/i"]
content = "The great tide took the lower market and the road to the mill. Nobody says what it left."
order = 180

[[entries]]
name = "The ferryman"
keys = ["he"]
content = "He rows at night and takes no coin."
folder = "people"

[[entries]]
name = "Old songs"
content = "They are sung to the knots of the net."
"""
WORLD = """\
name = "The coast"

[[entries]]
name = "The sea"
keys = ["sea"]
content = "Grey, mostly, and older than any lighthouse."
"""
SAID = (
    "Is the lighthouse still dark, after all these years?",
    "It is. Only Anselm goes up there, when the bell rings.",
    "And before the great tide? They say there was a market.",
)


@dataclass
class CountingDouble(DoubleModel):
    """Takes a word for a token."""

    async def count_tokens(self, texts: Sequence[str]) -> list[int]:
        return [len(text.split()) for text in texts]


class Turns:
    def watch(self, _watcher: object) -> None:
        """Nothing is ever said here."""

    unwatch = watch

    async def page(self, _channel: int, *, limit: int) -> list[SimpleNamespace]:
        return [
            SimpleNamespace(
                role=Role.ASSISTANT if n % 2 else Role.USER,
                content=text,
                author=SimpleNamespace(name="Jo"),
                at=NOON + timedelta(minutes=n),
            )
            for n, text in enumerate(SAID)
        ][-limit:]


class Channels:
    async def list(self, _familiar: str) -> list[SimpleNamespace]:
        return [
            SimpleNamespace(channel=SimpleNamespace(id=number, key=f"local:{name}", title=name.title()))
            for number, name in enumerate(("main", "kitchen"), 1)
        ]


class Uses:
    async def of_familiar(self, _familiar: str) -> dict[EntryKey, SimpleNamespace]:
        found = enumerate((34, 12, 71, 5))
        return {
            EntryKey("Salt Harbour", n): SimpleNamespace(times=times, last_at=NOON - timedelta(days=n * 3))
            for n, times in found
        }


def with_lorebook(world: World) -> None:
    """Put the panel into the rail of an open world, over two lorebooks."""
    services, profile = world.gate.services, world.gate.profile
    first = next(iter(services.familiars))
    profile.lorebook(first).write_text(TOWN, encoding="utf-8")
    (profile.root / "lorebooks").mkdir()
    (profile.root / "lorebooks" / "coast.toml").write_text(WORLD, encoding="utf-8")
    for hosted in services.familiars.values():
        hosted.prose = CountingDouble(hosted.prose.info)
    vault = services.vault
    vault.turns, vault.channels, vault.lore_uses = Turns(), Channels(), Uses()
    vault.state.values[f"chat.last_channel.{first}"] = 1
    parts = world.parts
    world.parts = replace(parts, panels=(*parts.panels[:2], create_lorebook_panel, *parts.panels[2:]))


async def lorebook(window: MainWindow, _world: World) -> None:
    """The panel with a test of the chat's last turns."""
    window.frame.show_panel("lorebook")
    view = window.frame._panels["lorebook"].view
    await _until(lambda: view.model.loaded and view.model.warnings)
    view.do("turns")
    await _until(lambda: view.tester.trial.fired and not view.tasks.running("lorebook.count"))
    view.choosing.entry(view.model.book.entries[3].uid)
    await _until(lambda: view.tester.trial.matching)


async def lorebook_replace(window: MainWindow, world: World) -> None:
    await lorebook(window, world)
    window.frame._panels["lorebook"].view.do("replace")
    page = await _side(window, ReplaceView)
    page.find.setText("lighthouse")
    page.put.setText("beacon")
    await _until(lambda: page.do.isEnabled())


async def lorebook_about(window: MainWindow, world: World) -> None:
    await lorebook(window, world)
    window.frame._panels["lorebook"].view.do("about")
    await _side(window, BookPage)


async def lorebook_several(window: MainWindow, world: World) -> None:
    await lorebook(window, world)
    window.frame._panels["lorebook"].view.table.selectAll()


async def lorebook_empty(window: MainWindow, world: World) -> None:
    first = next(iter(world.gate.services.familiars))
    world.gate.profile.lorebook(first).unlink()
    window.frame.show_panel("lorebook")
    view = window.frame._panels["lorebook"].view
    view.work.look_at_file()
    await _until(lambda: view.model.loaded and not view.model.book.entries)


LOREBOOK = (lorebook, lorebook_replace, lorebook_about, lorebook_several, lorebook_empty)


async def _side(window: MainWindow, kind: type[QWidget]) -> QWidget:
    await _until(lambda: window.findChild(kind) is not None and window.findChild(kind).isVisible())
    return window.findChild(kind)


async def _until(true) -> None:
    await until(true)
