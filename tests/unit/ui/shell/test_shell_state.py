"""History, the search of the palette, and the collection of defects: plain Python."""

from __future__ import annotations

import string

import pytest
from hypothesis import given
from hypothesis import strategies as st

from familiar_app.ui.kit.action import Action
from familiar_app.ui.kit.panel import Place
from familiar_app.ui.shell.crash import MOST_KINDS, CrashLog
from familiar_app.ui.shell.history import LONGEST, History
from familiar_app.ui.shell.palette_model import MOST_SHOWN, fuzzy, search


def action(title: str, *, group: str = "", words: str = "", on: bool = True) -> Action:
    return Action(title.lower(), title, lambda: None, group=group, words=words, enabled=lambda: on)


class TestHistory:
    def test_back_and_forward(self) -> None:
        history = History()
        for key in "abc":
            history.visit(Place("chat", key))
        assert history.back() == Place("chat", "b")
        assert history.back() == Place("chat", "a")
        assert history.back() is None
        assert history.forward() == Place("chat", "b")
        assert history.can_go_forward

    def test_a_new_visit_drops_what_lay_ahead(self) -> None:
        history = History()
        for key in "abc":
            history.visit(Place("chat", key))
        history.back()
        history.visit(Place("log"))
        assert not history.can_go_forward
        assert history.back() == Place("chat", "b")

    def test_the_same_place_counts_once(self) -> None:
        history = History()
        history.visit(Place("chat", "a", "old title"))
        history.visit(Place("chat", "a", "new title"))
        assert not history.can_go_back
        assert history.current == Place("chat", "a", "new title")

    def test_it_does_not_grow_for_ever(self) -> None:
        history = History()
        for number in range(LONGEST + 50):
            history.visit(Place("chat", str(number)))
        steps = 0
        while history.back() is not None:
            steps += 1
        assert steps == LONGEST - 1

    def test_it_is_empty_at_first(self) -> None:
        history = History()
        assert history.current is None
        assert history.back() is None
        assert history.forward() is None


class TestFuzzy:
    def test_runs_and_starts_of_words_win(self) -> None:
        found = [
            match.action.title for match in search("lock", [action("Clock face"), action("Lock"), action("Block")])
        ]
        assert found[0] == "Lock"

    def test_letters_need_not_be_neighbours(self) -> None:
        match = fuzzy("gts", "Go to Settings")
        assert match is not None
        assert match[1] == (0, 3, 6)
        assert fuzzy("stg", "Go to Tea") is None

    def test_case_and_spaces_do_not_matter(self) -> None:
        assert fuzzy("GO  TO", "go to chat") is not None

    def test_other_words_find_an_action_without_marking_its_title(self) -> None:
        (match,) = search("zoom", [action("Larger text", words="zoom in"), action("Quit", words="exit")])
        assert match.action.title == "Larger text"
        assert match.positions == ()

    def test_what_is_off_is_not_offered(self) -> None:
        assert search("", [action("Undo", on=False)]) == []

    def test_recent_ones_come_first_when_nothing_is_typed(self) -> None:
        actions = [action(title) for title in ("Alpha", "Beta", "Gamma")]
        found = [match.action.title for match in search("", actions, recent=("gamma", "beta"))]
        assert found == ["Gamma", "Beta", "Alpha"]

    def test_the_way_to_a_panel_stands_above_a_single_setting_that_begins_with_the_same_word(self) -> None:
        goes = Action("panel.log", "Go to Log", lambda: None, name="Log")
        setting = Action("settings.log_level", "Log level", lambda: None, minor=True)
        found = search("log", [setting, goes])
        assert [match.action.id for match in found] == ["panel.log", "settings.log_level"]
        assert found[0].positions == (6, 7, 8)
        shows = Action("backups.show", "Backups", lambda: None)
        found = search("backups", [Action("settings.backups", "Backups", lambda: None, minor=True), shows])
        assert [match.action.id for match in found] == ["backups.show", "settings.backups"]

    def test_a_list_has_an_end(self) -> None:
        assert len(search("", [action(f"Channel {number}") for number in range(500)])) == MOST_SHOWN

    @given(st.text(max_size=12), st.text(max_size=40))
    def test_positions_are_in_order_and_inside(self, query: str, text: str) -> None:
        match = fuzzy(query, text)
        if match is not None:
            assert list(match[1]) == sorted(set(match[1]))
            assert all(0 <= at < len(text) for at in match[1])

    def test_a_leap_to_a_word_does_not_lose_the_rest(self) -> None:
        assert fuzzy("ba", "ba a") is not None
        match = fuzzy("aa", "ba    a")
        assert match is not None
        assert match[1] == (1, 6)

    @given(st.text(alphabet=string.ascii_lowercase + " ", min_size=1, max_size=30), st.data())
    def test_every_subsequence_is_found(self, text: str, data: st.DataObject) -> None:
        kept = data.draw(st.lists(st.booleans(), min_size=len(text), max_size=len(text)))
        query = "".join(char for char, keep in zip(text, kept, strict=True) if keep)
        assert fuzzy(query, text) is not None


def raised(text: str) -> BaseException:
    try:
        raise RuntimeError(text)
    except RuntimeError as error:
        return error


class TestCrashLog:
    def test_the_same_place_counts_up(self) -> None:
        log = CrashLog()
        assert log.add("chat.load", raised("first"))
        assert not log.add("chat.load", raised("second"))
        assert len(log) == 1
        assert "happened 2 times" in log.text()
        assert "RuntimeError: first" in log.text()

    def test_an_exception_without_a_trace_is_taken_too(self) -> None:
        log = CrashLog()
        assert log.add("task", ValueError("never raised"))
        assert "ValueError: never raised" in log.text()

    def test_many_kinds_are_counted_and_not_kept(self) -> None:
        log = CrashLog()
        for number in range(MOST_KINDS + 5):
            log.add("task", type(f"Error{number}", (Exception,), {})("x"))
        assert len(log) == MOST_KINDS
        assert "and 5 more" in log.text()

    def test_the_text_names_the_version(self) -> None:
        assert CrashLog().text().startswith("Familiar ")


@pytest.mark.parametrize("query", ["", "   "])
def test_an_empty_query_keeps_the_order_of_offers(query: str) -> None:
    actions = [action("Zebra"), action("Apple")]
    assert [match.action.title for match in search(query, actions)] == ["Zebra", "Apple"]
