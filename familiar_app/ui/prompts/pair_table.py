"""The lines of two prompts beside each other; each row is as high as the longer of its two texts."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QRect, QSize, Qt, QTimer
from PySide6.QtGui import QFontMetrics, QGuiApplication, QPainter, QResizeEvent
from PySide6.QtWidgets import QHeaderView, QStyle, QStyledItemDelegate, QStyleOptionViewItem

from familiar_app.domain.text import tr
from familiar_app.ui.kit.prompt_word import words
from familiar_app.ui.kit.table import Table
from familiar_app.ui.kit.theme import Theme
from familiar_app.ui.prompts.pair import PairRow

_NOTHING = QModelIndex()
_TINT = 0.16
PAD = 10
_SIGNS = {"changed": ("− ", "+ "), "only_left": ("− ", ""), "only_right": ("", "+ ")}


class PairModel(QAbstractTableModel):
    """Rows of a pair; a line that differs has a sign as well as a tint."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self.rows: Sequence[PairRow] = ()
        self.titles = ("", "")
        self.shorten: Callable[[str, int], str] = lambda text, _column: text

    def fill(self, rows: Sequence[PairRow], titles: tuple[str, str]) -> None:
        """Show another pair."""
        self.beginResetModel()
        self.rows, self.titles = rows, titles
        self.endResetModel()

    def rowCount(self, parent: QModelIndex = _NOTHING) -> int:
        return 0 if parent.isValid() else len(self.rows)

    def columnCount(self, parent: QModelIndex = _NOTHING) -> int:
        return 0 if parent.isValid() else 2

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        if orientation != Qt.Orientation.Horizontal or section not in (0, 1):
            return None
        if role == Qt.ItemDataRole.DisplayRole:
            return self.shorten(self.titles[section], section)
        return self.titles[section] if role == Qt.ItemDataRole.ToolTipRole else None

    def data(self, index: QModelIndex, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        if not index.isValid() or index.row() >= len(self.rows):
            return None
        row, column, roles = self.rows[index.row()], index.column(), Qt.ItemDataRole
        text = (row.left, row.right)[column]
        if role == roles.DisplayRole:
            return None if text is None else _SIGNS.get(row.mark, ("", ""))[column] + text
        if role == roles.ToolTipRole:
            return words(row.layer) or None
        if role == roles.ForegroundRole:
            return self._theme.color("text_3" if row.mark in ("same", "folded") else "text_1")
        if role == roles.BackgroundRole:
            return self._ground(row, column, there=text is not None)
        if role == roles.TextAlignmentRole:
            flags = Qt.AlignmentFlag
            side = flags.AlignHCenter if row.mark == "folded" else flags.AlignLeft
            return side | (flags.AlignTop if row.mark == "changed" else flags.AlignVCenter)
        return None

    def _ground(self, row: PairRow, column: int, *, there: bool) -> object:
        if row.mark == "folded":
            return self._theme.color("background_2")
        if row.mark == "same":
            return None
        if not there:
            return self._theme.color("background_2")
        tint = self._theme.color("danger" if column == 0 else "good")
        tint.setAlphaF(_TINT)
        return tint


class PairDelegate(QStyledItemDelegate):
    """Measures and paints a cell by the same width; the style's own takes its padding for free."""

    def sizeHint(self, option: QStyleOptionViewItem, index: QModelIndex) -> QSize:
        width = self.parent().columnWidth(index.column()) - 2 * PAD
        text, flags = index.data() or "", Qt.TextFlag.TextWordWrap | Qt.AlignmentFlag.AlignLeft
        box = option.fontMetrics.boundingRect(QRect(0, 0, max(20, width), 100_000), flags, text)
        return QSize(width, max(box.height(), option.fontMetrics.height()) + PAD)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: QModelIndex) -> None:
        roles, theme = Qt.ItemDataRole, self.parent().theme
        painter.save()
        ground = index.data(roles.BackgroundRole)
        if option.state & QStyle.StateFlag.State_Selected:
            painter.fillRect(option.rect, theme.color("selected"))
        if ground is not None:
            painter.fillRect(option.rect, ground)
        painter.setFont(option.font)
        painter.setPen(index.data(roles.ForegroundRole))
        box = option.rect.adjusted(PAD, PAD // 2, -PAD, -PAD // 2)
        painter.drawText(box, Qt.TextFlag.TextWordWrap | index.data(roles.TextAlignmentRole), index.data() or "")
        painter.restore()


class PairTable(Table):
    """Ctrl+C copies the chosen lines of both."""

    def __init__(self, theme: Theme) -> None:
        super().__init__(theme, tr("Both prompts, line by line"), copy=self._copy_lines)
        self._soon = QTimer(self)
        self._soon.setSingleShot(True)
        self._soon.setInterval(30)
        self._soon.timeout.connect(self.resizeRowsToContents)
        self.rows = PairModel(theme)
        self.rows.setParent(self)
        self.setModel(self.rows)
        self.setItemDelegate(PairDelegate(self))
        self.setWordWrap(True)
        self.setVerticalScrollMode(Table.ScrollMode.ScrollPerPixel)
        self.rows.shorten = self._shorten
        self.horizontalHeader().sectionResized.connect(lambda *_: self._soon.start())
        self.horizontalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Stretch)
        theme.changed.connect(self._soon.start)

    @property
    def theme(self) -> Theme:
        return self._theme

    def show_rows(self, rows: Sequence[PairRow], titles: tuple[str, str]) -> None:
        """Show another pair."""
        self.rows.fill(rows, titles)
        self.resizeRowsToContents()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._soon.start()

    def _shorten(self, text: str, column: int) -> str:
        metrics = QFontMetrics(self._theme.font("body", bold=True))
        return metrics.elidedText(text, Qt.TextElideMode.ElideRight, max(0, self.columnWidth(column) - 28))

    def _copy_lines(self) -> None:
        chosen = sorted({index.row() for index in self.selectedIndexes()})
        pairs = (self.rows.rows[at] for at in chosen)
        QGuiApplication.clipboard().setText("\n".join(f"{one.left or ''}\t{one.right or ''}" for one in pairs))
