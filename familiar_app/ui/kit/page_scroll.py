"""The place in which a page scrolls: it holds the page still when the scroll bar comes and goes."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtWidgets import QLayout, QScrollArea, QWidget

from familiar_app.ui.kit.label import row, surface
from familiar_app.ui.kit.theme import Theme


class PageScroll(QScrollArea):
    """Scrolls a page of controls.

    Tab goes from control to control and brings each into view, so the area itself is no stop. While its bar is shown,
    as much room is kept at the other side: what is centred stays where it is.
    """

    def __init__(self) -> None:
        super().__init__()
        self.setWidgetResizable(True)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.verticalScrollBar().installEventFilter(self)

    def show_page(self, theme: Theme, page: QLayout, width: int) -> None:
        """Show a page in the middle, no wider than `width` pixels at 100 % beside its margins of 24."""
        holder, inside, centre = QWidget(), surface(QWidget(), 1), row(spacing=0)
        holder.setMaximumWidth(theme.px(width) + 48)
        holder.setLayout(page)
        centre.addStretch(1)
        centre.addWidget(holder, 100)
        centre.addStretch(1)
        inside.setLayout(centre)
        self.setWidget(inside)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if watched is self.verticalScrollBar() and event.type() in (QEvent.Type.Show, QEvent.Type.Hide):
            room = watched.sizeHint().width() if event.type() == QEvent.Type.Show else 0
            self.setViewportMargins(room, 0, 0, 0)
        return super().eventFilter(watched, event)
