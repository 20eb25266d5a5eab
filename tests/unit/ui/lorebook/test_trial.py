"""The tester: what fires, in which order, why not, and which keys are in the text."""

from __future__ import annotations

import asyncio
import json
from dataclasses import replace
from pathlib import Path

import pytest

from familiar_app.domain.lorebook.entry import LoreBook, LoreEntry, SecondaryLogic
from familiar_app.domain.lorebook.sentence import near, sentence
from familiar_app.domain.lorebook.verdict import Outcome, Reason
from familiar_app.ui.lorebook.tester import TrialModel, estimate
from familiar_app.ui.lorebook.transfer import export, export_losses, read_import
from familiar_app.ui.lorebook.trial import Question, Trial, Trials
from tests.unit.ui.lorebook.stage import CountingModel, loaded, terms_of


def words(text: str) -> int:
    return len(text.split())


def ask(folder: Path, entries: list[LoreEntry], *messages: str, shown: LoreEntry | None = None, **terms) -> Trial:
    book = LoreBook(name="b", entries=tuple(entries))
    question = Question(book, messages, replace(terms_of(folder), **terms), shown)
    return Trials().run(question, words)


def entry(uid: int, *keys: str, **values) -> LoreEntry:
    return LoreEntry(uid=uid, comment=f"e{uid}", keys=keys, content=values.pop("content", "one two three"), **values)


def test_fired_entries_come_highest_first_with_their_tokens(tmp_path: Path) -> None:
    trial = ask(tmp_path, [entry(1, "fox", order=5), entry(2, "den", order=9), entry(3, "owl")], "A fox in its den.")
    assert [(one.uid, one.tokens) for one in trial.fired] == [(2, 3), (1, 3)]
    assert (trial.used_tokens, trial.budget_tokens) == (6, 800)
    assert trial.by_uid[1].why == "“fox” is in message 1."
    assert trial.by_uid[3].why == "None of its keys is in the text."
    assert trial.nearly == ()


def test_near_misses_say_what_is_missing(tmp_path: Path) -> None:
    entries = [
        entry(1, "fox", case_sensitive=True),
        entry(2, "den"),
        entry(3, "Fox", secondary_keys=("owl", "elk"), logic=SecondaryLogic.AND_ALL),
        entry(4, "old", scan_depth=1),
        entry(5, "Fox", enabled=False),
    ]
    trial = ask(tmp_path, entries, "An old tale.", "Fox in its dens with an owl.")
    assert trial.fired == ()
    assert {one.uid: one.why for one in trial.nearly} == {
        1: "“fox” is there, but with other capitals.",
        2: "“den” is there only as part of a longer word.",
        3: "“Fox” is there, but all of its secondary keys have to be there too; missing: “elk”.",
        4: "“old” is 2 messages back; only the last 1 are looked at.",
    }
    assert trial.by_uid[5].why == "It is switched off."


def test_the_budget_names_what_took_it(tmp_path: Path) -> None:
    entries = [entry(1, "fox", order=9, content="a b c d e f"), entry(2, "fox", order=1, content="g h i j")]
    trial = ask(tmp_path, entries, "fox", room_tokens=9)
    assert [one.uid for one in trial.fired] == [1]
    assert trial.overflowed
    assert trial.by_uid[2].why == "No room: it would make 10 of 9 tokens. Most is taken by e1 (6)."
    few = ask(tmp_path, entries, "fox", most_entries=1)
    assert few.by_uid[2].why == "Its key is there, but 1 entries are in already, which is the most."


def test_each_key_of_the_form_is_looked_for_by_itself(tmp_path: Path) -> None:
    shown = entry(1, "fox", "/d.n/i", "hen", secondary_keys=("in",), enabled=False)
    assert ask(tmp_path, [shown], "A fox in its DEN.", shown=shown).matching == {"fox", "/d.n/i", "in"}


def test_every_reason_has_a_sentence() -> None:
    for reason in Reason:
        said = sentence(Outcome(False, reason, {}))
        assert said != reason.value
        assert said.endswith((".", ":"))
    assert not near(Outcome(False, Reason.NO_MATCH, {"nearest": None}))
    assert near(Outcome(False, Reason.GROUP_LOST, {}))
    assert not near(Outcome(True, Reason.KEY, {}))


async def test_a_later_question_overtakes_an_earlier_one(tmp_path: Path) -> None:
    model = await loaded(tmp_path)
    tester = TrialModel(lambda: terms_of(tmp_path), CountingModel)
    tester.put_text("the lighthouse")
    first = asyncio.ensure_future(tester.run(model.book, None))
    await asyncio.sleep(0)
    tester.put_text("nothing of it")
    assert await tester.run(model.book, None)
    assert not await first
    assert [one.name for one in tester.trial.fired] == ["The tide bell"]


async def test_tokens_are_estimates_until_the_model_has_counted(tmp_path: Path) -> None:
    model, counting = await loaded(tmp_path), CountingModel()
    tester = TrialModel(lambda: terms_of(tmp_path), lambda: counting)
    content = model.entry(2).content
    assert tester.tokens_of(content) == estimate(content) == 14
    assert not tester.is_counted(content)
    await tester.count(model.book.entries)
    await tester.count(model.book.entries)
    assert tester.tokens_of(content) == 11
    assert counting.asked == [3]


def test_turns_become_messages() -> None:
    tester = TrialModel(lambda: None, lambda: None)
    tester.fill(["Jo: one\n\ntwo", "Mira: three"])
    assert tester.messages() == ("Jo: one\ntwo", "Mira: three")


async def test_import_says_what_is_not_as_it_was_and_export_what_is_lost(tmp_path: Path) -> None:
    path = tmp_path / "world.json"
    path.write_text(json.dumps({"entries": {"0": {"uid": 0, "key": ["fox"], "content": "x", "depth": "deep"}}}))
    found = read_import(path)
    assert (found.format, [one.keys for one in found.book.entries]) == ("sillytavern", [("fox",)])
    assert any(line.startswith("depth: ") and "fox" in line for line in found.lines)
    model = await loaded(tmp_path)
    model.change(1, sticky=3)
    assert any(line.startswith("sticky: ") for line in export_losses(model.book, "kobold"))
    assert export_losses(model.book, "familiar") == []
    export(model.book, tmp_path / "out.json", "sillytavern")
    assert [one.name for one in read_import(tmp_path / "out.json").book.entries] == [
        "The lighthouse",
        "Keeper Anselm",
        "The tide bell",
    ]


@pytest.mark.parametrize(
    "name", ["sillytavern", "lorebook-v3", "book-v2", "risu", "novelai", "agnai", "kobold", "chub"]
)
async def test_every_offered_format_can_be_written_and_read_back(tmp_path: Path, name: str) -> None:
    model = await loaded(tmp_path)
    export(model.book, tmp_path / "out.json", name)
    assert [one.keys[0] for one in read_import(tmp_path / "out.json").book.entries] == ["lighthouse", "Anselm", "bell"]
