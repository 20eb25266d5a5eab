"""A small picture of how much somebody wrote in each month; a sentence beside it says the same."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QToolTip, QWidget

from familiar_app.domain.text import tr
from familiar_app.store.person_count import MonthCount
from familiar_app.ui.kit.icon import follow
from familiar_app.ui.kit.theme import Theme
from familiar_app.ui.people.word import messages, month_name, plot_words

_HEIGHT, _FOOT, _MOST_BAR, _GAP = 84, 20, 28, 2


class MonthPlot(QWidget):
    """One bar for each month; where there are more months than room, neighbours share a bar."""

    def __init__(self, theme: Theme, months: Sequence[MonthCount]) -> None:
        super().__init__()
        self._theme, self._months = theme, tuple(months)
        self.setAccessibleName(tr("Messages by month"))
        self.setAccessibleDescription(plot_words(months))
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setMouseTracking(True)
        follow(theme, self, self._refresh)

    def sizeHint(self) -> QSize:
        return QSize(self._theme.px(200), self._theme.px(_HEIGHT))

    def mouseMoveEvent(self, event) -> None:
        for box, months in self.bars():
            if box.left() <= event.position().x() < box.right() + _GAP:
                QToolTip.showText(event.globalPosition().toPoint(), _words(months), self)
                return
        QToolTip.hideText()

    def bars(self) -> list[tuple[QRectF, tuple[MonthCount, ...]]]:
        """Return each bar with the months it stands for."""
        months = self._months
        if not months or self.width() <= 0:
            return []
        each = -(-len(months) * 4 // self.width())
        groups = [months[at : at + each] for at in range(0, len(months), each)]
        most = max(sum(one.turns for one in group) for group in groups) or 1
        room = self.height() - self._theme.px(_FOOT)
        step = min(self._theme.px(_MOST_BAR), self.width() / len(groups))
        found = []
        for at, group in enumerate(groups):
            total = sum(one.turns for one in group)
            high = max(2.0, room * total / most) if total else 0.0
            found.append((QRectF(at * step, room - high, max(1.0, step - _GAP), high), tuple(group)))
        return found

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter, theme = QPainter(self), self._theme
        bars = self.bars()
        room = self.height() - theme.px(_FOOT)
        painter.fillRect(QRectF(0, room, self.width(), 1), theme.color("line_strong"))
        for box, _months in bars:
            painter.fillRect(box, theme.color("accent"))
        painter.setFont(theme.font("small"))
        painter.setPen(theme.color("text_3"))
        if bars:
            self._foot(painter, QRectF(0, room + 2, self.width(), theme.px(_FOOT) - 2))
        painter.end()

    def _foot(self, painter: QPainter, box: QRectF) -> None:
        first, last = month_name(self._months[0]), month_name(self._months[-1])
        painter.drawText(box, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, first)
        if first != last:
            painter.drawText(box, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, last)

    def _refresh(self) -> None:
        self.updateGeometry()
        self.update()


def _words(months: Sequence[MonthCount]) -> str:
    span = month_name(months[0])
    if len(months) > 1:
        span = f"{span} – {month_name(months[-1])}"
    return f"{span}: {messages(sum(one.turns for one in months))}"
