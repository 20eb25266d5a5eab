"""The place in which the form scrolls: downwards only, so that it is never narrower than what stands in it."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt
from PySide6.QtWidgets import QScrollArea, QWidget


class EntryArea(QScrollArea):
    """Scrolls the form of one entry. `folded` is a part of it that counts for the width even while it is hidden."""

    def __init__(self) -> None:
        super().__init__()
        self.folded: QWidget | None = None
        self.setWidgetResizable(True)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)

    def minimumSizeHint(self) -> QSize:
        hint, inside = super().minimumSizeHint(), self.widget()
        if inside is None:
            return hint
        width = inside.minimumSizeHint().width()
        if self.folded is not None:
            margins = inside.layout().contentsMargins()
            width = max(width, self.folded.minimumSizeHint().width() + margins.left() + margins.right())
        return QSize(width + self.verticalScrollBar().sizeHint().width(), hint.height())
