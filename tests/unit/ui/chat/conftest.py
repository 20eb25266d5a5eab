"""A stage for each test of the chat, closed at its end."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from familiar_app.ui.chat.model import ChatModel
from tests.unit.ui.chat.stage import MIRA, Stage, make_stage


@pytest.fixture
async def stage(tmp_path: Path) -> AsyncIterator[Stage]:
    made = await make_stage(tmp_path)
    yield made
    await made.tasks.cancel()
    await made.vault.close()


@pytest.fixture
def chat(stage: Stage) -> ChatModel:
    """A chat that writes down what it tells, what it reports and what can be undone."""
    model = ChatModel(stage.services, MIRA)
    model.told = []
    model.undos = []
    model.reports = []
    model.watch(model.told.append)
    model.redos = []

    def offer_undo(text: str, undo: object, redo: object = None) -> None:
        model.undos.append((text, undo))
        model.redos.append(redo)

    model.offer_undo = offer_undo
    model.report = lambda state, speed: model.reports.append((state, speed))
    return model
