"""The one switch of search by meaning: three keys move together, and off is off exactly."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from familiar_app.domain.card import CharacterCard
from familiar_app.domain.errors import BadInputError
from familiar_app.domain.ids import FamiliarId
from familiar_app.domain.task import TaskRegistry
from familiar_app.store.profile import Profile
from familiar_app.ui.settings import meaning
from familiar_app.ui.settings.change import SettingsChange
from familiar_app.ui.settings.model import SETTINGS, matching, read_value
from tests.doubles.talk import make_config
from tests.ui.double import DoubleGate

MIRA = FamiliarId("mira")
SWITCH = next(one for one in SETTINGS if one.kind == "meaning")


@pytest.fixture
def gate(tmp_path: Path) -> DoubleGate:
    made = DoubleGate(Profile(tmp_path), TaskRegistry(lambda _name, _error: None))
    made.add(CharacterCard(name="Mira"))
    made.open_now()
    return made


@pytest.fixture
def change(gate: DoubleGate) -> SettingsChange:
    return SettingsChange(gate, gate.services)


async def switch(change: SettingsChange, gate: DoubleGate, value: Any) -> Any:
    """Set the switch as the panel does; return what takes it back."""
    settings, config = await change.read(MIRA)
    before = change.before(SWITCH, settings, config)
    await change.save_familiar(MIRA, change.changes(SWITCH, value, config))
    return before


async def test_on_moves_backend_projector_and_weight(change: SettingsChange, gate: DoubleGate) -> None:
    usual = gate.profile.config(MIRA).providers.memory.projectors
    await switch(change, gate, True)
    config = gate.profile.config(MIRA)
    assert config.providers.embedding.backend == "fastembed"
    assert config.providers.memory.projectors == (*usual, "fact_embedding")
    assert config.memory.retrieval.embedding_weight == 0.6
    assert read_value(SWITCH, None, config) is True


async def test_off_leaves_what_was_before(change: SettingsChange, gate: DoubleGate) -> None:
    before = gate.profile.config(MIRA)
    await switch(change, gate, True)
    await switch(change, gate, False)
    assert gate.profile.config(MIRA) == before
    file = next(path for path in gate.profile.root.rglob("character.toml"))
    assert "projectors" not in file.read_text()


async def test_a_list_of_ones_own_stays(change: SettingsChange, gate: DoubleGate) -> None:
    gate.profile.save_config(MIRA, {"providers.memory.projectors": ["rich_note"]})
    await switch(change, gate, True)
    assert gate.profile.config(MIRA).providers.memory.projectors == ("rich_note", "fact_embedding")
    await switch(change, gate, False)
    assert gate.profile.config(MIRA).providers.memory.projectors == ("rich_note",)


async def test_undo_brings_back_what_was_written_by_hand(change: SettingsChange, gate: DoubleGate) -> None:
    gate.profile.save_config(MIRA, {"providers.embedding.backend": "hash", "memory.retrieval.embedding_weight": 0.9})
    before = gate.profile.config(MIRA)
    assert meaning.missing(before) == ["vectors of facts"]
    assert meaning.state_text(before, "") == "Partly on; still off: vectors of facts."
    back = await switch(change, gate, True)
    assert gate.profile.config(MIRA).memory.retrieval.embedding_weight == 0.9
    await switch(change, gate, back)
    assert gate.profile.config(MIRA) == before


async def test_a_model_that_is_not_there_is_told_and_nothing_is_changed(
    change: SettingsChange, gate: DoubleGate, tmp_path: Path
) -> None:
    empty = tmp_path / "nothing"
    empty.mkdir()
    gate.profile.save_config(MIRA, {"providers.embedding.model_dir": str(empty)})
    before = gate.profile.config(MIRA)
    assert "model.onnx" in await change.meaning_text(before)
    gate.fails["reload_familiar"] = BadInputError("this folder has no model.onnx.")
    with pytest.raises(BadInputError):
        await switch(change, gate, True)
    assert gate.profile.config(MIRA) == before


def test_the_bundled_model_needs_no_download(tmp_path: Path) -> None:
    config = make_config()
    assert meaning.obstacle(config, tmp_path) == ""
    assert "nothing to download" in meaning.state_text(config, "")


@pytest.mark.parametrize("query", ["semantic", "who may hear", "inbox", "ranking words", "traces", "rag tokens"])
def test_every_part_of_memory_is_found_by_searching(query: str) -> None:
    found = matching(query)
    assert found
    assert {one.group for one in found} == {"Memory"}
