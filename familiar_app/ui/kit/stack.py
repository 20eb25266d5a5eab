"""A stack of pages that is only as large as the page it shows."""

from __future__ import annotations

from PySide6.QtCore import QSize
from PySide6.QtWidgets import QSizePolicy, QStackedWidget, QWidget


class PageStack(QStackedWidget):
    """A QStackedWidget takes the size of its largest page; this one that of the page that is shown."""

    def __init__(self) -> None:
        super().__init__()
        self.currentChanged.connect(self._fit)

    def addWidget(self, page: QWidget) -> int:
        at = super().addWidget(page)
        self._fit(self.currentIndex())
        return at

    def sizeHint(self) -> QSize:
        page = self.currentWidget()
        return page.sizeHint() if page is not None else super().sizeHint()

    def minimumSizeHint(self) -> QSize:
        page = self.currentWidget()
        return page.minimumSizeHint() if page is not None else super().minimumSizeHint()

    def hasHeightForWidth(self) -> bool:
        page = self.currentWidget()
        return page is not None and page.hasHeightForWidth()

    def heightForWidth(self, width: int) -> int:
        page = self.currentWidget()
        return page.heightForWidth(width) if page is not None else -1

    def _fit(self, current: int) -> None:
        ignored, preferred = QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred
        for at in range(self.count()):
            policy = preferred if at == current else ignored
            self.widget(at).setSizePolicy(policy, policy)
        self.updateGeometry()
