"""The panels and, at their right, the side view: how wide that is, and that it never takes more than its share."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QSplitter, QWidget

from familiar_app.ui.kit.theme import Theme
from familiar_app.ui.shell.side_view import SideView

SIDE_WIDTH = 360


class SideSplitter(QSplitter):
    """Gives the side view its width whenever it is opened; what is dragged holds until it is closed."""

    def __init__(self, theme: Theme, panels: QWidget, side_view: SideView) -> None:
        super().__init__(Qt.Orientation.Horizontal)
        self._side_width = theme.px(SIDE_WIDTH)
        self.setHandleWidth(1)
        self.setChildrenCollapsible(False)
        self.addWidget(panels)
        self.addWidget(side_view)
        self.setStretchFactor(0, 1)
        side_view.opened.connect(self._size_side)

    @property
    def side_width(self) -> int:
        """How wide the side view is, or would be if it were opened."""
        return self.sizes()[1] or self._side_width

    def set_side_width(self, width: int) -> None:
        self._side_width = max(200, min(1200, width))

    def _size_side(self) -> None:
        whole = self.width()
        side = min(self._side_width, whole * 2 // 5)
        self.setSizes([max(1, whole - side), side])
