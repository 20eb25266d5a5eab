"""The line above the transcript: which channel this is, how full the context is, the way to search and dates."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QToolButton, QWidget

from familiar_app.ui.chat.model import Meter
from familiar_app.ui.kit.button import icon_button
from familiar_app.ui.kit.icon import follow, keep_icon
from familiar_app.ui.kit.label import label, row
from familiar_app.ui.kit.prompt_word import meter
from familiar_app.ui.kit.theme import Theme


class ContextMeter(QWidget):
    """A small bar and a number: how much of the model's context the last prompt took."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self._share = 0.0
        self._bar = _Bar(theme)
        self._text = label("", "faint")
        layout = row(spacing=8)
        layout.addWidget(self._bar)
        layout.addWidget(self._text)
        self.setLayout(layout)
        self.hide()

    def show_meter(self, value: Meter | None) -> None:
        """Show the last prompt's share, or nothing before there was one."""
        self.setVisible(value is not None)
        if value is None:
            return
        text = meter(value.tokens, value.context_tokens, exact=value.exact)
        self._bar.set_share(value.tokens / value.context_tokens if value.context_tokens else 0.0)
        self._text.setText(_short(value))
        self.setToolTip(f"The last prompt took {text}. The rest is room for the answer and for what was said before.")
        self.setAccessibleName(f"Context: {text}")

    def set_narrow(self, narrow: bool) -> None:
        """Leave out the number where there is no room."""
        self._text.setVisible(not narrow)


def _short(value: Meter) -> str:
    sign = "" if value.exact else "≈ "
    return f"{sign}{_thousands(value.tokens)} / {_thousands(value.context_tokens)}"


def _thousands(count: int) -> str:
    return str(count) if count < 1000 else f"{count / 1000:.1f}k"


class _Bar(QWidget):
    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme, self._share = theme, 0.0
        self.setFixedSize(QSize(56, 6))

    def set_share(self, share: float) -> None:
        self._share = min(1.0, max(0.0, share))
        self.update()

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(self._theme.color("background_3"))
        painter.drawRoundedRect(QRectF(self.rect()), 3, 3)
        painter.setBrush(self._theme.color("warning" if self._share > 0.9 else "accent"))
        painter.drawRoundedRect(QRectF(0, 0, max(3.0, self.width() * self._share), self.height()), 3, 3)
        painter.end()


class Header(QWidget):
    """Holds the channel's name (a menu), the meter and the buttons."""

    def __init__(self, theme: Theme, do: Callable[[str], object]) -> None:
        super().__init__()
        self.title = QToolButton()
        self.title.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        self.title.setLayoutDirection(Qt.LayoutDirection.RightToLeft)
        self.title.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Fixed)
        self.title.clicked.connect(lambda _on=False: do("channel_menu"))
        self.title.setFont(theme.font("heading"))
        keep_icon(theme, self.title, "chevron_down", side=14)
        self.meter = ContextMeter(theme)
        self.days = icon_button(theme, "calendar", "Go to a day", lambda: do("day"))
        self.find = icon_button(theme, "search", "Search in this channel", lambda: do("find"), shortcut="Ctrl+F")
        layout = row(spacing=4)
        layout.setContentsMargins(12, 8, 8, 8)
        layout.addWidget(self.title)
        layout.addStretch(1)
        layout.addWidget(self.meter)
        layout.addSpacing(8)
        layout.addWidget(self.days)
        layout.addWidget(self.find)
        self.setLayout(layout)
        follow(theme, self, lambda: self.title.setFont(theme.font("heading")))

    def show_title(self, title: str) -> None:
        """Show the channel's name."""
        shown = title if len(title) <= 40 else title[:39] + "…"
        self.title.setText(shown)
        self.title.setToolTip(title)
        self.title.setAccessibleName(f"Channel {title}, menu")
