"""The mark of a subject: its hue, and gaps in it where the hues begin anew, so that twice as many are told apart."""

from __future__ import annotations

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QPainter

from familiar_app.ui.kit.theme import SUBJECTS, Theme

_STEP, _GAP = 6, 2


def is_striped(hue: int) -> bool:
    """Tell whether the mark of a subject has gaps; its colour alone is another one's too."""
    return hue // SUBJECTS % 2 == 1


def paint_mark(painter: QPainter, box: QRectF, theme: Theme, hue: int, *, ground: str, radius: float = 0.0) -> None:
    """Fill a box with the mark of a subject; the gaps show `ground`, the colour role of what lies under the box."""
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(theme.subject(hue))
    painter.drawRoundedRect(box, radius, radius)
    if is_striped(hue):
        for gap in stripes(box, theme.px(_STEP), theme.px(_GAP)):
            painter.fillRect(gap, theme.color(ground))


def stripes(box: QRectF, step: float, width: float) -> list[QRectF]:
    """Return the gaps of a box, across its longer side; a box too short for one has none."""
    found = []
    if box.width() >= box.height():
        at = box.left() + step - width
        while at < box.right():
            found.append(QRectF(at, box.top(), min(width, box.right() - at), box.height()))
            at += step
        return found
    at = box.top() + step - width
    while at < box.bottom():
        found.append(QRectF(box.left(), at, box.width(), min(width, box.bottom() - at)))
        at += step
    return found
