"""The window's own actions: panels, palette, history, zoom, lock, familiars. What they do is handed in."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol

from familiar_app.domain.text import tr, tr_later
from familiar_app.ui.kit.action import Action
from familiar_app.ui.kit.theme import ThemeMode
from familiar_app.ui.shell.looks import Looks

WINDOW = tr_later("Window")
"""The heading of what concerns the whole window."""
_THEMES: tuple[tuple[ThemeMode, str], ...] = (
    ("system", tr_later("Use the system's theme")),
    ("light", tr_later("Use the light theme")),
    ("dark", tr_later("Use the dark theme")),
    ("contrast", tr_later("Use the high-contrast theme")),
)


class Commands(Protocol):
    """What the frame can do."""

    def show_panel(self, panel: str) -> None: ...
    def open_palette(self) -> None: ...
    def find(self) -> None: ...
    def go_back(self) -> None: ...
    def go_forward(self) -> None: ...
    def can_go_back(self) -> bool: ...
    def can_go_forward(self) -> bool: ...
    def show_keys(self) -> None: ...
    def show_help(self) -> None: ...
    def can_help(self) -> bool: ...
    def search_everything(self) -> None: ...
    def can_search(self) -> bool: ...
    def undo(self) -> None: ...
    def can_undo(self) -> bool: ...
    def redo(self) -> None: ...
    def can_redo(self) -> bool: ...
    def toggle_local_only(self) -> None: ...
    def choose_familiar(self) -> None: ...
    def add_familiar(self) -> None: ...


def shell_actions(
    do: Commands,
    panels: Sequence[tuple[str, str, str]],
    looks: Looks,
    *,
    lock: Callable[[], object],
    close_vault: Callable[[], object],
    leave: Callable[[], object],
) -> list[Action]:
    """Return the actions that are always there. `panels` are (id, title, icon) in the order of the rail."""
    return [
        *_panels(do, panels),
        *_ways(do),
        *_text_size(looks),
        *_window(do, lock, close_vault, leave),
        *_familiars(do),
        *_themes(looks),
    ]


def _panels(do: Commands, panels: Sequence[tuple[str, str, str]]) -> list[Action]:
    return [
        Action(
            f"panel.{panel}",
            tr("Go to {panel}", panel=title),
            lambda chosen=panel: do.show_panel(chosen),
            f"Alt+{number % 10}" if number <= 10 else "",
            icon,
            tr("Panels"),
            name=title,
        )
        for number, (panel, title, icon) in enumerate(panels, 1)
    ]


def _ways(do: Commands) -> list[Action]:
    group = tr(WINDOW)
    return [
        Action("shell.palette", tr("Command palette"), do.open_palette, "Ctrl+K", "search", group),
        Action("shell.find", tr("Find in this panel"), do.find, "Ctrl+F", "search", group),
        Action("shell.back", tr("Back"), do.go_back, "Alt+Left", "chevron_left", group, enabled=do.can_go_back),
        Action(
            "shell.forward",
            tr("Forward"),
            do.go_forward,
            "Alt+Right",
            "chevron_right",
            group,
            enabled=do.can_go_forward,
        ),
        Action(
            "shell.search",
            tr("Search everything"),
            do.search_everything,
            "Ctrl+Shift+F",
            "search",
            group,
            words=tr("find messages facts people reflections memories lorebook prompts"),
            enabled=do.can_search,
        ),
        Action("shell.undo", tr("Undo"), do.undo, "Ctrl+Z", "undo", group, enabled=do.can_undo),
        Action("shell.redo", tr("Redo"), do.redo, "Ctrl+Shift+Z", "redo", group, tr("do again"), enabled=do.can_redo),
        Action(
            "shell.help",
            tr("Help: about this panel"),
            do.show_help,
            "F1",
            "question",
            group,
            words=tr("manual documentation guide"),
            enabled=do.can_help,
        ),
        Action(
            "shell.keys",
            tr("All keys"),
            do.show_keys,
            "Shift+F1",
            "question",
            group,
            words=tr("help shortcuts keyboard"),
        ),
    ]


def _text_size(looks: Looks) -> list[Action]:
    zoom, group = looks.zoom, tr(WINDOW)
    return [
        Action("shell.larger", tr("Larger text"), lambda: zoom(1), "Ctrl++", "plus", group, words=tr("zoom in")),
        Action("shell.smaller", tr("Smaller text"), lambda: zoom(-1), "Ctrl+-", "search", group, words=tr("zoom out")),
        Action(
            "shell.ordinary",
            tr("Ordinary text size"),
            lambda: zoom(0),
            "Ctrl+0",
            "search",
            group,
            words=tr("zoom reset"),
        ),
    ]


def _window(
    do: Commands, lock: Callable[[], object], close_vault: Callable[[], object], leave: Callable[[], object]
) -> list[Action]:
    group = tr(WINDOW)
    return [
        Action("shell.lock", tr("Lock the window"), lock, "Ctrl+L", "lock", group, words=tr("cover hide away")),
        Action(
            "shell.close_vault",
            tr("Close the vault"),
            close_vault,
            "Ctrl+Shift+L",
            "lock",
            group,
            words=tr("lock stop"),
        ),
        Action("shell.quit", tr("Quit"), leave, "Ctrl+Q", "close", group, words=tr("exit")),
        Action(
            "shell.local_only",
            tr("Local only: switch on or off"),
            do.toggle_local_only,
            "",
            "shield",
            group,
            tr("network"),
        ),
    ]


def _familiars(do: Commands) -> list[Action]:
    return [
        Action("shell.familiar", tr("Switch familiar"), do.choose_familiar, "", "familiar", tr("Familiars")),
        Action(
            "shell.add_familiar",
            tr("Add a familiar"),
            do.add_familiar,
            "",
            "plus",
            tr("Familiars"),
            words=tr("new character import"),
        ),
    ]


def _themes(looks: Looks) -> list[Action]:
    return [
        Action(
            f"theme.{mode}",
            tr(title),
            lambda chosen=mode: looks.use_theme(chosen),
            "",
            "eye",
            tr("Look"),
            tr("color dark light"),
        )
        for mode, title in _THEMES
    ]
