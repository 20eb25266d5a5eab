"""How the program looks by the settings: theme, text size, motion; and the acts that change theme and text size."""

from __future__ import annotations

from collections.abc import Callable

from familiar_app.domain.settings import ProfileSettings
from familiar_app.domain.text import tr
from familiar_app.ui.kit.theme import Theme, ThemeMode
from familiar_app.ui.shell.kept_settings import KeptSettings


def apply_looks(theme: Theme, settings: ProfileSettings) -> None:
    """Put the look that the settings want in force."""
    theme.set_mode(settings.theme)
    theme.set_zoom(settings.zoom)
    if settings.reduce_motion != theme.reduce_motion:
        theme.set_reduce_motion(settings.reduce_motion)


class Looks:
    """Changes the look at once and keeps it with the settings; `tell` says a passing word."""

    def __init__(self, theme: Theme, kept: KeptSettings, tell: Callable[[str], object]) -> None:
        self._theme, self._kept, self._tell = theme, kept, tell

    def zoom(self, direction: int) -> None:
        """Make the text larger by a step, smaller for -1, or as it was at first for 0."""
        self._theme.step_zoom(direction)
        self._kept.save("zoom", round(self._theme.zoom, 2))
        self._tell(tr("Text at {n} %", n=round(self._theme.zoom * 100)))

    def use_theme(self, mode: ThemeMode) -> None:
        self._theme.set_mode(mode)
        self._kept.save("theme", mode)
