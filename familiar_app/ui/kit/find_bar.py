"""Search within what a panel shows: the field, where one is among the hits, and the way out."""

from __future__ import annotations

from PySide6.QtCore import QTimer, Signal
from PySide6.QtWidgets import QWidget

from familiar_app.domain.text import tr
from familiar_app.ui.kit.button import icon_button
from familiar_app.ui.kit.field import SearchField
from familiar_app.ui.kit.label import label, row, surface
from familiar_app.ui.kit.theme import Theme


class FindBar(QWidget):
    """Sends `wanted` `after_ms` from the last letter on, `stepped` for the hit above (-1) or below (1), and `closed`.

    `hits` names the hit above and the one below. Return goes to the one below, or above where `upwards`.
    """

    wanted = Signal(str)
    stepped = Signal(int)
    closed = Signal()

    def __init__(
        self, theme: Theme, hint: str, hits: tuple[str, str], *, after_ms: int = 0, upwards: bool = False
    ) -> None:
        super().__init__()
        surface(self, 2)
        self.field = SearchField(theme, hint)
        self.counter = label("", "quiet")
        self._soon = QTimer(self)
        self._soon.setSingleShot(True)
        self._soon.setInterval(after_ms)
        self._soon.timeout.connect(lambda: self.wanted.emit(self.field.text()))
        self.field.textChanged.connect(self._typed)
        onward = -1 if upwards else 1
        self.field.next_wanted.connect(lambda: self.stepped.emit(onward))
        self.field.previous_wanted.connect(lambda: self.stepped.emit(-onward))
        self.field.given_up.connect(self.closed)
        layout = row(spacing=4)
        layout.setContentsMargins(12, 8, 8, 8)
        layout.addWidget(self.field, 1)
        layout.addWidget(self.counter)
        for icon, name, step in zip(("chevron_up", "chevron_down"), hits, (-1, 1), strict=True):
            key = "Return" if step == onward else "Shift+Return"
            layout.addWidget(icon_button(theme, icon, name, lambda step=step: self.stepped.emit(step), shortcut=key))
        layout.addWidget(icon_button(theme, "close", tr("Close the search"), self.closed.emit, shortcut="Esc"))
        self.setLayout(layout)
        self.hide()

    def begin(self) -> None:
        """Show the bar and let the person type."""
        self.show()
        self.field.setFocus()
        self.field.selectAll()

    def show_counter(self, text: str) -> None:
        """Say where one is among the hits."""
        self.counter.setText(text)
        self.counter.setAccessibleName(text or tr("No search"))

    def _typed(self, text: str) -> None:
        if self._soon.interval():
            self._soon.start()
        else:
            self.wanted.emit(text)
