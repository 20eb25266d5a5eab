"""The card while it is edited: saving, undoing, what happened to the file meanwhile, imports."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from types import SimpleNamespace

import pytest

from familiar_app.domain.card import CharacterCard
from familiar_app.domain.errors import OutsideError, UserError
from familiar_app.domain.ids import FamiliarId
from familiar_app.interchange.cards import read_card_file, write_card
from familiar_app.store.profile import Profile
from familiar_app.ui.character.field import changed_fields, text_of, with_text
from familiar_app.ui.character.model import CharacterModel

MIRA = FamiliarId("mira")
CARD = CharacterCard(
    name="Mira",
    description="Keeps a lighthouse.",
    first_message="*The lamp turns.*",
    alternate_greetings=("You again.",),
    tags=("sea", "slow burn"),
)


class CountingModel:
    """Counts words, or fails."""

    def __init__(self) -> None:
        self.info = SimpleNamespace(exact_tokens=True)
        self.error: OutsideError | None = None

    async def count_tokens(self, texts: Sequence[str]) -> list[int]:
        if self.error is not None:
            raise self.error
        return [len(text.split()) for text in texts]


class CountingGate:
    def __init__(self) -> None:
        self.reloaded: list[FamiliarId] = []

    async def reload_familiar(self, familiar: FamiliarId) -> None:
        self.reloaded.append(familiar)


@dataclass
class Desk:
    model: CharacterModel
    profile: Profile
    gate: CountingGate
    counter: CountingModel
    undos: list


@pytest.fixture
async def desk(tmp_path: Path) -> Desk:
    profile, gate, counter = Profile(tmp_path), CountingGate(), CountingModel()
    profile.add_familiar(MIRA, CARD, {}, "00000000-0000-4000-8000-000000000000")
    services = SimpleNamespace(profile=profile, familiars={MIRA: SimpleNamespace(prose=counter)})
    model = CharacterModel(services, gate, MIRA)
    undos: list = []
    model.offer_undo = lambda text, undo: undos.append((text, undo))
    await model.load()
    return Desk(model, profile, gate, counter, undos)


def test_fields_go_to_text_and_back() -> None:
    assert text_of(CARD, "tags") == "sea, slow burn"
    assert with_text(CARD, "tags", " a, b,, a ").tags == ("a", "b")
    assert with_text(CARD, "tags", "sea, slow burn") is CARD
    changed = replace(with_text(CARD, "scenario", "Night."), alternate_greetings=())
    assert changed_fields(CARD, changed) == ["Scenario", "Alternate greetings"]


async def test_a_saved_card_is_used_and_can_be_taken_back(desk: Desk) -> None:
    desk.model.put("scenario", "An autumn night.")
    assert desk.model.changed
    await desk.model.save()
    assert desk.profile.card(MIRA).scenario == "An autumn night."
    assert desk.gate.reloaded == [MIRA]
    text, undo = desk.undos[-1]
    assert text == "Scenario changed."
    await undo()
    assert desk.profile.card(MIRA) == CARD
    assert desk.model.draft == CARD
    assert not desk.model.changed


async def test_a_card_without_a_name_is_not_saved(desk: Desk) -> None:
    desk.model.put("name", " ")
    with pytest.raises(UserError, match="needs a name"):
        await desk.model.save()
    assert desk.profile.card(MIRA) == CARD
    assert desk.gate.reloaded == []


async def test_dropped_changes_can_be_brought_back(desk: Desk) -> None:
    desk.model.put("personality", "dry")
    desk.model.discard()
    assert desk.model.draft == CARD
    await desk.undos[-1][1]()
    assert desk.model.draft.personality == "dry"


async def test_greetings_are_added_changed_and_removed(desk: Desk) -> None:
    desk.model.add_greeting()
    desk.model.put_greeting(1, "Shh.")
    assert desk.model.draft.alternate_greetings == ("You again.", "Shh.")
    desk.model.remove_greeting(0)
    assert desk.model.draft.alternate_greetings == ("Shh.",)
    await desk.undos[-1][1]()
    assert desk.model.draft.alternate_greetings == ("You again.", "Shh.")


async def test_a_file_changed_elsewhere_is_taken_over(desk: Desk) -> None:
    other = replace(CARD, scenario="Written elsewhere.")
    desk.profile.save_card(MIRA, other)
    assert await desk.model.check_file()
    assert desk.model.draft == other
    assert not desk.model.conflict
    assert desk.gate.reloaded == [MIRA]
    assert not await desk.model.check_file()


async def test_both_changed_is_a_conflict_that_loses_nothing(desk: Desk) -> None:
    theirs = replace(CARD, scenario="Theirs.")
    desk.model.put("scenario", "Mine.")
    desk.profile.save_card(MIRA, theirs)
    with pytest.raises(UserError, match="changed outside"):
        await desk.model.save()
    assert desk.model.conflict
    assert desk.profile.card(MIRA) == theirs
    await desk.model.save(over_file=True)
    assert desk.profile.card(MIRA).scenario == "Mine."
    await desk.undos[-1][1]()
    assert desk.profile.card(MIRA) == theirs
    desk.model.put("scenario", "Mine again.")
    await desk.model.use_file()
    assert desk.model.draft == theirs
    await desk.undos[-1][1]()
    assert desk.model.draft.scenario == "Mine again."


async def test_tokens_are_counted_or_marked_as_guessed(desk: Desk) -> None:
    assert desk.model.tokens["description"] == 3
    assert desk.model.exact
    assert desk.model.total_tokens == 3
    desk.counter.error = OutsideError("No model.", "Load one.")
    await desk.model.count()
    assert not desk.model.exact
    assert desk.model.tokens["description"] == 5


async def test_markdown_is_the_same_card(desk: Desk) -> None:
    desk.model.put_markdown(desk.model.markdown().replace("Keeps a lighthouse.", "Keeps two."))
    assert desk.model.draft == replace(CARD, description="Keeps two.")


async def test_an_import_changes_nothing_until_it_is_used(desk: Desk, tmp_path: Path) -> None:
    path = tmp_path / "card.json"
    write_card(path, replace(CARD, name="Mirabelle", scenario="A ship."), format="card-v2")
    found = await desk.model.read_import(path, read_card_file)
    assert found.changes == ("Name", "Scenario")
    assert desk.profile.card(MIRA) == CARD
    await desk.model.use_import(found, picture=True)
    assert desk.profile.card(MIRA).name == "Mirabelle"
    await desk.undos[-1][1]()
    assert desk.profile.card(MIRA) == CARD


ENTRY = {"keys": ["forge"], "content": "It is hot.", "enabled": True, "insertion_order": 1, "extensions": {}}


def card_with_lore(path: Path) -> Path:
    write_card(path, replace(CARD, scenario="A ship."), format="card-v2")
    raw = json.loads(path.read_text())
    raw["data"] |= {"character_book": {"entries": [ENTRY], "extensions": {}}, "x_own": 1}
    path.write_text(json.dumps(raw))
    return path


async def test_the_lorebook_of_a_card_comes_with_it_and_goes_with_the_undo(desk: Desk, tmp_path: Path) -> None:
    own = desk.profile.lorebook(MIRA)
    own.write_text("# mine\n[[entries]]\nkeys = ['lamp']\ncontent = 'Bright.'\n")
    found = await desk.model.read_import(card_with_lore(tmp_path / "card.json"), read_card_file)
    assert found.entries == 1
    assert not any("import it by itself" in one for one in found.report)
    assert desk.profile.kept_card(MIRA) is None
    await desk.model.use_import(found, picture=False)
    assert "# mine" in own.read_text()
    assert "It is hot." in own.read_text()
    assert desk.profile.kept_card(MIRA) is not None
    what, undo = desk.undos[-1]
    assert what == "Card imported, with 1 lorebook entry."
    await undo()
    assert "It is hot." not in own.read_text()
    assert desk.profile.kept_card(MIRA) is None
    assert desk.profile.card(MIRA) == CARD


async def test_a_lorebook_that_is_not_wanted_stays_out(desk: Desk, tmp_path: Path) -> None:
    found = await desk.model.read_import(card_with_lore(tmp_path / "card.json"), read_card_file)
    await desk.model.use_import(found, picture=False, lorebook=False)
    assert not desk.profile.lorebook(MIRA).exists()
    again = await desk.model.read_import(card_with_lore(tmp_path / "card.json"), read_card_file)
    await desk.model.use_import(again, picture=False)
    assert desk.profile.lorebook(MIRA).exists()
    await desk.undos[-1][1]()
    assert not desk.profile.lorebook(MIRA).exists()
