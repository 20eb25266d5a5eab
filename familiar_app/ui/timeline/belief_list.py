"""The beliefs at the chosen moment as a table: what changed since the position before comes first, with its sign."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import date

import numpy as np
from PySide6.QtCore import QAbstractTableModel, QItemSelection, QItemSelectionModel, QModelIndex, QRect, Qt, Signal
from PySide6.QtGui import QFont, QFontMetrics, QKeyEvent, QPainter, QPen, QResizeEvent
from PySide6.QtWidgets import QHeaderView, QStyle, QStyledItemDelegate, QStyleOptionViewItem

from familiar_app.domain.fact import FactId
from familiar_app.domain.text import tr, tr_later
from familiar_app.store.fact_span import Column
from familiar_app.ui.kit.date_text import numeric_date
from familiar_app.ui.kit.table import Table
from familiar_app.ui.kit.theme import Theme
from familiar_app.ui.timeline.model import TimelineModel
from familiar_app.ui.timeline.scale import shown_day
from familiar_app.ui.timeline.word import KINDS, SIGNS, period

TITLES = ("", tr_later("Belief"), tr_later("True from"))
_NOTHING = QModelIndex()
_KINDS = ("", "gained", "changed", "lost")
_ROLES = {"gained": "good", "changed": "accent", "lost": "danger"}
_ANSWERED = frozenset(
    int(one)
    for one in (
        Qt.ItemDataRole.DisplayRole,
        Qt.ItemDataRole.ForegroundRole,
        Qt.ItemDataRole.FontRole,
        Qt.ItemDataRole.TextAlignmentRole,
        Qt.ItemDataRole.ToolTipRole,
        Qt.ItemDataRole.AccessibleTextRole,
    )
)


class BeliefTableModel(QAbstractTableModel):
    """Shows the rows of a `TimelineModel`; a cell is made when it is painted."""

    def __init__(self, theme: Theme, model: TimelineModel) -> None:
        super().__init__()
        self._theme, self._model = theme, model
        self.rows: Column = np.empty(0, dtype=np.int64)
        self.kinds = np.empty(0, dtype=np.int8)

    def refresh(self) -> None:
        """Take the rows anew: changed, gained, lost, then all that stayed."""
        changes, here = self._model.delta(), self._model.rows()
        new = np.unique(changes.after)[::-1]
        stayed = here[~np.isin(here, np.concatenate((new, changes.gained)))] if changes.size else here
        parts = (new, changes.gained, changes.lost, stayed)
        rows = np.concatenate(parts)
        kinds = np.repeat(np.array([2, 1, 3, 0], dtype=np.int8), [len(one) for one in parts])
        self._exchange(rows, kinds)

    def _exchange(self, rows: Column, kinds: np.ndarray) -> None:
        """Take other rows. A reset would make the view lay out every row; a few at the end come and go instead."""
        old, new = len(self.rows), len(rows)
        if new < old:
            self.beginRemoveRows(_NOTHING, new, old - 1)
            self.rows, self.kinds = self.rows[:new], self.kinds[:new]
            self.endRemoveRows()
        common = min(old, new)
        self.rows, self.kinds = rows[:common], kinds[:common]
        if common:
            self.dataChanged.emit(self.index(0, 0), self.index(common - 1, len(TITLES) - 1))
        if new > old:
            self.beginInsertRows(_NOTHING, old, new - 1)
            self.rows, self.kinds = rows, kinds
            self.endInsertRows()

    def fact_at(self, row: int) -> FactId | None:
        """Return the fact in a row of the table."""
        return self._model.fact_at(int(self.rows[row])) if 0 <= row < len(self.rows) else None

    def places_of(self, facts: Sequence[FactId]) -> list[int]:
        """Return the rows in which these facts stand."""
        wanted = self._model.rows_of(facts)
        return np.flatnonzero(np.isin(self.rows, wanted)).tolist() if len(wanted) else []

    def facts_at(self, places: Sequence[int]) -> list[FactId]:
        """Return the facts in rows of the table."""
        spans = self._model.spans
        return [] if spans is None else spans.ids[self.rows[np.array(places, dtype=np.int64)]].tolist()

    def rowCount(self, parent: QModelIndex = _NOTHING) -> int:
        return 0 if parent.isValid() else len(self.rows)

    def columnCount(self, parent: QModelIndex = _NOTHING) -> int:
        return 0 if parent.isValid() else len(TITLES)

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole):
        if orientation == Qt.Orientation.Horizontal and 0 <= section < len(TITLES):
            if role == Qt.ItemDataRole.DisplayRole:
                return tr(TITLES[section])
            if role == Qt.ItemDataRole.ToolTipRole and section == 0:
                return tr("+ gained, − lost, ↻ changed since the position before")
        return None

    def data(self, index: QModelIndex, role: int = Qt.ItemDataRole.DisplayRole):
        # Most questions are about roles that have no answer here, hundreds for each step of the slider.
        if role not in _ANSWERED or not index.isValid() or not 0 <= index.row() < len(self.rows):
            return None
        place, column, roles = index.row(), index.column(), Qt.ItemDataRole
        row, kind = int(self.rows[place]), _KINDS[self.kinds[place]]
        if role == roles.DisplayRole:
            return self._shown(row, kind, column)
        if role == roles.ForegroundRole:
            if column == 0 and kind:
                return self._theme.color(_ROLES[kind])
            return self._theme.color("text_3") if kind == "lost" or column == 2 else None
        if role == roles.FontRole and kind == "lost" and column == 1:
            font = QFont(self._theme.font("table"))
            font.setStrikeOut(True)
            return font
        if role == roles.TextAlignmentRole and column == 0:
            return Qt.AlignmentFlag.AlignCenter
        if role == roles.ToolTipRole and column > 0:
            text = self._model.text(row)[:400].replace("&", "&amp;").replace("<", "&lt;")
            return f"<p>{text}</p><p>{period(self._model, row)}</p>"
        if role == roles.AccessibleTextRole and column == 0:
            return tr(KINDS[kind])
        return None

    def cell(self, place: int, column: int) -> tuple[str, str]:
        """Return what a cell shows, and what became of its fact."""
        if not 0 <= place < len(self.rows):
            return "", ""
        kind = _KINDS[self.kinds[place]]
        return self._shown(int(self.rows[place]), kind, column), kind

    def _shown(self, row: int, kind: str, column: int) -> str:
        if column == 0:
            return SIGNS.get(kind, "")
        if column == 1:
            return " ".join(self._model.text(row)[:300].split())
        spans = self._model.spans
        return "" if spans is None else shown_day(int(spans.valid_from[row]), self._model.zone)


class BeliefDelegate(QStyledItemDelegate):
    """Paints cells by itself: a style sheet takes four times as long, and a step of the slider paints all of them."""

    def __init__(self, theme: Theme, rows: BeliefTableModel) -> None:
        super().__init__(rows)
        self._theme, self._rows = theme, rows
        theme.changed.connect(self._restyle)
        self._restyle()

    def _restyle(self) -> None:
        theme = self._theme
        self._selected = theme.color("selected")
        self._font = theme.font("table")
        self._struck = QFont(self._font)
        self._struck.setStrikeOut(True)
        self._metrics = QFontMetrics(self._font)
        self._pens = {role: QPen(theme.color(role)) for role in ("text_1", "text_3", *_ROLES.values())}

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: QModelIndex) -> None:
        rect: QRect = option.rect
        if option.state & QStyle.StateFlag.State_Selected:
            painter.fillRect(rect, self._selected)
        column = index.column()
        text, kind = self._rows.cell(index.row(), column)
        if not text:
            return
        lost = kind == "lost"
        role = _ROLES[kind] if column == 0 else ("text_3" if lost or column == 2 else "text_1")
        painter.setPen(self._pens[role])
        painter.setFont(self._struck if lost and column == 1 else self._font)
        if column == 0:
            painter.drawText(rect, Qt.AlignmentFlag.AlignCenter, text)
            return
        inside = rect.adjusted(8, 0, -8, 0)
        shown = self._metrics.elidedText(text, Qt.TextElideMode.ElideRight, inside.width())
        painter.drawText(inside, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft, shown)


class BeliefTable(Table):
    """The table; what is selected here is chosen in the model. `deed` carries `retire` for Del, `edit` for F2."""

    deed = Signal(str)

    def __init__(self, theme: Theme, model: TimelineModel, *, copy: Callable[[], object]) -> None:
        super().__init__(theme, tr("Beliefs at this moment"), copy=copy)
        self._timeline, self._quiet = model, False
        self.beliefs = BeliefTableModel(theme, model)
        self.beliefs.setParent(self)
        self.setModel(self.beliefs)
        self.setItemDelegate(BeliefDelegate(theme, self.beliefs))
        header = self.horizontalHeader()
        header.setStretchLastSection(False)
        header.setSectionResizeMode(1, QHeaderView.ResizeMode.Stretch)
        self._size()
        theme.changed.connect(self._size)
        self.selectionModel().selectionChanged.connect(lambda *_: self._selected())

    def _size(self) -> None:
        metrics = QFontMetrics(self._theme.font("table"))
        self.horizontalHeader().setMinimumSectionSize(self._theme.px(24))
        self.setColumnWidth(0, self._theme.px(28))
        widest = (numeric_date(date(2024, 8, 28)), tr(TITLES[2]))
        self.setColumnWidth(2, max(metrics.horizontalAdvance(one) for one in widest) + 26)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        # Where there is little room, it belongs to what is believed.
        self.setColumnHidden(2, self.width() < self._theme.px(270))

    def show_rows(self) -> None:
        """Take the rows anew and keep what is chosen."""
        top = self.verticalScrollBar().value()
        self._quiet = True
        self.beliefs.refresh()
        self._quiet = False
        self.show_chosen()
        self.verticalScrollBar().setValue(top)

    def show_chosen(self) -> None:
        """Select what is chosen in the model."""
        places = self.beliefs.places_of(self._timeline.chosen)
        if places == self._marked():
            return
        self._quiet = True
        selection = QItemSelection()
        for row in places[:2000]:
            selection.select(self.beliefs.index(row, 0), self.beliefs.index(row, len(TITLES) - 1))
        flags = QItemSelectionModel.SelectionFlag
        first = self.beliefs.places_of(self._timeline.chosen[:1])
        if first:
            self.selectionModel().setCurrentIndex(self.beliefs.index(first[0], 1), flags.NoUpdate)
        self.selectionModel().select(selection, flags.ClearAndSelect | flags.Rows)
        if first:
            self.scrollTo(self.beliefs.index(first[0], 1))
        self._quiet = False

    def _marked(self) -> list[int]:
        ranges = self.selectionModel().selection()
        return sorted({row for one in ranges for row in range(one.top(), one.bottom() + 1)})

    def _selected(self) -> None:
        if self._quiet:
            return
        marked = self._marked()
        current = self.currentIndex().row()
        ordered = [current, *(row for row in marked if row != current)] if current in marked else marked
        self._timeline.choose(list(dict.fromkeys(self.beliefs.facts_at(ordered))))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        keys = Qt.Key
        if event.key() == keys.Key_Delete:
            self.deed.emit("retire")
        elif event.key() == keys.Key_F2:
            self.deed.emit("edit")
        elif event.key() in (keys.Key_Left, keys.Key_Right, keys.Key_Space):
            # The view steps and plays from here too.
            event.ignore()
        elif event.key() in (keys.Key_Up, keys.Key_Down, keys.Key_Return, keys.Key_Enter) and not self._marked():
            # The first key takes the row in focus, so that a single belief can be reached as well.
            self.selectRow(max(0, self.currentIndex().row()))
        else:
            super().keyPressEvent(event)
