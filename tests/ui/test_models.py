"""The page of models: fetching with progress, cancelling, going on, errors with a next step, using and deleting."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtWidgets import QPushButton, QWidget

from familiar_app.models import model_shelf
from familiar_app.ui.first_run.wizard import Wizard
from familiar_app.ui.kit.theme import Theme
from familiar_app.ui.models.panel import ModelsPanel
from familiar_app.ui.shell.window import MainWindow
from tests.doubles.model_host import model_host
from tests.ui.conftest import OnLoop
from tests.ui.double import make_world
from tests.ui.pictures import settle, until
from tests.ui.shelf_scene import Shelf, begin_model, put_model, shelf_world
from tests.ui.test_every_screen import cut_off, overlapping, unnamed, unreachable
from tests.ui.test_first_run import first_run, to_model
from tests.ui.test_window import texts, with_window

pytestmark = pytest.mark.qt_log_ignore("This plugin does not support")
Story = Callable[[MainWindow, Any, Shelf], Awaitable[None]]


@pytest.fixture
def play(tmp_path: Path, theme: Theme, on_loop: OnLoop) -> Callable[..., None]:
    def begin(story: Story, *, local_only: bool = True, zoom: float = 1.0, before: Any = lambda _shelf: None) -> None:
        async def run() -> None:
            async with shelf_world(tmp_path / "profile", theme, local_only=local_only) as shelf:
                shelf.world.gate.profile.save_settings({"zoom": zoom})
                before(shelf)

                async def test(window: MainWindow) -> None:
                    window.frame.show_panel("models")
                    panel = window.frame.panel("models")
                    assert isinstance(panel, ModelsPanel)
                    await until(lambda: panel.model.loaded)
                    await settle()
                    await story(window, panel, shelf)

                await with_window(shelf.world, test)

        on_loop(run())

    return begin


def press(view: QWidget, name: str) -> None:
    [made] = [one for one in view.findChildren(QPushButton) if one.accessibleName() == name and one.isVisibleTo(view)]
    made.click()


def names(view: QWidget) -> list[str]:
    return [one.accessibleName() for one in view.findChildren(QPushButton) if one.isVisibleTo(view)]


FIRST = "SmolLM2 1.7B Instruct"


def test_a_model_is_fetched_used_taken_back_and_deleted(play: Callable[..., None]) -> None:
    async def story(window: MainWindow, panel: ModelsPanel, shelf: Shelf) -> None:
        assert "Comes with the program" in texts(panel.widget)
        assert "Apache-2.0" in texts(panel.widget)
        press(panel.widget, f"Fetch: {FIRST}")
        assert "Connecting to 127.0.0.1" in texts(panel.widget)
        await until(lambda: panel.model.row("model.gguf").state == "here", 30)
        await until(lambda: "its checksum is the one that the host gave" in texts(panel.widget), 30)
        press(panel.widget, f"Use for Mira: {FIRST}")
        mira = shelf.world.gate.profile.familiars()[0]
        await until(lambda: shelf.world.gate.services.familiars[mira].config.models.prose.model == "models/model.gguf")
        assert shelf.world.gate.services.familiars[mira].config.models.background.model == "models/model.gguf"
        await until(lambda: panel.model.row("model.gguf").used_by == (mira,))
        press(panel.widget, f"Delete…: {FIRST}")
        assert "is used by Mira." in texts(panel.widget)
        window.frame.undo()
        await until(lambda: shelf.world.gate.services.familiars[mira].config.models.prose.model == "smollm2")
        await until(lambda: panel.model.row("model.gguf").used_by == ())
        press(panel.widget, f"Delete…: {FIRST}")
        press(panel.widget, "Delete the file")
        await until(lambda: panel.model.row("model.gguf").state == "offered")
        assert shelf.library.shelf.models() == []

    play(story)


def test_progress_shows_and_a_cancelled_download_is_gone_on_with(play: Callable[..., None]) -> None:
    async def story(window: MainWindow, panel: ModelsPanel, shelf: Shelf) -> None:
        shelf.host.stall_after = 150_000
        press(panel.widget, f"Fetch: {FIRST}")
        await until(lambda: "150 kB of 300 kB from 127.0.0.1" in texts(panel.widget), 30)
        [cancel] = [one for one in panel.widget.findChildren(QPushButton) if one.text() == "Cancel"]
        cancel.setFocus()
        cancel.click()
        await until(lambda: f"Go on: {FIRST}" in names(panel.widget), 30)
        await until(lambda: window.focusWidget() is not None)
        assert window.focusWidget().accessibleName() == f"Go on: {FIRST}", "the keyboard stays at the model"
        assert "150 kB of 300 kB are here" in texts(panel.widget)
        shelf.host.stall_after = None
        press(panel.widget, f"Go on: {FIRST}")
        await until(lambda: panel.model.row("model.gguf").state == "here", 30)
        assert shelf.host.sent == len(shelf.host.data)

    play(story)


def test_a_download_of_an_earlier_day_waits_to_be_gone_on_with(play: Callable[..., None]) -> None:
    async def story(_window: MainWindow, panel: ModelsPanel, shelf: Shelf) -> None:
        assert "100 kB of 300 kB are here" in texts(panel.widget)
        press(panel.widget, f"Discard: {FIRST}")
        await until(lambda: panel.model.row("model.gguf").state == "offered", 30)
        assert list(shelf.library.shelf.folder.iterdir()) == []

    play(story, before=lambda shelf: begin_model(shelf.library, shelf.host))


def test_a_download_goes_on_while_another_page_is_shown(play: Callable[..., None]) -> None:
    async def story(window: MainWindow, panel: ModelsPanel, shelf: Shelf) -> None:
        press(panel.widget, f"Fetch: {FIRST}")
        window.frame.show_panel("chat")
        await until(lambda: "model.gguf" in shelf.library.fetched, 30)
        window.frame.show_panel("models")
        await until(lambda: panel.model.row("model.gguf").state == "here", 30)

    play(story)


def test_an_error_stands_at_its_model_with_a_way_on(play: Callable[..., None]) -> None:
    async def story(_window: MainWindow, panel: ModelsPanel, shelf: Shelf) -> None:
        shelf.host.head_status = 403
        press(panel.widget, f"Fetch: {FIRST}")
        await until(lambda: "agreed to its licence" in texts(panel.widget), 30)
        shelf.host.head_status = 0
        press(panel.widget, f"Try again: {FIRST}")
        await until(lambda: panel.model.row("model.gguf").state == "here", 30)

    play(story)


def test_without_a_checksum_it_is_said(play: Callable[..., None]) -> None:
    async def story(_window: MainWindow, panel: ModelsPanel, shelf: Shelf) -> None:
        shelf.host.linked = False
        panel.view.address.setText(shelf.host.url.replace("model.gguf", "own.gguf"))
        press(panel.widget, "Fetch from this address")
        await until(lambda: "could not be checked" in texts(panel.widget), 30)
        assert panel.model.row("own.gguf").title == "own.gguf"

    play(story)


def test_an_address_that_is_none_is_marked(play: Callable[..., None]) -> None:
    async def story(_window: MainWindow, panel: ModelsPanel, _shelf: Shelf) -> None:
        panel.view.address.setText("http://example.com/model.gguf")
        press(panel.widget, "Fetch from this address")
        assert "begins with https://" in texts(panel.widget)

    play(story)


def test_local_only_refuses_until_it_is_switched_off(play: Callable[..., None]) -> None:
    async def story(_window: MainWindow, panel: ModelsPanel, shelf: Shelf) -> None:
        press(panel.widget, "Fetch: Qwen2.5 1.5B Instruct")
        assert "Local-only mode is on, so nothing is fetched from huggingface.co" in texts(panel.widget)
        assert shelf.library.running == {}
        shelf.library.begin = lambda source, anyway=False: shelf.network.check(source.url)  # type: ignore[method-assign]
        press(panel.widget, "Switch it off and fetch")
        await until(lambda: "Connecting to huggingface.co." in texts(panel.widget))
        assert shelf.network.local_only is False
        assert ("set_local_only", False) in shelf.world.gate.calls

    play(story)


def test_a_model_that_would_not_run_is_asked_about(play: Callable[..., None], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(model_shelf, "built_in_memory_bytes", lambda: 1_000_000)

    async def story(_window: MainWindow, panel: ModelsPanel, shelf: Shelf) -> None:
        assert "too little memory" in texts(panel.widget)
        press(panel.widget, f"Fetch: {FIRST}")
        assert shelf.library.running == {}
        press(panel.widget, "Fetch anyway")
        await until(lambda: "model.gguf" in shelf.library.fetched, 30)

    play(story)


@pytest.mark.parametrize("zoom", [1.0, 1.5])
def test_everything_is_named_reachable_and_whole(play: Callable[..., None], zoom: float) -> None:
    async def story(_window: MainWindow, panel: ModelsPanel, shelf: Shelf) -> None:
        (shelf.library.shelf.folder / "broken.gguf").write_bytes(b"nothing")
        shelf.host.stall_after = 150_000
        press(panel.widget, f"Go on: {FIRST}")
        await until(
            lambda: "200 kB of 300 kB from" in texts(panel.widget) and panel.model.row("broken.gguf") is not None, 30
        )
        await settle()
        found = [unnamed(panel.widget), unreachable(panel.widget), cut_off(panel.widget), overlapping(panel.widget)]
        assert found == [[], [], [], []]

    def before(shelf: Shelf) -> None:
        begin_model(shelf.library, shelf.host, 50_000)
        put_model(shelf.library, "a-model-with-quite-a-long-name-that-has-to-be-wrapped-somewhere.Q4_K_M.gguf")

    play(story, zoom=zoom, before=before)


def test_a_first_familiar_gets_a_model_that_is_fetched_on_the_way(
    tmp_path: Path, theme: Theme, on_loop: OnLoop
) -> None:
    async def run() -> None:
        async with model_host() as host:
            world = make_world(tmp_path / "profile", theme)
            chosen: list[str] = []

            async def test(window: MainWindow, wizard: Wizard) -> None:
                await to_model(window, wizard)
                chooser = wizard._pages["model"]._chooser
                chooser._radios["gguf"].setChecked(True)
                press(wizard, "Show models to fetch")
                await until(lambda: "Mistral Nemo 12B" in texts(wizard))
                shelf = chooser._shelf
                press(shelf, "Fetch: Qwen2.5 1.5B Instruct")
                assert "Local-only mode is on" in texts(shelf)
                shelf.address.setText(host.url)
                press(shelf, "Fetch from this address")
                await until(lambda: "Choose: model.gguf" in names(shelf), 30)
                press(shelf, "Choose: model.gguf")
                assert chooser.check()
                chosen.append(wizard.state.choice.spec())
                found = [unnamed(wizard), unreachable(wizard), cut_off(wizard)]
                assert found == [[], [], []]
                wizard.go_on()
                await until(lambda: window.frame is not None)

            await first_run(world, test)
            assert chosen == [f"gguf:{tmp_path / 'profile' / 'models' / 'model.gguf'}"]
            await world.parts.models.close()

    on_loop(run())
