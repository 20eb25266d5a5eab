"""The budget as one bar: each entry that fired has its piece, as wide as its tokens."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QFontMetricsF, QHelpEvent, QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QSizePolicy, QToolTip, QWidget

from familiar_app.domain.text import ntr
from familiar_app.ui.kit.icon import follow
from familiar_app.ui.kit.theme import SUBJECTS, Theme
from familiar_app.ui.lorebook.merge import Uid
from familiar_app.ui.lorebook.tip import plain_tip
from familiar_app.ui.lorebook.trial import NOTHING, Trial, Verdict

GAP = 1.0
LEAST_FOR_NAME = 56


class BudgetBar(QWidget):
    """A click on a piece chooses its entry; with the focus, the arrows go from piece to piece."""

    chosen = Signal(object)

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme, self._trial = theme, NOTHING
        self._limit = 1
        self._current: Uid | None = None
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setMouseTracking(True)
        follow(theme, self, self._restyle)
        self.show_trial(NOTHING, 1)

    def show_trial(self, trial: Trial, limit: int) -> None:
        """Show the outcome of a test."""
        self._trial, self._limit = trial, max(1, limit)
        used, count = sum(one.tokens for one in trial.fired), len(trial.fired)
        self.setAccessibleName(
            ntr(
                "Budget: {used} of {limit} tokens, {n} entry",
                "Budget: {used} of {limit} tokens, {n} entries",
                count,
                used=used,
                limit=self._limit,
            )
        )
        self.update()

    def show_current(self, uid: Uid | None) -> None:
        """Mark the piece of the entry in the form."""
        if uid != self._current:
            self._current = uid
            self.update()

    def sizeHint(self) -> QSize:
        return QSize(200, self._theme.px(24))

    def pieces(self) -> list[tuple[Uid, QRectF]]:
        """Return where each piece lies; none is too small to be hit."""
        whole = max(self._limit, sum(one.tokens for one in self._trial.fired))
        left, found = 0.0, []
        for one in self._trial.fired:
            width = self.width() * one.tokens / whole
            found.append((one.uid, QRectF(left, 2, max(width - GAP, 2.0), self.height() - 4)))
            left += max(width, 2.0 + GAP)
        return found

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(self._theme.color("background_3"))
        painter.drawRoundedRect(QRectF(0, 2, self.width(), self.height() - 4), 4, 4)
        painter.setFont(self._theme.font("small"))
        metrics = QFontMetricsF(painter.font())
        for number, ((uid, box), one) in enumerate(zip(self.pieces(), self._trial.fired, strict=True)):
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(self._theme.subject(number % SUBJECTS))
            painter.drawRoundedRect(box, 3, 3)
            if uid == self._current:
                painter.setBrush(Qt.BrushStyle.NoBrush)
                painter.setPen(QPen(self._theme.color("text_1"), 2))
                painter.drawRoundedRect(box.adjusted(1, 1, -1, -1), 3, 3)
            if box.width() > LEAST_FOR_NAME:
                painter.setPen(self._theme.color("background_1"))
                text = metrics.elidedText(" ".join(one.name.split()), Qt.TextElideMode.ElideRight, box.width() - 12)
                painter.drawText(
                    box.adjusted(6, 0, -6, 0), Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft, text
                )
        if self.hasFocus():
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.setPen(QPen(self._theme.color("accent"), 2))
            painter.drawRoundedRect(QRectF(self.rect()).adjusted(1, 1, -1, -1), 4, 4)
        painter.end()

    def event(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.ToolTip and isinstance(event, QHelpEvent):
            at = self._at(event.pos().x())
            if at is None:
                QToolTip.hideText()
            else:
                one = self._trial.fired[at]
                QToolTip.showText(event.globalPos(), plain_tip(_piece_words(one)), self)
            return True
        return super().event(event)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        at = self._at(event.position().x())
        if at is not None:
            self.chosen.emit(self._trial.fired[at].uid)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        steps = {Qt.Key.Key_Left: -1, Qt.Key.Key_Right: 1}
        step = steps.get(Qt.Key(event.key())) if not event.modifiers() else None
        if step is None or not self._trial.fired:
            super().keyPressEvent(event)
            return
        uids = [one.uid for one in self._trial.fired]
        at = uids.index(self._current) + step if self._current in uids else 0
        self.chosen.emit(uids[max(0, min(at, len(uids) - 1))])

    def _at(self, x: float) -> int | None:
        return next(
            (number for number, (_uid, box) in enumerate(self.pieces()) if box.left() <= x <= box.right()), None
        )

    def _restyle(self) -> None:
        self.updateGeometry()
        self.update()


def _piece_words(one: Verdict) -> str:
    return ntr("{entry}: {n} token", "{entry}: {n} tokens", one.tokens, entry=one.name)
