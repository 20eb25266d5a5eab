"""What is shown while something takes time: nothing for 300 ms, then a skeleton, after 2 s progress with a cancel."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QRectF, Qt, QTimer
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QProgressBar, QStackedLayout, QWidget

from familiar_app.domain.text import tr
from familiar_app.ui.kit.button import button
from familiar_app.ui.kit.label import column, label
from familiar_app.ui.kit.theme import Theme

SKELETON_AFTER_MS = 300
PROGRESS_AFTER_MS = 2000


class Skeleton(QWidget):
    """Grey bars where text will stand. It does not move."""

    def __init__(self, theme: Theme, *, rows: int = 6) -> None:
        super().__init__()
        self._theme, self._rows = theme, rows
        self.setAccessibleName(tr("Loading"))

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(self._theme.color("background_3"))
        height = self._theme.px(14)
        for number in range(self._rows):
            width = (self.width() - 48) * (0.9, 0.62, 0.78, 0.5)[number % 4]
            painter.drawRoundedRect(QRectF(24, 24 + number * height * 2.2, width, height), 4, 4)
        painter.end()


class ProgressView(QWidget):
    """A sentence, a bar and a cancel button."""

    def __init__(self, text: str, cancel: Callable[[], object] | None = None) -> None:
        super().__init__()
        self._text = label(text, "quiet")
        self._bar = QProgressBar()
        self._bar.setAccessibleName(text)
        self._bar.setTextVisible(False)
        self._bar.setRange(0, 0)
        layout = column(margins=24, spacing=12)
        layout.addStretch(2)
        layout.addWidget(self._text, 0, Qt.AlignmentFlag.AlignHCenter)
        self._bar.setFixedWidth(320)
        layout.addWidget(self._bar, 0, Qt.AlignmentFlag.AlignHCenter)
        if cancel is not None:
            layout.addWidget(button(tr("Cancel"), cancel), 0, Qt.AlignmentFlag.AlignHCenter)
        layout.addStretch(3)
        self.setLayout(layout)

    def set_progress(self, share: float | None, text: str = "") -> None:
        """Show a share from 0 to 1, or None where nobody can know."""
        self._bar.setRange(0, 0 if share is None else 1000)
        if share is not None:
            self._bar.setValue(round(share * 1000))
        if text:
            self._text.setText(text)
            self._bar.setAccessibleName(text)


class WaitStack(QWidget):
    """Holds a content widget and shows skeleton and progress over it by the rule of the module."""

    def __init__(self, theme: Theme, content: QWidget, *, rows: int = 6) -> None:
        super().__init__()
        self._theme, self._content = theme, content
        self._skeleton = Skeleton(theme, rows=rows)
        self._progress: ProgressView | None = None
        self._stack = QStackedLayout(self)
        self._stack.addWidget(content)
        self._stack.addWidget(self._skeleton)
        self._soon = self._timer(SKELETON_AFTER_MS, self._show_skeleton)
        self._late = self._timer(PROGRESS_AFTER_MS, self._show_progress)
        self._text, self._cancel = "", None

    def begin(self, text: str, cancel: Callable[[], object] | None = None) -> None:
        """Something has started; `text` says what, `cancel` stops it."""
        self._text, self._cancel = text, cancel
        self._soon.start()
        self._late.start()

    def end(self) -> None:
        """It is over: show the content."""
        self._soon.stop()
        self._late.stop()
        self._stack.setCurrentWidget(self._content)
        if self._progress is not None:
            self._stack.removeWidget(self._progress)
            self._progress.deleteLater()
            self._progress = None

    def _timer(self, after_ms: int, run: Callable[[], object]) -> QTimer:
        timer = QTimer(self)
        timer.setSingleShot(True)
        timer.setInterval(after_ms)
        timer.timeout.connect(run)
        return timer

    def _show_skeleton(self) -> None:
        self._stack.setCurrentWidget(self._skeleton)

    def _show_progress(self) -> None:
        self._progress = ProgressView(self._text, self._cancel)
        self._stack.addWidget(self._progress)
        self._stack.setCurrentWidget(self._progress)
