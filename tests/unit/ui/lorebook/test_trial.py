"""The tester: what fires, in which order, why not, and which keys are in the text."""

from __future__ import annotations

import asyncio
import json
import re
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from familiar_app.domain.lorebook.case import run_case
from familiar_app.domain.lorebook.entry import LoreBook, LoreEntry, SecondaryLogic
from familiar_app.domain.lorebook.rules import rules_named
from familiar_app.domain.lorebook.sentence import near, sentence
from familiar_app.domain.lorebook.verdict import Outcome, Reason
from familiar_app.ui.lorebook.tester import Moment, Said, TrialModel, estimate
from familiar_app.ui.lorebook.transfer import export, export_losses, read_import, write_case
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
    assert few.by_uid[2].why == "Its key is there, but 1 entry is in already, which is the most."


def test_each_key_of_the_form_is_looked_for_by_itself(tmp_path: Path) -> None:
    shown = entry(1, "fox", "/d.n/i", "hen", secondary_keys=("in",), enabled=False)
    assert ask(tmp_path, [shown], "A fox in its DEN.", shown=shown).matching == {"fox", "/d.n/i", "in"}


def test_a_key_is_looked_for_as_the_decorators_of_its_entry_say(tmp_path: Path) -> None:
    shown = entry(1, "fox", content="@@match_partial_word\nA cub.")
    assert ask(tmp_path, [shown], "Two foxes.", shown=shown).matching == {"fox"}


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
    tester.fill(Said((Moment("Jo: one\n\ntwo", "noon"), Moment("Mira: three", "one")), 5))
    assert tester.messages() == ("Jo: one\ntwo", "Mira: three")


def test_the_tester_goes_back_through_a_chat_until_something_is_typed() -> None:
    tester, heard = TrialModel(lambda: None, lambda: None), []
    tester.watch(heard.append)
    tester.fill(Said(tuple(Moment(f"Jo: {n}", f"12:0{n}") for n in range(5)), 2))
    assert (tester.messages(), tester.moment_words()) == (("Jo: 3", "Jo: 4"), "12:04, newest")
    tester.go_back(3)
    assert (tester.messages(), tester.moment_words()) == (("Jo: 0", "Jo: 1"), "12:01, 3 back")
    tester.go_back(99)
    assert (tester.messages(), tester.back) == (("Jo: 0",), tester.most_back)
    assert heard == ["text", "moment"] * 3
    tester.put_text("Typed.")
    assert (tester.said.moments, tester.moment_words(), heard[-1]) == ((), "", "moment")


async def after_test(folder: Path, entries: list[LoreEntry], text: str, **chosen) -> TrialModel:
    terms = terms_of(folder)
    terms = replace(terms, chosen=terms.chosen.model_copy(update=chosen))
    tester = TrialModel(lambda: terms, lambda: None)
    tester.put_text(text)
    assert await tester.run(LoreBook(name="b", entries=tuple(entries)), None)
    return tester


async def test_passes_can_be_stepped_through(tmp_path: Path) -> None:
    entries = [entry(1, "fox", content="Foxes live in a den."), entry(2, "den"), entry(3, "Den", case_sensitive=True)]
    tester = await after_test(tmp_path, entries, "A fox.", recursive="on")
    assert [[one.uid for one in one_pass.came] for one_pass in tester.trial.passes] == [[1], [2], []]
    assert tester.summary().startswith("2 entries fire, 1 nearly.")
    tester.go_to(2)
    assert tester.summary() == "Pass 2 of 3, over entries that are in: 1 entry came in."
    assert [(one.uid, one.why) for one in tester.listed()] == [
        (2, "“den” is in an entry that fired before."),
        (3, "“Den” is there, but with other capitals."),
    ]
    tester.go_to(7)
    assert tester.summary() == "Pass 3 of 3, over entries that are in: nothing came in."
    tester.go_to(0)
    tester.show_every(True)
    assert {one.uid for one in tester.listed()[:2]} == {1, 2}


async def test_every_entry_has_a_reason_when_all_are_listed(tmp_path: Path) -> None:
    tester = await after_test(tmp_path, [entry(1, "fox"), entry(2, "owl"), entry(3, "elk", enabled=False)], "A fox.")
    assert [one.uid for one in tester.listed()] == [1]
    tester.show_every(True)
    assert [(one.uid, one.why) for one in tester.listed()] == [
        (1, "“fox” is in message 1."),
        (2, "None of its keys is in the text."),
        (3, "It is switched off."),
    ]


async def test_what_woke_an_entry_is_marked_in_the_text_as_it_was_typed(tmp_path: Path) -> None:
    text = "  Nothing here 🦊.\n \n\tThen a fox; \n\n and Dens."
    tester = await after_test(tmp_path, [entry(1, "fox"), entry(2, "den")], text)
    assert [(text[start:end], one.uid, one.fires) for start, end, one in tester.marks()] == [
        ("fox", 1, True),
        ("Den", 2, False),
    ]


@given(st.text(alphabet="ab \t\n", max_size=60))
def test_messages_are_found_again_in_the_text(text: str) -> None:
    tester = TrialModel(lambda: None, lambda: None)
    tester.put_text(text)
    parts = [part.strip() for part in re.split(r"\n[ \t]*\n", text)]
    assert list(tester.messages()) == [part for part in parts if part]


async def test_a_saved_case_gives_the_same_result(tmp_path: Path) -> None:
    entries = [
        entry(1, "fox", content="{{char}} saw it in the den."),
        entry(2, "den", probability=60),
        entry(3, "{{user}}", group="g"),
        entry(4, "fox", group="g", order=7),
    ]
    tester = await after_test(tmp_path, entries, "You: A fox.\n\nMira: Where?", recursive="on", recent_window=3)
    run = tester.trial.run
    write_case(run, tmp_path / "case.json", "A fox")
    case = json.loads((tmp_path / "case.json").read_text(encoding="utf-8"))
    assert case["title"] == "A fox"
    assert run_case(case, rules_named(case["rules"])) == case["expect"]
    assert case["expect"]["activated"] == run.activation.names
    assert len(case["expect"]["activated"]) == 3


async def test_import_says_what_is_not_as_it_was_and_export_what_is_lost(tmp_path: Path) -> None:
    path = tmp_path / "world.json"
    path.write_text(json.dumps({"entries": {"0": {"uid": 0, "key": ["fox"], "content": "x", "depth": "deep"}}}))
    found = read_import(path)
    assert (found.format, [one.keys for one in found.book.entries]) == ("sillytavern", [("fox",)])
    assert any(line.startswith("depth: ") and "fox" in line for line in found.lines)
    model = await loaded(tmp_path)
    model.change(1, sticky=3)
    assert any(line.startswith("Stays for messages: ") for line in export_losses(model.book, "kobold"))
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


async def test_what_another_program_said_beyond_our_fields_survives_the_editor(tmp_path: Path) -> None:
    told = {
        "entries": {"0": {"uid": 0, "key": ["fox"], "comment": "Fox", "content": "x", "theirs": {"deep": [1, 2]}}},
        "extensions": {"colour": "red"},
    }
    (tmp_path / "world.json").write_text(json.dumps(told))
    model = await loaded(tmp_path)
    model.bring_in(read_import(tmp_path / "world.json").book, replace_all=True)
    model.change(model.book.entries[0].uid, comment="The fox")
    await model.save()
    again = await loaded(tmp_path, (tmp_path / "lorebook.toml").read_text(encoding="utf-8"))
    export(again.book, tmp_path / "out.json", "sillytavern")
    written = json.loads((tmp_path / "out.json").read_text(encoding="utf-8"))
    assert written["extensions"] == {"colour": "red"}
    (entry,) = written["entries"].values()
    assert (entry["comment"], entry["theirs"]) == ("The fox", {"deep": [1, 2]})


async def test_the_owners_description_and_note_are_searched_as_in_a_prompt(tmp_path: Path) -> None:
    terms = terms_of(tmp_path)
    note = terms.chosen.note.model_copy(update={"text": "{{char}} is tired.", "searched": True})
    chosen = terms.chosen.model_copy(update={"owner_description": "A keeper of bees.", "note": note})
    entries = [entry(1, "bees", sources=("persona_description",)), entry(2, "bees"), entry(3, "tired")]
    tester = TrialModel(lambda: replace(terms, chosen=chosen), lambda: None)
    tester.put_text("Hello.")
    await tester.run(LoreBook(name="b", entries=tuple(entries)), None)
    assert {one.uid: one.why for one in tester.trial.fired} == {
        1: "“bees” is in the character's own texts.",
        3: "“tired” is in an inserted prompt.",
    }
