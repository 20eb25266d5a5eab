"""The empty state of a panel: what will be here, the one action that fills it, and the way to the manual."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import Qt
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QLabel, QWidget

from familiar_app.ui.kit.button import button
from familiar_app.ui.kit.help_link import help_link, show_help_link
from familiar_app.ui.kit.icon import follow, pixmap
from familiar_app.ui.kit.label import column, label
from familiar_app.ui.kit.theme import Theme


class EmptyState(QWidget):
    """An icon, a heading, a sentence and at most one button, in the middle of the free space.

    Within a panel a link below leads to its page of the manual.
    """

    def __init__(
        self,
        theme: Theme,
        icon: str,
        heading: str,
        text: str,
        *,
        step: str = "",
        run: Callable[[], object] | None = None,
    ) -> None:
        super().__init__()
        self._theme, self._icon = theme, icon
        self._picture = QLabel()
        self._heading = label(heading, "heading", wrap=True)
        self._text = label(text, "quiet", wrap=True)
        middle = Qt.AlignmentFlag.AlignHCenter
        for shown in (self._heading, self._text):
            shown.setAlignment(middle)
            shown.setFixedWidth(theme.px(380))
        layout = column(margins=24, spacing=8)
        layout.addStretch(2)
        layout.addWidget(self._picture, 0, middle)
        layout.addSpacing(4)
        layout.addWidget(self._heading, 0, middle)
        layout.addWidget(self._text, 0, middle)
        if run is not None:
            layout.addSpacing(8)
            self.button = button(step, run, role="primary")
            layout.addWidget(self.button, 0, middle)
        self.help = help_link(self)
        layout.addWidget(self.help, 0, middle)
        layout.addStretch(3)
        self.setLayout(layout)
        self._refresh()
        follow(theme, self, self._refresh)

    def set_text(self, heading: str, text: str) -> None:
        self._heading.setText(heading)
        self._text.setText(text)
        self._fit()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        show_help_link(self.help, self)
        self._fit()

    def _fit(self) -> None:
        """Give the texts the height that all their lines need."""
        for shown in (self._heading, self._text):
            # A label never says that it needs less than its least height: the one of an earlier text has to go first.
            shown.setMinimumHeight(0)
            shown.setMinimumHeight(max(0, shown.heightForWidth(shown.width())))

    def _refresh(self) -> None:
        self._picture.setPixmap(pixmap(self._theme, self._icon, "text_3", side=40, scale=self.devicePixelRatioF()))
        for shown in (self._heading, self._text):
            shown.setFixedWidth(self._theme.px(380))
        self._fit()
