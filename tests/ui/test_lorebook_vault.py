"""The lorebook panel over a real vault: what the chat did is in the table, and a book given to a channel is in use."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from familiar_app.bootstrap.application import Application
from familiar_app.bootstrap.log import LogBuffer
from familiar_app.bootstrap.window import window_parts
from familiar_app.domain.card import CharacterCard
from familiar_app.domain.clock import SystemClock
from familiar_app.domain.ids import MAIN_CHANNEL, FamiliarId
from familiar_app.domain.task import TaskRegistry
from familiar_app.services import NewFamiliar
from familiar_app.store.keys import new_recovery_code
from familiar_app.store.profile import Profile
from familiar_app.ui.kit.theme import Theme
from familiar_app.ui.lorebook.listing import COLUMNS
from familiar_app.ui.shell.window import MainWindow
from tests.doubles.waiting import until
from tests.ui.conftest import OnLoop
from tests.unit.ui.lorebook.stage import TEXT

pytestmark = pytest.mark.slow
MIRA = FamiliarId("mira")


def test_what_was_said_is_counted_tested_and_answered_by_the_books(
    tmp_path: Path, theme: Theme, on_loop: OnLoop
) -> None:
    script = tmp_path / "script.jsonl"
    script.write_text(json.dumps({"slot": "prose", "purpose": "reply", "reply": "Yes."}) + "\n", encoding="utf-8")
    errors: list[BaseException] = []

    async def main() -> None:
        tasks = TaskRegistry(lambda _name, error: errors.append(error))
        profile = Profile(tmp_path / "profile")
        application = Application(profile, clock=SystemClock(), tasks=tasks, discord=True)
        familiar = NewFamiliar(CharacterCard(name="Mira"), id=MIRA, model=f"scripted:{script}")
        services = await application.create("violet heron", familiar, recovery_code=new_recovery_code(), remember=False)
        profile.save_lorebook(MIRA, TEXT.encode())
        window = MainWindow(window_parts(application, tasks, theme, LogBuffer(), lambda: None))
        window.start()
        await until(lambda: window.frame is not None and window.frame.panel("chat").view.model.open is not None)
        chat = window.frame.panel("chat").view
        chat.composer.setPlainText("Who keeps the lighthouse?")
        chat.deeds.do("send")
        await until(lambda: chat.model.reply is not None and chat.model.reply.over)

        window.frame.show_panel("lorebook")
        panel = window.frame.panel("lorebook")
        await until(lambda: panel.view.model.uses)
        rows, times = panel.view.table.rows, COLUMNS.index("times")
        assert [rows.data(rows.index(row, times)) for row in range(3)] == ["1", "", "1"]
        panel.view.do("turns")
        await until(lambda: panel.view.tester.trial.fired)
        assert panel.view.view.text.toPlainText().endswith("Who keeps the lighthouse?\n\nMira: Yes.")
        assert {one.name for one in panel.view.tester.trial.fired} == {"The lighthouse", "The tide bell"}

        books = panel.widget.current.books
        path = await books.make()
        await books.bind(path, everywhere=False, channels=[str(MAIN_CHANNEL)])
        reader = services.familiars[MIRA].config.channels[str(MAIN_CHANNEL)]
        assert reader.lorebooks == (path.stem,)

        await window.prepare_close()
        await application.close()
        await tasks.cancel()
        window.close()
        window.deleteLater()

    on_loop(main())
    assert errors == []
