"""What is told inline: errors with their next step as a button, notes, and the undo bar. Nothing here is modal."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

from PySide6.QtCore import QEvent, QObject, QPoint, Qt, QTimer
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QFrame, QLabel, QSizePolicy, QWidget

from familiar_app.domain.errors import FamiliarError
from familiar_app.domain.text import tr
from familiar_app.ui.kit.button import button, icon_button
from familiar_app.ui.kit.icon import follow, pixmap
from familiar_app.ui.kit.label import label, row, set_property, set_role
from familiar_app.ui.kit.theme import Theme

Tone = Literal["danger", "warning", "good", "plain"]
_ICONS: dict[Tone, str] = {"danger": "error", "warning": "warning", "good": "check", "plain": "info"}
UNDO_S = 12


class Notice(QFrame):
    """A place for one message. Hidden while there is nothing to tell."""

    def __init__(self, theme: Theme, *, closable: bool = True) -> None:
        super().__init__()
        self._theme = theme
        self._tone: Tone = "plain"
        set_role(self, "notice")
        self._picture = QLabel()
        self._text = label("", wrap=True, selectable=True)
        self._text.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Minimum)
        self._run: Callable[[], object] | None = None
        self._button = button("", self._press)
        self._close = icon_button(theme, "close", tr("Dismiss"), self.clear, side=14)
        if not closable:  # to show a part before it has its place would open a window, which takes the focus
            self._close.hide()
        layout = row(spacing=8)
        layout.setContentsMargins(12, 8, 8, 8)
        top = Qt.AlignmentFlag.AlignTop
        layout.addWidget(self._picture, 0, top)
        layout.addWidget(self._text, 1)
        layout.addWidget(self._button, 0, Qt.AlignmentFlag.AlignVCenter)
        layout.addWidget(self._close, 0, top)
        self.setLayout(layout)
        self.hide()
        follow(theme, self, self._refresh)

    def show_error(
        self,
        error: FamiliarError,
        again: Callable[[], object] | None = None,
        *,
        step: str = "",
        run: Callable[[], object] | None = None,
    ) -> None:
        """Show an error with its next step. `step` and `run` make it a button; `again` alone makes "Try again"."""
        if run is None and again is not None:
            step, run = tr("Try again"), again
        text = str(error)
        self.tell(text[:1].upper() + text[1:], "danger", step=step, run=run)

    def tell(self, text: str, tone: Tone = "plain", *, step: str = "", run: Callable[[], object] | None = None) -> None:
        """Show a message, with one button where there is something to do."""
        self._text.setText(text)
        self._text.setAccessibleName(text)
        self._tone = tone
        set_property(self, "tone", tone)
        self._run = run
        self._button.setVisible(run is not None)
        self._button.setText(step)
        self._button.setAccessibleName(step or tr("No next step"))
        self._refresh()
        self.show()

    @property
    def text(self) -> str:
        return self._text.text()

    def clear(self) -> None:
        self._run = None
        self.hide()

    def _press(self) -> None:
        run = self._run
        self.clear()
        if run is not None:
            run()

    def _refresh(self) -> None:
        role = "text_2" if self._tone == "plain" else self._tone
        self._picture.setPixmap(pixmap(self._theme, _ICONS[self._tone], role, side=18, scale=self.devicePixelRatioF()))


class UndoBar(QFrame):
    """Says what was just done and offers to take it back, for a while. A later offer replaces an earlier one.

    It floats above the lower edge of its parent, or above a widget of it that must stay free; the parent calls
    `place` when it is resized.
    """

    def __init__(self, theme: Theme, parent: QWidget) -> None:
        super().__init__(parent)
        set_role(self, "undo")
        self.lift = 0
        self._above: QWidget | None = None
        self._undo: Callable[[], object] | None = None
        self._text = label()
        self._button = button(tr("Undo"), self.undo)
        self._close = icon_button(theme, "close", tr("Dismiss"), self.clear, role="background_1", side=14)
        layout = row(spacing=12)
        layout.setContentsMargins(16, 8, 8, 8)
        for widget in (self._text, self._button, self._close):
            layout.addWidget(widget)
        self.setLayout(layout)
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.timeout.connect(self.clear)
        self.hide()

    def offer(self, text: str, undo: Callable[[], object]) -> None:
        """Show the bar. `undo` is called at most once and starts its own task."""
        self._undo = undo
        shown = text if len(text) <= 90 else text[:89] + "…"
        self._text.setText(shown)
        self.setAccessibleName(text)
        self.adjustSize()
        self.place()
        self.show()
        self.raise_()
        self._timer.start(UNDO_S * 1000)

    def undo(self) -> None:
        """Take back what was offered last, if anything is."""
        undo = self._undo
        self.clear()
        if undo is not None:
            undo()

    @property
    def offered(self) -> bool:
        return self._undo is not None

    def clear(self) -> None:
        self._undo = None
        self._timer.stop()
        self.hide()

    def stand_above(self, widget: QWidget | None) -> None:
        """Keep a widget of the parent free (where text is written); None takes it back."""
        if widget is self._above:
            return
        if self._above is not None:
            self._above.removeEventFilter(self)
            self._above.destroyed.disconnect(self._forget)
        self._above = widget
        if widget is not None:
            widget.installEventFilter(self)
            widget.destroyed.connect(self._forget)
        self.place()

    def place(self) -> None:
        """Stand centred, 16 px above the parent's lower edge, or above what must stay free."""
        parent = self.parentWidget()
        centre, bottom = parent.width() // 2, parent.height() - self.lift
        if self._above is not None and self._above.isVisible():
            corner = self._above.mapTo(parent, QPoint(0, 0))
            centre, bottom = corner.x() + self._above.width() // 2, corner.y() - 4
        left = min(centre - self.width() // 2, parent.width() - self.width() - 8)
        self.move(max(8, left), bottom - self.height() - 16)

    def event(self, event: QEvent) -> bool:
        """Take the size anew when the text is larger or smaller than before."""
        done = super().event(event)
        if event.type() == QEvent.Type.LayoutRequest:
            self.adjustSize()
            self.place()
        return done

    def eventFilter(self, _watched: QObject, event: QEvent) -> bool:
        kinds = QEvent.Type
        if self.isVisible() and event.type() in (kinds.Resize, kinds.Move, kinds.Show, kinds.Hide):
            QTimer.singleShot(0, self, self.place)
        return False

    def _forget(self) -> None:
        self._above = None

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape:
            self.clear()
        else:
            super().keyPressEvent(event)
