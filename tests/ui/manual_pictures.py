"""Pictures for the documents, of the whole program over a vault with a little life: `… FOLDER [NAME …]`.

The others beside this one show a panel over doubles; here everything is real, so the rail and the bar are complete.
"""

from __future__ import annotations

import json
import os
import sys
import tempfile
from collections.abc import Awaitable, Callable
from datetime import timedelta
from pathlib import Path

os.environ["QT_API"] = "pyside6"

from PySide6.QtWidgets import QApplication

from familiar_app.bootstrap.application import Application
from familiar_app.bootstrap.log import LogBuffer
from familiar_app.bootstrap.loop import run
from familiar_app.bootstrap.window import window_parts
from familiar_app.domain.card import CharacterCard
from familiar_app.domain.clock import FixedClock
from familiar_app.domain.task import TaskRegistry
from familiar_app.services import NewFamiliar
from familiar_app.store.keys import new_recovery_code
from familiar_app.store.moment import to_micros
from familiar_app.store.profile import Profile
from familiar_app.ui.kit.theme import Theme
from familiar_app.ui.shell.window import MainWindow
from familiar_app.ui.timeline.span_index import Moment
from tests.ui.panel_scene import tell_thoughts
from tests.ui.pictures import settle, until
from tests.ui.timeline_scene import NOW, day, tell_story

SIZE = (1280, 920)
"""High enough for the labels of the rail."""
CARD = CharacterCard(
    name="Mira",
    description="Mira keeps the lamp of a small lighthouse above a harbour town. She is patient, dry, and writes "
    "everything down.",
    personality="Calm, curious, a little stubborn about the weather.",
    scenario="The kitchen below the lamp, in the evening.",
    first_message="The kettle is on. Mind the third step.",
)
TALK = (
    ("Is the lamp going?", "It is. The wind has turned to the west since supper, so I trimmed the wick twice."),
    (
        "Where does Ann live now?",
        "In Rome, since January. She still owes me a letter about it, and I am not going to write first.",
    ),
)
BACKGROUND = {
    "rich_note": [],
    "fact_supersede": [],
    "reflection": [],
    "people_dossier": "Comes by in the evenings.",
    "rolling_summary": "They talk about the lamp, the weather and Ann.",
}
Scene = Callable[[MainWindow], Awaitable[None]]


async def chat(window: MainWindow) -> None:
    """A short conversation."""
    window.frame.show_panel("chat")
    view = window.frame.panel("chat").view
    for asked, _answer in TALK:
        await until(lambda: view.model.open is not None and view.model.writable, 30)
        view.composer.setPlainText(asked)
        view.deeds.send()
        await until(lambda: not view.composer.toPlainText(), 30)
        await settle(20)
        await until(lambda: not view.model.replying, 30)


async def why(window: MainWindow) -> None:
    """The prompt behind its last answer."""
    window.frame.show_panel("chat")
    window.frame.panel("chat").view.deeds.do("why")
    await until(window.frame.side_view.is_open, 30)


async def settings(window: MainWindow) -> None:
    """As they open."""
    window.frame.show_panel("settings")


async def character(window: MainWindow) -> None:
    """The card in its form."""
    window.frame.show_panel("character")


async def timeline(window: MainWindow) -> None:
    """Two instants apart, and the fact that was replaced between them."""
    window.frame.show_panel("timeline")
    view = window.frame.panel("timeline").view
    await until(lambda: view.model.size, 30)
    view.show_fact(1)
    view.model.go(Moment(to_micros(day(-100)), to_micros(day(-50))))


SCENES: tuple[Scene, ...] = (chat, why, settings, character, timeline)


async def take_all(folder: Path, names: list[str]) -> None:
    """Open the program once for each look and write the pictures of all scenes, or of those named."""
    app = QApplication.instance()
    app.setQuitOnLastWindowClosed(False)
    for look in ("light", "dark"):
        with tempfile.TemporaryDirectory() as root:
            clock = FixedClock(NOW + timedelta(hours=7))
            tasks = TaskRegistry(lambda name, error: print(name, repr(error), file=sys.stderr))  # noqa: T201
            gate = Application(Profile(Path(root) / "Familiar"), clock=clock, tasks=tasks, lasting=True, discord=True)
            await make_life(gate, clock, Path(root), look)
            window = MainWindow(window_parts(gate, tasks, Theme(app), LogBuffer(), lambda: None))
            window.start()
            window.resize(*SIZE)
            await until(lambda window=window: window.frame is not None, 30)
            window.resize(*SIZE)
            for scene in SCENES:
                if not names or scene.__name__ in names or scene is chat:
                    await scene(window)
                    await settle(40)
                    window.grab().save(str(folder / f"{scene.__name__}-{look}.png"))
            await window.prepare_close()
            await gate.close()
            await tasks.cancel()
            window.deleteLater()
            await settle(2)


async def make_life(gate: Application, clock: FixedClock, root: Path, look: str) -> None:
    """Make the profile, with facts on both clocks, people and thoughts, and answers for the conversation."""
    script = root / "answers.jsonl"
    lines = [{"slot": "prose", "match": asked, "reply": answer} for asked, answer in reversed(TALK)]
    for purpose, reply in BACKGROUND.items():
        lines += [{"slot": "background", "purpose": purpose, "reply": reply}] * 40
    script.write_text("".join(json.dumps(one) + "\n" for one in lines), encoding="utf-8")
    gate.profile.save_settings({"theme": look, "owner_name": "Ada"})
    new = NewFamiliar(CARD, model=f"scripted:{script}")
    services = await gate.create("seven quiet lamps", new, recovery_code=new_recovery_code(), remember=False)
    facts = await tell_story(services.vault, clock)
    await tell_thoughts(services.vault, facts)


if __name__ == "__main__":
    application = QApplication([])
    target = Path(sys.argv[1])
    target.mkdir(parents=True, exist_ok=True)
    run(take_all(target, sys.argv[2:]), app=application)
