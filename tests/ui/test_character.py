"""The character panel as the person meets it."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QAbstractButton, QApplication, QHBoxLayout, QLabel, QLineEdit, QPlainTextEdit, QWidget

from familiar_app.bootstrap.loop import run
from familiar_app.domain.errors import BadInputError
from familiar_app.domain.task import TaskRegistry
from familiar_app.interchange.cards import read_card_file, write_card
from familiar_app.interchange.lorebook.taken import lorebook_of_import
from familiar_app.store.profile import Profile
from familiar_app.ui.character.exporting import named
from familiar_app.ui.character.import_view import ImportView
from familiar_app.ui.character.panel import create_character_panel
from familiar_app.ui.character.picture_file import picture_png
from familiar_app.ui.kit.panel import PanelContext
from familiar_app.ui.kit.status import StatusModel
from familiar_app.ui.kit.theme import Theme
from familiar_app.ui.shell.side_view import SideView
from tests.doubles.waiting import until
from tests.ui.scene_window import put_away
from tests.unit.ui.character.test_character import CARD, MIRA, CountingGate, CountingModel

pytestmark = pytest.mark.qt_log_ignore("This plugin does not support")


class Scene:
    """A character panel over a real profile folder."""

    def __init__(self, folder: Path, theme: Theme) -> None:
        self.profile = Profile(folder)
        self.profile.add_familiar(MIRA, CARD, {}, "00000000-0000-4000-8000-000000000000")
        self.errors: list[BaseException] = []
        self.tasks = TaskRegistry(lambda _name, error: self.errors.append(error))
        services = SimpleNamespace(
            profile=self.profile, familiars={MIRA: SimpleNamespace(prose=CountingModel())}, tasks=self.tasks
        )
        self.side = SideView(theme)
        self.undos: list[tuple[str, Callable[[], object]]] = []
        self.context = PanelContext(
            theme=theme,
            tasks=self.tasks,
            status=StatusModel(),
            side_view=self.side,
            familiar=MIRA,
            gate=CountingGate(),
            parts=SimpleNamespace(read_card=read_card_file),
        )
        self.context.offer_undo = lambda text, undo: self.undos.append((text, undo))
        self.panel = create_character_panel(services, self.context)
        self.window = QWidget()
        layout = QHBoxLayout(self.window)
        layout.addWidget(self.panel.widget, 1)
        layout.addWidget(self.side)
        self.window.resize(1000, 700)
        self.window.show()

    @property
    def view(self):
        return self.panel.view

    async def until(self, ready: Callable[[], object]) -> None:
        await until(ready)

    async def close(self) -> None:
        await self.panel.close()
        await self.tasks.cancel()
        put_away(self.window)
        assert self.errors == []


@pytest.fixture
def play(tmp_path: Path, theme: Theme, qapp: QApplication) -> Callable[[Callable[[Scene], Awaitable[None]]], None]:
    def go(act: Callable[[Scene], Awaitable[None]]) -> None:
        async def main() -> None:
            scene = Scene(tmp_path / "profile", theme)
            try:
                await scene.until(lambda: scene.view.model.loaded and scene.view.model.tokens)
                await act(scene)
            finally:
                await scene.close()

        run(main(), app=qapp)

    return go


def test_a_field_is_changed_saved_and_taken_back(play) -> None:
    async def act(scene: Scene) -> None:
        field = scene.view.form.fields["scenario"]
        assert scene.view.form.fields["description"].count.text() == "3 tokens"
        assert not scene.view.save.isEnabled()
        field.edit.setPlainText("An autumn night.")
        assert scene.view.save.isEnabled()
        assert scene.view.state.text() == "Not saved"
        scene.view.save.click()
        await scene.until(lambda: scene.profile.card(MIRA).scenario == "An autumn night.")
        await scene.until(lambda: scene.undos)
        assert scene.context.gate.reloaded == [MIRA]
        scene.undos[-1][1]()
        await scene.until(lambda: scene.profile.card(MIRA) == CARD)
        await scene.until(lambda: field.text() == "")

    play(act)


def test_the_markdown_view_edits_the_same_card(play) -> None:
    async def act(scene: Scene) -> None:
        scene.view.as_text.setChecked(True)
        text = scene.view.raw.toPlainText()
        assert text.startswith("# Mira\n\nKeeps a lighthouse.")
        scene.view.raw.setPlainText(text.replace("Keeps a lighthouse.", "Keeps two."))
        scene.view.as_text.setChecked(False)
        assert scene.view.form.fields["description"].text() == "Keeps two."

    play(act)


def test_a_conflict_offers_the_file_and_keeps_what_was_typed(play) -> None:
    async def act(scene: Scene) -> None:
        scene.view.form.fields["scenario"].edit.setPlainText("Mine.")
        scene.profile.save_card(MIRA, replace(CARD, scenario="Theirs."))
        scene.panel.activate()
        await scene.until(scene.view.notice.isVisible)
        assert "changed outside this window" in scene.view.notice.text
        scene.view.do("save")
        await scene.until(lambda: scene.profile.card(MIRA).scenario == "Mine.")

    play(act)


def test_an_import_shows_its_report_first(play, tmp_path: Path) -> None:
    path = tmp_path / "card.json"
    write_card(path, replace(CARD, name="Mirabelle"), format="card-v2")
    raw = json.loads(path.read_text(encoding="utf-8"))
    raw["data"]["character_book"] = {"entries": [{"keys": ["lamp"], "content": "Bright."}], "extensions": {}}
    path.write_text(json.dumps(raw), encoding="utf-8")

    async def act(scene: Scene) -> None:
        await scene.view.import_card(path)
        shown = scene.side.findChild(ImportView)
        assert scene.profile.card(MIRA) == CARD
        assert not scene.profile.lorebook(MIRA).exists()
        assert (shown.lorebook.text(), shown.lorebook.isChecked()) == ("Take its lorebook as well (1 entry)", True)
        assert shown.picture.isHidden()
        shown.use.click()
        await scene.until(lambda: scene.profile.card(MIRA).name == "Mirabelle")
        await scene.until(lambda: scene.view.name.text() == "Mirabelle")
        assert "Bright." in scene.profile.lorebook(MIRA).read_text(encoding="utf-8")

    play(act)


def test_a_place_that_is_a_card_shows_what_it_brings_and_would_change(play, tmp_path: Path) -> None:
    path = tmp_path / "card.json"
    write_card(path, replace(CARD, post_history_instructions="Stay calm."), format="card-v2")
    raw = json.loads(path.read_text(encoding="utf-8"))
    raw["data"]["extensions"] = {"depth_prompt": {"prompt": "Rain."}}
    path.write_text(json.dumps(raw), encoding="utf-8")

    async def act(scene: Scene) -> None:
        scene.panel.show_place(f"import:{path}")
        await scene.until(lambda: scene.side.findChild(ImportView) is not None)
        said = [one.text() for one in scene.side.findChildren(QLabel)]
        assert "Post-history instructions" in said
        parts = "Name and description, first message, 1 more greeting, post-history instructions, tags."
        assert parts in said
        assert "What has no place here is kept beside the card, and comes back when you export it." in said
        assert scene.profile.card(MIRA) == CARD

    play(act)


def test_greetings_have_fields_of_their_own(play) -> None:
    async def act(scene: Scene) -> None:
        scene.view.model.add_greeting()
        assert [row.text() for row in scene.view.form.greetings.rows] == ["You again.", ""]
        scene.view.form.greetings.rows[1].edit.setPlainText("Shh.")
        assert scene.view.model.draft.alternate_greetings == ("You again.", "Shh.")

    play(act)


def test_search_goes_to_the_field_with_the_text(play) -> None:
    async def act(scene: Scene) -> None:
        scene.panel.find()
        assert scene.view.form.find("LAMP")
        assert scene.view.form.fields["first_message"].edit.textCursor().selectedText() == "lamp"
        assert not scene.view.form.find("nothing like this")

    play(act)


def test_every_control_has_a_name(play) -> None:
    async def act(scene: Scene) -> None:
        for one in scene.panel.widget.findChildren(QWidget):
            if isinstance(one, (QAbstractButton, QLineEdit, QPlainTextEdit)) and one.isVisible():
                assert one.accessibleName(), type(one).__name__

    play(act)


def test_pictures_become_png_of_a_bearable_size(tmp_path: Path, qapp: QApplication) -> None:
    image = QImage(2400, 1200, QImage.Format.Format_RGB32)
    image.fill(0x336699)
    image.save(str(tmp_path / "wide.bmp"))
    made = QImage.fromData(picture_png(tmp_path / "wide.bmp"), "PNG")
    assert (made.width(), made.height()) == (1024, 512)
    (tmp_path / "no.png").write_bytes(b"not a picture")
    with pytest.raises(BadInputError, match="no picture"):
        picture_png(tmp_path / "no.png")


def test_the_card_goes_out_with_its_picture_and_lorebook(play, tmp_path: Path) -> None:
    async def act(scene: Scene) -> None:
        scene.profile.save_lorebook(MIRA, b"[[entries]]\nkeys = ['tide']\ncontent = 'It comes twice.'\n")
        entry = next(one for one in scene.panel.palette_entries() if one.id == "character.export")
        assert entry.title == "Export the card…"
        for name in ("out.png", "out.json", "out.charx"):
            await scene.view.export_card(named(tmp_path / name))
            found = read_card_file(tmp_path / name)
            assert found.card.name == scene.view.model.draft.name
            assert lorebook_of_import(found).book.entries[0].content == "It comes twice."
        await scene.view.export_card(named(tmp_path / "out.md"))
        assert read_card_file(tmp_path / "out.md").card == scene.view.model.draft
        assert named(tmp_path / "Mr. Fox").name == "Mr. Fox.png"

    play(act)
