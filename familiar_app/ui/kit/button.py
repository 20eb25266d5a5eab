"""Buttons: with text, with an icon alone, as a link. Each has an accessible name and can be reached by Tab."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

from PySide6.QtCore import Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QPushButton, QToolButton

from familiar_app.ui.kit.icon import keep_icon
from familiar_app.ui.kit.key_text import native_key
from familiar_app.ui.kit.label import set_role
from familiar_app.ui.kit.theme import Theme

ButtonRole = Literal["plain", "primary", "danger", "link"]


class Button(QPushButton):
    """A button with text; Return presses it as well as Space."""

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and self.isEnabled():
            self.click()
        else:
            super().keyPressEvent(event)


def button(
    text: str,
    run: Callable[[], object],
    *,
    role: ButtonRole = "plain",
    theme: Theme | None = None,
    icon: str = "",
    tip: str = "",
) -> Button:
    """Make a button with text. `icon` needs the theme."""
    made = Button(text)
    made.setAccessibleName(text.replace("&", ""))
    made.setAutoDefault(False)
    set_role(made, role)
    made.clicked.connect(lambda _checked=False: run())
    if tip:
        made.setToolTip(tip)
    if icon and theme is not None:
        tints = {"primary": "on_accent", "danger": "danger", "link": "accent"}
        keep_icon(theme, made, icon, tints.get(role, "text_2"), side=16)
    return made


def icon_button(
    theme: Theme,
    icon: str,
    name: str,
    run: Callable[[], object] | None = None,
    *,
    role: str = "text_2",
    side: int = 18,
    shortcut: str = "",
    checkable: bool = False,
) -> QToolButton:
    """Make a button that shows an icon alone. `name` is its accessible name and tool tip; `shortcut` is only shown."""
    made = QToolButton()
    made.setAccessibleName(name)
    made.setToolTip(f"{name} ({native_key(shortcut)})" if shortcut else name)
    made.setFocusPolicy(Qt.FocusPolicy.TabFocus)
    made.setCheckable(checkable)
    if run is not None:
        made.clicked.connect(lambda _checked=False: run())
    keep_icon(theme, made, icon, role, side=side)
    return made
