"""A chip: a way to something else, with as many lines of text as it needs."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QEvent, QSize, Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QPushButton

from familiar_app.ui.kit.label import label

_CHIP_X, _CHIP_Y = 10, 6


class ChipButton(QPushButton):
    """A chip whose text takes as many lines as it needs."""

    def __init__(self, text: str, run: Callable[[], object]) -> None:
        super().__init__()
        self.setAccessibleName(text)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.clicked.connect(lambda _checked=False: run())
        self._label = label(text, wrap=True)
        self._label.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self._label.setParent(self)
        policy = self.sizePolicy()
        policy.setHeightForWidth(True)
        self.setSizePolicy(policy)

    def hasHeightForWidth(self) -> bool:
        return True

    def heightForWidth(self, width: int) -> int:
        self._label.ensurePolished()
        return self._label.heightForWidth(max(1, width - 2 * _CHIP_X)) + 2 * _CHIP_Y

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def event(self, event: QEvent) -> bool:
        done = super().event(event)
        if event.type() in (QEvent.Type.Show, QEvent.Type.StyleChange, QEvent.Type.FontChange):
            self._fit()
        return done

    def _fit(self) -> None:
        """Take the height that all lines need; the size of the text may have changed, too."""
        self.setMinimumHeight(self.heightForWidth(self.width()))
        self._label.setGeometry(self.rect().adjusted(_CHIP_X, _CHIP_Y, -_CHIP_X, -_CHIP_Y))

    def sizeHint(self) -> QSize:
        hint = super().sizeHint()
        hint.setHeight(self.heightForWidth(self.width()))
        return hint
