"""Actions: what can be done, told once, for menus, the command palette, keys and the list of keys. Knows no Qt."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Action:
    """Something the person can do.

    `id` is unique (`chat.new_channel`), `shortcut` a portable key text (`Ctrl+K`), `run` starts it and returns at
    once. `group` is a word for the palette ("Chat", "Channel"); `words` are further words it is found by. `name` is
    what it leads to, where the title says more ("Go to Chat"). One that is `minor`, a single setting or a page of the
    manual, stands below what fits about as well.
    """

    id: str
    title: str
    run: Callable[[], object] = field(compare=False)
    shortcut: str = ""
    icon: str = ""
    group: str = ""
    words: str = ""
    enabled: Callable[[], bool] = field(default=lambda: True, compare=False)
    name: str = ""
    minor: bool = False


class ActionRegistry:
    """All actions that can be run now, by the owner that offers them. Listeners hear of every change."""

    def __init__(self) -> None:
        self._by_owner: dict[str, tuple[Action, ...]] = {}
        self._listeners: list[Callable[[], object]] = []

    def offer(self, owner: str, actions: Iterable[Action]) -> None:
        """Replace everything `owner` offers."""
        self._by_owner[owner] = tuple(actions)
        for listener in self._listeners:
            listener()

    def withdraw(self, owner: str) -> None:
        if self._by_owner.pop(owner, None) is not None:
            for listener in self._listeners:
                listener()

    def listen(self, listener: Callable[[], object]) -> None:
        self._listeners.append(listener)

    def all(self) -> list[Action]:
        return [action for actions in self._by_owner.values() for action in actions]

    def of(self, owner: str) -> tuple[Action, ...]:
        return self._by_owner.get(owner, ())

    def find(self, action_id: str) -> Action | None:
        return next((action for action in self.all() if action.id == action_id), None)

    def clashes(self) -> dict[str, list[str]]:
        """Return the shortcuts that more than one action claims, with the ids of those actions."""
        claimed: dict[str, list[str]] = {}
        for action in self.all():
            if action.shortcut:
                claimed.setdefault(action.shortcut, []).append(action.id)
        return {key: ids for key, ids in claimed.items() if len(ids) > 1}
