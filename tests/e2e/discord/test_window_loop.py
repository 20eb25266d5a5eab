"""The link on the window's own loop, where it will live beside the widgets."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtWidgets import QApplication

from familiar_app.bootstrap.loop import run
from tests.e2e.discord.stage import stage


def test_an_exchange_and_a_broken_connection_on_the_windows_loop(qapp: QApplication, tmp_path: Path) -> None:
    async def evening() -> list[str]:
        async with stage(tmp_path) as on, on.connected():
            await on.scene.write("Ann", "@Mira one")
            await on.scene.replies(1)
            on.discord.gateway.cut_all()
            await on.scene.write("Ann", "@Mira two")
            await on.scene.replies(2)
            return await on.until_said(lambda said: len(said) == 4)

    assert run(evening(), app=qapp) == ["Ann: @Mira one", "Mira: Hello.", "Ann: @Mira two", "Mira: Hello."]
