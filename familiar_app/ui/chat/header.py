"""The line above the transcript: which channel this is, the way to search and to dates."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QSizePolicy, QToolButton, QWidget

from familiar_app.domain.text import tr
from familiar_app.ui.kit.button import icon_button
from familiar_app.ui.kit.icon import follow, keep_icon
from familiar_app.ui.kit.label import row
from familiar_app.ui.kit.theme import Theme


class Header(QWidget):
    """Holds the channel's name (a menu) and the buttons."""

    def __init__(self, theme: Theme, do: Callable[[str], object]) -> None:
        super().__init__()
        self.title = QToolButton()
        self.title.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        self.title.setLayoutDirection(Qt.LayoutDirection.RightToLeft)
        self.title.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Fixed)
        self.title.clicked.connect(lambda _on=False: do("channel_menu"))
        self.title.setFont(theme.font("heading"))
        keep_icon(theme, self.title, "chevron_down", side=14)
        self.days = icon_button(theme, "calendar", tr("Go to a day"), lambda: do("day"))
        self.find = icon_button(theme, "search", tr("Search in this channel"), lambda: do("find"), shortcut="Ctrl+F")
        layout = row(spacing=4)
        layout.setContentsMargins(12, 8, 8, 8)
        layout.addWidget(self.title)
        layout.addStretch(1)
        layout.addWidget(self.days)
        layout.addWidget(self.find)
        self.setLayout(layout)
        follow(theme, self, lambda: self.title.setFont(theme.font("heading")))

    def show_title(self, title: str) -> None:
        """Show the channel's name."""
        shown = title if len(title) <= 40 else title[:39] + "…"
        self.title.setText(shown)
        self.title.setToolTip(title)
        self.title.setAccessibleName(tr("Channel {name}, menu", name=title))
