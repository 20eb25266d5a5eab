"""What is looked for, what is found of every kind, and what is said where something is missing."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from familiar_app.domain.errors import OutsideError
from familiar_app.domain.ids import ChannelId
from familiar_app.domain.trace import PromptTrace, TracedMessage
from familiar_app.ui.search.found import FEW, LONGEST, Found, excerpt, group, marked
from familiar_app.ui.search.listing import first_choice, rows_of, when
from familiar_app.ui.search.model import SearchModel
from familiar_app.ui.search.wanted import Wanted, read_day
from tests.unit.ui.search.archive import ANN, BEN, GARDEN, MIRA, NOW, Archive, close, day, make_archive

OSLO = ZoneInfo("Europe/Oslo")


@pytest.fixture
async def archive(tmp_path: Path) -> AsyncIterator[Archive]:
    made = await make_archive(tmp_path)
    yield made
    await close(made)


async def model_of(archive: Archive, *, indexed: bool = True) -> SearchModel:
    if indexed:
        archive.vault.index.start(archive.tasks)
        await archive.vault.index.ready()
    model = SearchModel(archive.services, MIRA, UTC)
    await model.load()
    return model


async def keep_prompt(archive: Archive, text: str, *, at: datetime) -> int:
    trace = PromptTrace(
        familiar=MIRA, channel=GARDEN, mode="reply", purpose="reply", at=at, model="plain-7b", provider="scripted",
        context_tokens=100, answer_tokens=10, tokens=50, exact_tokens=True, layers=(), sampling={},
        messages=(TracedMessage(role="user", content=text, layer="recent_history"),),
    )  # fmt: skip
    return await archive.vault.traces.put(trace)


async def look(model: SearchModel, text: str, **filters: object) -> dict[str, list[Found]]:
    model.wanted = Wanted(text, **filters)  # type: ignore[arg-type]
    await model.search()
    return {one.kind: list(one.found) for one in model.groups}


class TestDates:
    def test_a_month_ends_with_the_next_one(self) -> None:
        assert read_day("2024-12", UTC) == datetime(2024, 12, 1, tzinfo=UTC)
        assert read_day("2024-12", UTC, end=True) == datetime(2025, 1, 1, tzinfo=UTC)

    def test_a_day_is_that_of_the_zone(self) -> None:
        assert read_day("2024-05-03", OSLO) == datetime(2024, 5, 2, 22, tzinfo=UTC)
        assert read_day("2024", OSLO, end=True) == datetime(2024, 12, 31, 23, tzinfo=UTC)

    def test_a_date_may_go_from_day_to_year_with_dots_between(self) -> None:
        assert read_day("3.5.2024", UTC) == datetime(2024, 5, 3, tzinfo=UTC)
        assert read_day("03. 05. 2024", UTC, end=True) == datetime(2024, 5, 4, tzinfo=UTC)
        assert read_day("12.2024", UTC, end=True) == datetime(2025, 1, 1, tzinfo=UTC)

    @pytest.mark.parametrize(
        "text", ["yesterday", "2024-13", "2024-02-30", "24", "0000", "9999-12-31", "30.2.2024", "3.5.", "1.2.3.2024"]
    )
    def test_what_is_no_date_is_told(self, text: str) -> None:
        with pytest.raises(ValueError):
            read_day(text, UTC, end=True)

    def test_nothing_is_no_date(self) -> None:
        assert read_day("  ", UTC) is None


class TestExcerpts:
    def test_a_long_text_is_shown_around_the_word(self) -> None:
        line, spans = excerpt(f"{'sand ' * 90}lighthouse {'sea ' * 90}", ["lighthouse"])
        assert line.startswith("… ")
        assert line.endswith(" …")
        assert [line[start:end] for start, end in spans] == ["lighthouse"]

    def test_of_several_words_the_longest_is_shown(self) -> None:
        line, _ = excerpt(f"The sea. {'The sand. ' * 40}The lighthouse.", ["the", "lighthouse"])
        assert line.endswith("The lighthouse.")
        assert len(line) < 70

    def test_words_are_marked_whatever_their_case(self) -> None:
        assert marked("The LAMP and the lamplight", ["lamp"]) == ((4, 8), (17, 21))

    def test_signs_of_patterns_are_letters_here(self) -> None:
        assert marked("a+b (c)", ["(c)", "a+b"]) == ((0, 3), (4, 7))

    @given(st.text(max_size=900), st.lists(st.text(min_size=1, max_size=6), max_size=4))
    def test_marks_lie_in_the_line_in_order(self, text: str, words: list[str]) -> None:
        line, spans = excerpt(text, [word.casefold() for word in words if word.strip()])
        assert len(line) <= LONGEST + 4
        edges = [0, *(edge for span in spans for edge in span), len(line)]
        assert edges == sorted(edges)


class TestRows:
    def found(self, number: int) -> Found:
        return Found("turn", str(number), "Ann", "text", (("chat", "1:1"),), NOW)

    def test_a_long_group_ends_with_the_way_to_the_rest(self) -> None:
        rows = rows_of([group("turn", [self.found(n) for n in range(FEW + 2)], few=True)], NOW, UTC)
        assert [row.sort for row in rows] == ["heading", *["found"] * FEW, "more"]
        assert rows[0].text == "Messages · 7"
        assert rows[-1].text == "2 more messages"

    def test_a_group_that_was_cut_says_so(self) -> None:
        cut = group("fact", [self.found(n) for n in range(FEW + 3)], few=True, cut=True)
        assert (cut.heading, cut.rest) == ("Facts · 8 or more", "3 more facts")

    def test_one_more_is_shown_instead_of_a_row_that_says_so(self) -> None:
        rows = rows_of([group("turn", [self.found(n) for n in range(FEW + 1)], few=True)], NOW, UTC)
        assert [row.sort for row in rows] == ["heading", *["found"] * (FEW + 1)]

    def test_what_was_chosen_stays_chosen(self) -> None:
        rows = rows_of([group("turn", [self.found(1), self.found(2)], few=True)], NOW, UTC)
        assert first_choice(rows, self.found(2)) == 2
        assert first_choice(rows, self.found(9)) == 1
        assert first_choice([], None) == -1

    def test_days_are_written_as_short_as_they_can_be(self) -> None:
        times = (day(0), day(-3), day(-400), None)
        assert [when(at, NOW, UTC) for at in times] == ["12:00", "28 Apr", "28 Mar 2023", ""]


class TestEverything:
    async def test_each_kind_is_found_and_leads_to_its_place(self, archive: Archive) -> None:
        model, ids = await model_of(archive), archive.ids
        found = await look(model, "lighthouse")
        assert list(found) == ["person", "turn", "fact", "memory", "reflection", "lore", "prompt"]
        ways = {kind: {one.ways[0] for one in things} for kind, things in found.items()}
        assert ways["turn"] == {
            ("chat", f"{ids['garden']}:{ids['old']}"),
            ("chat", f"{ids['garden']}:{ids['ben']}"),
            ("chat", f"{ids['garden']}:{ids['mira']}"),
            ("chat", f"{ids['main']}:{ids['long']}"),
        }
        assert ways["fact"] == {("timeline", str(ids["fact"])), ("timeline", str(ids["past"]))}
        assert ways["person"] == {("people", BEN)}
        assert ways["memory"] == {("memories", str(ids["memory"]))}
        assert ways["reflection"] == {("reflections", str(ids["reflection"]))}
        assert ways["lore"] == {("lorebook", "The coast/7")}
        assert ways["prompt"] == {("prompts", str(ids["trace"]))}

    async def test_every_word_counts(self, archive: Archive) -> None:
        found = await look(await model_of(archive), "lighthouse stamps", kind="memory")
        assert [one.id for one in found["memory"]] == [str(archive.ids["memory"])]
        assert await look(await model_of(archive), "lighthouse teapot", kind="memory") == {}

    async def test_what_is_no_longer_believed_says_so(self, archive: Archive) -> None:
        found = await look(await model_of(archive), "lighthouse", kind="fact")
        assert {one.id: one.note for one in found["fact"]} == {
            str(archive.ids["fact"]): "",
            str(archive.ids["past"]): "no longer believed",
        }

    async def test_part_of_a_word_is_found_in_messages_too(self, archive: Archive) -> None:
        found = await look(await model_of(archive), "ighthous", kind="turn")
        assert len(found["turn"]) == 4

    async def test_a_familiars_own_words_carry_its_name(self, archive: Archive) -> None:
        found = await look(await model_of(archive), "before I came", kind="turn")
        assert [one.title for one in found["turn"] if one.id == str(archive.ids["mira"])] == ["Mira"]

    async def test_one_letter_is_too_few(self, archive: Archive) -> None:
        assert await look(await model_of(archive), " a ") == {}


class TestFilters:
    async def test_a_channel(self, archive: Archive) -> None:
        found = await look(await model_of(archive), "lighthouse", channel=ChannelId(archive.ids["main"]))
        assert {kind: [one.id for one in things] for kind, things in found.items()} == {
            "turn": [str(archive.ids["long"])]
        }

    async def test_a_person(self, archive: Archive) -> None:
        found = await look(await model_of(archive), "lighthouse", person=ANN)
        assert {one.id for one in found["turn"]} == {str(archive.ids["old"]), str(archive.ids["long"])}
        assert [one.id for one in found["fact"]] == [str(archive.ids["fact"])]
        assert list(found) == ["turn", "fact", "memory"]

    async def test_a_rare_speaker_of_common_words_is_found_far_back(
        self, archive: Archive, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr("familiar_app.ui.search.reading.DEEP", 2)
        found = await look(await model_of(archive), "the lighthouse", kind="turn", person=ANN, until=day(-300))
        assert [one.id for one in found["turn"]] == [str(archive.ids["old"])]

    async def test_days(self, archive: Archive) -> None:
        found = await look(await model_of(archive), "lighthouse", since=day(-3), until=day(-2))
        assert [one.id for one in found["turn"]] == [str(archive.ids["ben"])]
        assert [one.id for one in found["fact"]] == [str(archive.ids["past"])]
        assert "lore" not in found

    async def test_prompts_by_their_channel_and_day(self, archive: Archive) -> None:
        model = await model_of(archive)
        assert len((await look(model, f"garden {day(-2):%Y-%m-%d}"))["prompt"]) == 1
        assert "prompt" not in await look(model, f"garden {day(-3):%Y-%m-%d}")
        assert model.reading.names.keys[GARDEN].title == "garden"


class TestWordsOfPrompts:
    async def test_a_word_within_a_prompt_is_found_and_shown(self, archive: Archive) -> None:
        number = await keep_prompt(archive, "Under the old pier a heron waits.", at=day(-1))
        model = await model_of(archive)
        found = (await look(model, "heron"))["prompt"]
        assert [(one.id, one.ways) for one in found] == [(str(number), (("prompts", str(number)),))]
        assert found[0].text == "Under the old pier a heron waits."
        assert [found[0].text[start:end] for start, end in found[0].text_spans] == ["heron"]
        assert model.prompt_words() == ""

    async def test_words_may_stand_in_the_prompt_and_above_it(self, archive: Archive) -> None:
        number = await keep_prompt(archive, "A heron waits.", at=day(-1))
        model = await model_of(archive)
        assert [one.id for one in (await look(model, "garden heron"))["prompt"]] == [str(number)]
        assert "prompt" not in await look(model, "teapot heron")

    async def test_newest_first_whether_in_the_prompt_or_above_it(self, archive: Archive) -> None:
        number = await keep_prompt(archive, "Is the lighthouse lit?", at=day(-1))
        found = (await look(await model_of(archive), "lighthouse"))["prompt"]
        assert [one.id for one in found] == [str(number), str(archive.ids["trace"])]

    async def test_filters_hold_for_them_as_well(self, archive: Archive) -> None:
        await keep_prompt(archive, "A heron waits.", at=day(-1))
        model = await model_of(archive)
        assert "prompt" not in await look(model, "heron", channel=ChannelId(archive.ids["main"]))
        assert "prompt" not in await look(model, "heron", until=day(-2))
        assert "prompt" not in await look(model, "heron", person=ANN)
        assert "prompt" not in await look(model, "heron", kind="turn")

    async def test_where_there_are_too_many_the_newest_are_looked_through_and_it_says_so(
        self, archive: Archive, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr("familiar_app.ui.search.prompts.DEEPEST", 2)
        await keep_prompt(archive, "A heron waits.", at=day(-1))
        for _ in range(2):
            await keep_prompt(archive, "Nothing here.", at=day(-1))
        model = await model_of(archive)
        assert "prompt" not in await look(model, "heron")
        assert model.prompt_words() == "Looked through the newest 2 of 4 prompts."

    async def test_given_up_in_the_middle_it_says_how_far_it_came(
        self, archive: Archive, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr("familiar_app.ui.search.prompts.AT_ONCE", 1)
        for _ in range(3):
            await keep_prompt(archive, "A heron waits.", at=day(-1))
        model = await model_of(archive)
        said: list[str] = []

        def hear(_what: str) -> None:
            said.append(model.prompt_words())
            if model.looked is not None and model.looked.count == 2:
                task.cancel()

        model.watch(hear)
        model.wanted = Wanted("heron")
        task = asyncio.ensure_future(model.search())
        with pytest.raises(asyncio.CancelledError):
            await task
        assert not model.searching
        assert "Looking through the prompts: 1 of 4." in said
        assert model.prompt_words() == "Looked through the newest 2 of 4 prompts."
        assert [one.kind for one in model.groups] == ["prompt"]

    async def test_where_they_cannot_be_read_what_was_found_stays(
        self, archive: Archive, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        async def broken(_wanted: object) -> dict[object, str]:
            raise OutsideError("The disk does not answer.", "Look whether it is plugged in.")

        model = await model_of(archive)
        monkeypatch.setattr(archive.vault.traces, "holding", broken)
        await keep_prompt(archive, "A heron waits.", at=day(-1))
        found = await look(model, "lighthouse")
        assert "prompt" in found
        assert [one.kind for one in model.troubles] == ["prompt"]


class TestWhatFails:
    async def test_without_an_index_the_log_is_read_and_it_says_so(self, archive: Archive) -> None:
        model = await model_of(archive, indexed=False)
        found = await look(model, "lighthouse", kind="turn")
        assert len(found["turn"]) == 4
        assert "no search index" in model.index_words()

    async def test_once_the_index_is_whole_one_has_to_look_again(self, archive: Archive) -> None:
        archive.vault.index.start(archive.tasks)
        await asyncio.sleep(0)
        model = SearchModel(archive.services, MIRA, UTC)
        assert "is being built" in model.index_words()
        assert await model.wait_for_index()
        assert not await model.wait_for_index()
        assert model.index_words() == ""

    async def test_a_kind_that_fails_keeps_nothing_from_the_others(self, archive: Archive) -> None:
        async def broken(_wanted: Wanted) -> list[Found]:
            raise OutsideError("The disk does not answer.", "Look whether it is plugged in.")

        model = await model_of(archive)
        model.reading.kinds = {**model.reading.kinds, "fact": broken}
        found = await look(model, "lighthouse")
        assert "turn" in found
        assert [one.text[:30] for one in model.troubles] == ["Facts could not be searched: T"]
        assert not model.searching

    async def test_one_that_is_given_up_does_not_end_the_next(self, archive: Archive) -> None:
        model = await model_of(archive)
        model.wanted = Wanted("lighthouse")
        first = asyncio.ensure_future(model.search())
        await asyncio.sleep(0)
        second = asyncio.ensure_future(model.search())
        first.cancel()
        await asyncio.sleep(0)
        assert model.searching
        await second
        assert not model.searching

    async def test_without_its_panel_a_thought_leads_to_what_it_cites(self, archive: Archive) -> None:
        model = await model_of(archive)
        thought = (await look(model, "misses", kind="reflection"))["reflection"][0]
        assert await model.way(thought, {"chat"}) == ("chat", f"{archive.ids['garden']}:{archive.ids['ben']}")
        assert await model.way(thought, {"reflections", "chat"}) == ("reflections", thought.id)
        assert await model.way(replace(thought, ways=(("turn", "999"),)), {"chat"}) is None
