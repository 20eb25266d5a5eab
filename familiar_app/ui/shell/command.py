"""The window's own actions: panels, palette, history, zoom, lock, familiars. What they do is handed in."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol

from familiar_app.ui.kit.action import Action
from familiar_app.ui.kit.theme import ThemeMode
from familiar_app.ui.shell.looks import Looks

WINDOW = "Window"
"""The heading of what concerns the whole window."""
_THEMES: tuple[tuple[ThemeMode, str], ...] = (
    ("system", "Use the system's theme"),
    ("light", "Use the light theme"),
    ("dark", "Use the dark theme"),
    ("contrast", "Use the high-contrast theme"),
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
            f"Go to {title}",
            lambda chosen=panel: do.show_panel(chosen),
            f"Alt+{number % 10}" if number <= 10 else "",
            icon,
            "Panels",
        )
        for number, (panel, title, icon) in enumerate(panels, 1)
    ]


def _ways(do: Commands) -> list[Action]:
    group = WINDOW
    return [
        Action("shell.palette", "Command palette", do.open_palette, "Ctrl+K", "search", group),
        Action("shell.find", "Find in this panel", do.find, "Ctrl+F", "search", group),
        Action("shell.back", "Back", do.go_back, "Alt+Left", "chevron_left", group, enabled=do.can_go_back),
        Action(
            "shell.forward", "Forward", do.go_forward, "Alt+Right", "chevron_right", group, enabled=do.can_go_forward
        ),
        Action(
            "shell.search",
            "Search everything",
            do.search_everything,
            "Ctrl+Shift+F",
            "search",
            group,
            words="find messages facts people reflections memories lorebook prompts",
            enabled=do.can_search,
        ),
        Action("shell.undo", "Undo", do.undo, "Ctrl+Z", "undo", group, enabled=do.can_undo),
        Action("shell.redo", "Redo", do.redo, "Ctrl+Shift+Z", "redo", group, "do again", enabled=do.can_redo),
        Action(
            "shell.help",
            "Help: about this panel",
            do.show_help,
            "F1",
            "question",
            group,
            words="manual documentation guide",
            enabled=do.can_help,
        ),
        Action("shell.keys", "All keys", do.show_keys, "Shift+F1", "question", group, words="help shortcuts keyboard"),
    ]


def _text_size(looks: Looks) -> list[Action]:
    zoom, group = looks.zoom, WINDOW
    return [
        Action("shell.larger", "Larger text", lambda: zoom(1), "Ctrl++", "plus", group, words="zoom in"),
        Action("shell.smaller", "Smaller text", lambda: zoom(-1), "Ctrl+-", "search", group, words="zoom out"),
        Action("shell.ordinary", "Ordinary text size", lambda: zoom(0), "Ctrl+0", "search", group, words="zoom reset"),
    ]


def _window(
    do: Commands, lock: Callable[[], object], close_vault: Callable[[], object], leave: Callable[[], object]
) -> list[Action]:
    group = WINDOW
    return [
        Action("shell.lock", "Lock the window", lock, "Ctrl+L", "lock", group, words="cover hide away"),
        Action(
            "shell.close_vault",
            "Close the vault",
            close_vault,
            "Ctrl+Shift+L",
            "lock",
            group,
            words="lock stop",
        ),
        Action("shell.quit", "Quit", leave, "Ctrl+Q", "close", group, words="exit"),
        Action(
            "shell.local_only", "Local only: switch on or off", do.toggle_local_only, "", "shield", group, "network"
        ),
    ]


def _familiars(do: Commands) -> list[Action]:
    return [
        Action("shell.familiar", "Switch familiar", do.choose_familiar, "", "familiar", "Familiars"),
        Action(
            "shell.add_familiar",
            "Add a familiar",
            do.add_familiar,
            "",
            "plus",
            "Familiars",
            words="new character import",
        ),
    ]


def _themes(looks: Looks) -> list[Action]:
    return [
        Action(
            f"theme.{mode}", title, lambda chosen=mode: looks.use_theme(chosen), "", "eye", "Look", "color dark light"
        )
        for mode, title in _THEMES
    ]
