"""Acts that are taken back and done again, and the bar that shows the last one."""

from __future__ import annotations

from collections.abc import Callable

from familiar_app.ui.kit.undo import LONGEST, Act, Acts
from familiar_app.ui.shell.undoing import Undoing


class Page:
    """Something whose changes can be told apart."""

    def __init__(self) -> None:
        self.events: list[str] = []

    def act(self, name: str) -> Act:
        return Act(name, lambda: self.events.append(f"-{name}"), lambda: self.events.append(f"+{name}"))


class ShownBar:
    """A bar that shows its last offer until it is cleared."""

    def __init__(self) -> None:
        self.run: Callable[[], object] | None = None

    @property
    def offered(self) -> bool:
        return self.run is not None

    def offer(self, _text: str, undo: Callable[[], object]) -> None:
        self.run = undo

    def undo(self) -> None:
        run, self.run = self.run, None
        if run is not None:
            run()

    def clear(self) -> None:
        self.run = None


def test_the_last_act_goes_first_and_comes_back_last() -> None:
    page, acts = Page(), Acts()
    acts.add(page.act("a"))
    acts.add(page.act("b"))
    acts.undo()
    acts.undo()
    assert acts.undo() is None
    acts.redo()
    assert page.events == ["-b", "-a", "+a"]
    assert [one.text for one in acts.done] == ["a"]


def test_a_new_act_ends_what_could_be_done_again() -> None:
    page, acts = Page(), Acts()
    acts.add(page.act("a"))
    acts.undo()
    acts.add(page.act("b"))
    assert acts.redo() is None
    assert page.events == ["-a"]


def test_an_act_before_the_last_can_be_taken_back_by_itself() -> None:
    page, acts = Page(), Acts()
    first = page.act("a")
    acts.add(first)
    acts.add(page.act("b"))
    assert acts.undo(first) is first
    assert acts.undo(first) is None
    assert [one.text for one in acts.done] == ["b"]


def test_only_so_many_are_kept() -> None:
    page, acts = Page(), Acts()
    for number in range(LONGEST + 5):
        acts.add(page.act(str(number)))
    assert len(acts.done) == LONGEST
    assert acts.done[0].text == "5"


def test_with_a_redo_an_act_outlives_its_bar() -> None:
    page, bar, told = Page(), ShownBar(), []
    undoing = Undoing(bar, told.append)
    act = page.act("Channel renamed.")
    undoing.offer(act.text, act.undo, act.redo)
    bar.clear()
    assert undoing.can_undo
    undoing.undo()
    assert not undoing.can_undo
    undoing.redo()
    assert page.events == ["-Channel renamed.", "+Channel renamed."]
    assert told == ["Undone: Channel renamed.", "Done again: Channel renamed."]


def test_without_one_it_ends_with_its_bar() -> None:
    page, bar = Page(), ShownBar()
    undoing = Undoing(bar, lambda _text: None)
    undoing.offer("Deleted.", page.act("a").undo, None)
    assert undoing.can_undo
    bar.clear()
    assert not undoing.can_undo
    undoing.undo()
    assert page.events == []


def test_the_button_of_the_bar_takes_back_the_act_that_it_shows() -> None:
    page, bar = Page(), ShownBar()
    undoing = Undoing(bar, lambda _text: None)
    for name in ("a", "b"):
        act = page.act(name)
        undoing.offer(name, act.undo, act.redo)
    bar.undo()
    assert page.events == ["-b"]
    assert [one.title for one in undoing.actions()] == ["Undo: a", "Redo: b"]


def test_the_palette_takes_back_any_of_the_last_acts() -> None:
    page, bar = Page(), ShownBar()
    undoing = Undoing(bar, lambda _text: None)
    for name in ("a", "b"):
        act = page.act(name)
        undoing.offer(name, act.undo, act.redo)
    [first] = [one for one in undoing.actions() if one.title == "Undo: a"]
    first.run()
    assert page.events == ["-a"]
