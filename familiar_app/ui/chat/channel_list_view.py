"""The list of channels at the left: title, time of the last turn, how many are unread."""

from __future__ import annotations

from datetime import datetime, tzinfo

from PySide6.QtCore import QAbstractListModel, QModelIndex, QPersistentModelIndex, QRect, QSize, Qt, Signal
from PySide6.QtGui import QFontMetrics, QKeyEvent, QPainter
from PySide6.QtWidgets import QListView, QStyle, QStyledItemDelegate, QStyleOptionViewItem

from familiar_app.domain.ids import ChannelId
from familiar_app.domain.text import ntr, tr
from familiar_app.domain.turn import ChannelSummary
from familiar_app.ui.chat.channel_list import badge, last_time, spoken_channels
from familiar_app.ui.kit.channel_title import channel_title
from familiar_app.ui.kit.theme import Theme

_Index = QModelIndex | QPersistentModelIndex
SUMMARY = Qt.ItemDataRole.UserRole
TIME = Qt.ItemDataRole.UserRole + 1


class ChannelRows(QAbstractListModel):
    """The channels as Qt lists them."""

    def __init__(self) -> None:
        super().__init__()
        self._shown: list[ChannelSummary] = []
        self._times: list[str] = []
        self._spoken: list[str] = []

    def fill(self, summaries: list[ChannelSummary], *, now: datetime, zone: tzinfo) -> None:
        """Show other channels; the same ones in the same order keep their selection."""
        times = [last_time(one, now=now, zone=zone) for one in summaries]
        spoken = spoken_channels(summaries)
        if [one.channel.id for one in summaries] == [one.channel.id for one in self._shown]:
            self._shown, self._times, self._spoken = list(summaries), times, spoken
            if summaries:
                self.dataChanged.emit(self.index(0), self.index(len(summaries) - 1))
            return
        self.beginResetModel()
        self._shown, self._times, self._spoken = list(summaries), times, spoken
        self.endResetModel()

    def rowCount(self, parent: _Index = QModelIndex()) -> int:  # noqa: B008 - Qt's own signature
        return 0 if parent.isValid() else len(self._shown)

    def data(self, index: _Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        if not index.isValid() or not 0 <= index.row() < len(self._shown):
            return None
        summary = self._shown[index.row()]
        if role == Qt.ItemDataRole.DisplayRole:
            return channel_title(summary.channel)
        if role == Qt.ItemDataRole.ToolTipRole:
            return ntr("{key} · {n} message", "{key} · {n} messages", summary.turns, key=summary.channel.key)
        if role == Qt.ItemDataRole.AccessibleTextRole:
            return self._spoken[index.row()]
        if role == SUMMARY:
            return summary
        return self._times[index.row()] if role == TIME else None

    def row_of(self, channel: ChannelId) -> int:
        """Return the row of a channel, -1 where it is not listed."""
        return next((row for row, one in enumerate(self._shown) if one.channel.id == channel), -1)


class ChannelDelegate(QStyledItemDelegate):
    """Paints one channel on one line."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme

    def sizeHint(self, _option: QStyleOptionViewItem, _index: _Index) -> QSize:
        return QSize(120, self._theme.px(34))

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: _Index) -> None:
        summary = index.data(SUMMARY)
        if summary is None:
            return
        theme, box = self._theme, option.rect.adjusted(4, 1, -4, -1)
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        self._ground(painter, option, box)
        inner = box.adjusted(8, 0, -8, 0)
        count = badge(summary.unread)
        right = self._badge(painter, inner, count) if count else self._time(painter, inner, str(index.data(TIME) or ""))
        painter.setFont(theme.font("body", bold=bool(count)))
        painter.setPen(theme.color("text_3" if summary.channel.archived else "text_1"))
        room = QRect(inner.left(), inner.top(), max(0, inner.width() - right - 8), inner.height())
        text = painter.fontMetrics().elidedText(index.data(), Qt.TextElideMode.ElideRight, room.width())
        painter.drawText(room, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, text)
        painter.restore()

    def _ground(self, painter: QPainter, option: QStyleOptionViewItem, box: QRect) -> None:
        painter.setPen(Qt.PenStyle.NoPen)
        if option.state & QStyle.StateFlag.State_Selected:
            painter.setBrush(self._theme.color("selected"))
            painter.drawRoundedRect(box, 6, 6)
        elif option.state & QStyle.StateFlag.State_MouseOver:
            painter.setBrush(self._theme.color("background_3"))
            painter.drawRoundedRect(box, 6, 6)
        if option.state & QStyle.StateFlag.State_HasFocus:
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.setPen(self._theme.color("accent"))
            painter.drawRoundedRect(box, 6, 6)

    def _badge(self, painter: QPainter, box: QRect, count: str) -> int:
        font = self._theme.font("small", bold=True)
        metrics = QFontMetrics(font)
        height = metrics.height() + 2
        width = max(height, metrics.horizontalAdvance(count) + 10)
        place = QRect(box.right() - width, box.center().y() - height // 2, width, height)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(self._theme.color("accent"))
        painter.drawRoundedRect(place, height / 2, height / 2)
        painter.setFont(font)
        painter.setPen(self._theme.color("on_accent"))
        painter.drawText(place, Qt.AlignmentFlag.AlignCenter, count)
        return width

    def _time(self, painter: QPainter, box: QRect, text: str) -> int:
        painter.setFont(self._theme.font("small"))
        painter.setPen(self._theme.color("text_3"))
        painter.drawText(box, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, text)
        return painter.fontMetrics().horizontalAdvance(text)


class ChannelListView(QListView):
    """Sends `chosen` when another channel is selected, `menu_wanted` for its context menu, `rename_wanted` for F2."""

    chosen = Signal(int)
    menu_wanted = Signal(int, object)
    rename_wanted = Signal()

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self.rows = ChannelRows()
        self.setModel(self.rows)
        self._delegate = ChannelDelegate(theme)
        self.setItemDelegate(self._delegate)
        self.setAccessibleName(tr("Channels"))
        self.setMouseTracking(True)
        self.setUniformItemSizes(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.selectionModel().currentChanged.connect(self._current)
        self._quiet = False

    def select(self, channel: ChannelId) -> None:
        """Mark a channel as the open one without telling anybody."""
        row = self.rows.row_of(channel)
        self._quiet = True
        self.setCurrentIndex(self.rows.index(row) if row >= 0 else QModelIndex())
        self._quiet = False

    def _current(self, index: QModelIndex, _before: QModelIndex) -> None:
        summary = index.data(SUMMARY)
        if summary is not None and not self._quiet:
            self.chosen.emit(summary.channel.id)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_F2:
            self.rename_wanted.emit()
        else:
            super().keyPressEvent(event)

    def contextMenuEvent(self, event) -> None:
        summary = self.indexAt(event.pos()).data(SUMMARY)
        if summary is not None:
            self.menu_wanted.emit(summary.channel.id, event.globalPos())
