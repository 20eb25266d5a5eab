"""The log panel's table, its filters, and copying. Lines come from any thread and are shown on the window's."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import UTC
from typing import TYPE_CHECKING, Any, Protocol

from PySide6.QtCore import QModelIndex, QObject, Qt, Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QComboBox, QHeaderView, QScrollArea, QStackedWidget, QWidget

from familiar_app.domain.text import ntr, tr, tr_later
from familiar_app.ui.kit.action import Action
from familiar_app.ui.kit.button import icon_button
from familiar_app.ui.kit.date_text import numeric_date_time, time_text
from familiar_app.ui.kit.empty_state import EmptyState
from familiar_app.ui.kit.field import SearchField
from familiar_app.ui.kit.header import PanelHeader
from familiar_app.ui.kit.icon import follow
from familiar_app.ui.kit.label import column, label, surface
from familiar_app.ui.kit.panel import PanelContext, PanelFactory
from familiar_app.ui.kit.table import Table
from familiar_app.ui.kit.table_model import TitledTableModel
from familiar_app.ui.kit.theme import Theme
from familiar_app.ui.log.model import LEVELS, Line, LogModel, level_word, line_text

if TYPE_CHECKING:
    pass

_COLUMNS = (tr_later("Time"), tr_later("Level"), tr_later("Part"), tr_later("What happened"))
_TONES = ((40, "danger"), (30, "warning"))


class LogSource(Protocol):
    """The ring of newest lines; listeners are called on the thread that logged."""

    def records(self) -> Sequence[Line]: ...

    def listen(self, listener: Callable[[Any], None]) -> Callable[[], None]: ...


def log_panel(source: LogSource) -> PanelFactory:
    """Return the factory of the panel over `source`."""
    return lambda _services, context: LogPanel(context, source)


class LogTable(TitledTableModel):
    """The filtered lines as a table."""

    columns = _COLUMNS

    def __init__(self, theme: Theme, lines: LogModel) -> None:
        super().__init__()
        self._theme, self._lines = theme, lines

    def count(self) -> int:
        return len(self._lines.shown)

    def data(self, index: QModelIndex, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if not index.isValid() or index.row() >= len(self._lines.shown):
            return None
        line = self._lines.shown[index.row()]
        if role == Qt.ItemDataRole.DisplayRole:
            return self._cell(line, index.column())
        if role == Qt.ItemDataRole.ForegroundRole:
            return self._color(line, index.column())
        if role == Qt.ItemDataRole.ToolTipRole and index.column() == 0:
            return line.at.astimezone(UTC).isoformat()
        return None

    def add(self, line: Line) -> None:
        """Add a line at the end; the oldest may go."""
        if self._lines.first_goes:
            self.beginRemoveRows(QModelIndex(), 0, 0)
            self._lines.drop_first()
            self.endRemoveRows()
        if self._lines.fits(line):
            at = len(self._lines.shown)
            self.beginInsertRows(QModelIndex(), at, at)
            self._lines.add(line)
            self.endInsertRows()
        else:
            self._lines.add(line)

    def refilter(self, level: int, query: str) -> None:
        self.beginResetModel()
        self._lines.least_level, self._lines.query = level, query
        self._lines.refresh()
        self.endResetModel()

    def _cell(self, line: Line, column_number: int) -> str:
        at = line.at.astimezone()
        return (f"{at:%H:%M:%S}.{at.microsecond // 1000:03}", tr(level_word(line.level)), line.part, line.text)[
            column_number
        ]

    def _color(self, line: Line, column_number: int) -> Any:
        if column_number == 1:
            for level, role in _TONES:
                if line.level >= level:
                    return self._theme.color(role)
        return self._theme.color("text_1" if column_number == 3 else "text_2")


class _Arrivals(QObject):
    """Carries lines from the thread that logged to the window's."""

    arrived = Signal(object)


class LogPanel:
    """See `kit.panel.Panel`."""

    id = "log"
    title = tr_later("Log")
    icon = "log"

    def __init__(self, context: PanelContext, source: LogSource) -> None:
        self._context, theme = context, context.theme
        self._lines = LogModel()
        self._lines.fill(source.records())
        self._table_model = LogTable(theme, self._lines)
        self.widget = surface(QWidget(), 1)
        self.widget.setAccessibleName(tr(self.title))
        self._header = self._make_header(theme)
        self._table = Table(theme, tr("Lines of the log"), copy=self.copy)
        self._table.setModel(self._table_model)
        self._table.opened.connect(self._show_line)
        self._stack = QStackedWidget()
        self._stack.addWidget(self._table)
        self._empty = EmptyState(theme, "log", "", "")
        self._stack.addWidget(self._empty)
        layout = column(spacing=0)
        layout.addWidget(self._header)
        layout.addWidget(self._stack, 1)
        self.widget.setLayout(layout)
        self._arrivals = _Arrivals()
        self._arrivals.arrived.connect(self._add, Qt.ConnectionType.QueuedConnection)
        self._stop = source.listen(self._arrivals.arrived.emit)
        self._size_columns()
        follow(theme, self.widget, self._size_columns)
        self._show_state()

    def actions(self) -> Sequence[Action]:
        title = tr("Copy the log as it is shown")
        return (Action("log.copy", title, self.copy_all, "Ctrl+Shift+C", "copy", tr(self.title)),)

    def palette_entries(self) -> Sequence[Action]:
        return ()

    def activate(self) -> None:
        self._table.scrollToBottom()
        self._table.setFocus()

    def find(self) -> None:
        self._search.setFocus()
        self._search.selectAll()

    def show_place(self, key: str) -> None:
        """The log has one place only."""

    async def close(self) -> None:
        self._stop()

    def copy(self) -> None:
        """Copy the selected lines, or all that are shown where none is selected."""
        rows = sorted(index.row() for index in self._table.selectionModel().selectedRows())
        self._put([self._lines.shown[number] for number in rows] or self._lines.shown)

    def copy_all(self) -> None:
        self._put(self._lines.shown)

    def _put(self, lines: Sequence[Line]) -> None:
        QGuiApplication.clipboard().setText("\n".join(map(line_text, lines)))
        self._context.tell(ntr("{n} line copied.", "{n} lines copied.", len(lines)))

    def _make_header(self, theme: Theme) -> PanelHeader:
        header = PanelHeader(theme, tr(self.title))
        self._level = QComboBox()
        self._level.setAccessibleName(tr("Least level"))
        for level, words in LEVELS:
            self._level.addItem(tr(words), level)
        self._level.currentIndexChanged.connect(self._filter)
        header.add(self._level)
        header.add_end(
            icon_button(theme, "copy", tr("Copy the log as it is shown"), self.copy_all, shortcut="Ctrl+Shift+C")
        )
        self._search = SearchField(theme, tr("Search the log"))
        self._search.setMinimumWidth(theme.px(220))
        self._search.textChanged.connect(self._filter)
        self._search.given_up.connect(lambda: self._table.setFocus())
        header.add_end(self._search)
        return header

    def _add(self, line: Line) -> None:
        bar = self._table.verticalScrollBar()
        at_end = bar.value() >= bar.maximum() - 2
        self._table_model.add(line)
        if at_end:
            self._table.scrollToBottom()
        self._show_state()

    def _filter(self) -> None:
        self._table_model.refilter(self._level.currentData(), self._search.text())
        self._table.scrollToBottom()
        self._show_state()

    def _show_state(self) -> None:
        if self._lines.shown:
            self._stack.setCurrentWidget(self._table)
            return
        if self._lines.is_empty:
            text = tr("What the program does is told here: ids and counts only.")
            self._empty.set_text(tr("Nothing has happened yet"), text)
        else:
            self._empty.set_text(tr("No line fits"), tr("Choose a lower level or search for something else."))
        self._stack.setCurrentWidget(self._empty)

    def _show_line(self, index: QModelIndex) -> None:
        line = self._lines.shown[index.row()]
        area = QScrollArea()
        area.setWidgetResizable(True)
        area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        inside = surface(QWidget(), 2)
        layout = column(margins=16, spacing=8)
        here, utc = (
            numeric_date_time(line.at.astimezone(), seconds=True),
            time_text(line.at.astimezone(UTC), seconds=True),
        )
        layout.addWidget(
            label(tr("{level} from {part}", level=tr(level_word(line.level)), part=line.part), "strong", wrap=True)
        )
        layout.addWidget(label(tr("{time} here, {utc} UTC", time=here, utc=utc), "faint", wrap=True))
        layout.addWidget(label(line.text, wrap=True, selectable=True))
        layout.addStretch(1)
        inside.setLayout(layout)
        area.setWidget(inside)
        self._context.side_view.show_widget(tr("Line of the log"), area)

    def _size_columns(self) -> None:
        theme = self._context.theme
        head = self._table.horizontalHeader()
        for number, width in enumerate((124, 92, 190)):
            head.setSectionResizeMode(number, QHeaderView.ResizeMode.Interactive)
            self._table.setColumnWidth(number, theme.px(width))
