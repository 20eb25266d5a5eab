"""The settings one below the other: a card for each group, a row for each setting, and what a search leaves of them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from PySide6.QtWidgets import QFrame, QLabel, QWidget

from familiar_app.domain.text import tr
from familiar_app.ui.kit.label import column, label, line, set_role
from familiar_app.ui.kit.theme import Theme
from familiar_app.ui.settings.model import SETTINGS, matching
from familiar_app.ui.settings.row import ChoiceRow, MeaningRow, NumberRow, SettingRow, SwitchRow, TextRow, ZoneRow
from familiar_app.ui.settings.setting import Setting

Button = tuple[str, Callable[[], object]]


class SettingList:
    """`rows` has the row of each setting by its key, `groups` a heading, a card and hairlines for each group.

    Once `layout` stands in its widget, call `divide`: what is shown before that is a window of its own.
    """

    def __init__(
        self, theme: Theme, changed: Callable[[Setting, Any], None], button_of: Callable[[Setting], Button]
    ) -> None:
        self._theme, self._changed, self._button_of = theme, changed, button_of
        self.rows: dict[str, SettingRow] = {}
        self.groups: dict[str, tuple[QLabel, QFrame, list[QWidget]]] = {}
        self.layout = column(spacing=8)
        self.layout.setContentsMargins(24, 16, 24, 24)
        for group in dict.fromkeys(setting.group for setting in SETTINGS):
            self._build_group(group)
        self._nothing = label(tr("No setting fits."), "quiet")
        self._nothing.hide()
        self.layout.addWidget(self._nothing)
        self.layout.addStretch(1)

    def show_only(self, query: str) -> None:
        """Show the settings that fit a search."""
        shown = {setting.key for setting in matching(query)}
        for key, made in self.rows.items():
            made.setVisible(key in shown)
        self.divide()
        self._nothing.setVisible(not shown)

    def divide(self) -> None:
        """Show hairlines between the rows that are shown, and no empty card."""
        for group, (heading, card, dividers) in self.groups.items():
            rows = [self.rows[setting.key] for setting in SETTINGS if setting.group == group]
            seen = False
            for divider, made in zip(dividers, rows, strict=True):
                divider.setVisible(seen and not made.isHidden())
                seen = seen or not made.isHidden()
            heading.setVisible(seen)
            card.setVisible(seen)

    def _build_group(self, group: str) -> None:
        heading = label(tr(group), "heading")
        card = QFrame()
        set_role(card, "card")
        inside = column(spacing=0)
        dividers: list[QWidget] = []
        for setting in (setting for setting in SETTINGS if setting.group == group):
            made = self._make_row(setting)
            divider = line()
            inside.addWidget(divider)
            inside.addWidget(made)
            dividers.append(divider)
            self.rows[setting.key] = made
        card.setLayout(inside)
        self.layout.addSpacing(8)
        self.layout.addWidget(heading)
        self.layout.addWidget(card)
        self.groups[group] = (heading, card, dividers)

    def _make_row(self, setting: Setting) -> SettingRow:
        theme = self._theme
        match setting.kind:
            case "choice":
                return ChoiceRow(theme, setting, self._changed)
            case "number":
                return NumberRow(theme, setting, self._changed)
            case "meaning":
                return MeaningRow(theme, setting, self._changed)
            case "switch":
                return SwitchRow(theme, setting, self._changed)
            case "text":
                return TextRow(theme, setting, self._changed)
            case "zone":
                return ZoneRow(theme, setting, self._changed)
            case _:
                return SettingRow(theme, setting, self._button_of(setting))
