"""The rows of the table of entries, for Qt: a lazy model over those of the view-model, and what dragging carries."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import tzinfo

from PySide6.QtCore import QAbstractTableModel, QMimeData, QModelIndex, Qt
from PySide6.QtGui import QFont

from familiar_app.domain.clock import local_time
from familiar_app.domain.lorebook.entry import LoreBook, LoreEntry
from familiar_app.domain.lorebook.sentence import short_number
from familiar_app.domain.text import number, tr, tr_later
from familiar_app.ui.kit.date_text import numeric_date, numeric_date_time
from familiar_app.ui.kit.icon import icon
from familiar_app.ui.kit.theme import Theme
from familiar_app.ui.lorebook.listing import COLUMNS, strategy_of
from familiar_app.ui.lorebook.merge import Uid
from familiar_app.ui.lorebook.model import LorebookModel
from familiar_app.ui.lorebook.tester import TrialModel
from familiar_app.ui.lorebook.tip import plain_tip
from familiar_app.ui.lorebook.trial import Verdict
from familiar_app.ui.lorebook.word import lore_word

TITLES = (
    "#",
    "On",
    tr_later("Name"),
    "Keys",
    "Order",
    tr_later("Tokens"),
    "How",
    tr_later("Fired"),
    "Last",
    "Test",
)
HEADER_TIPS = {
    "times": tr_later("In how many prompts the entry stood."),
    "last": tr_later("When it last stood in a prompt."),
}
MIME = "application/x-familiar-lorebook-rows"
_RIGHT = {"place", "order", "tokens", "times"}
_NOTHING = QModelIndex()
_SWITCH = COLUMNS.index("on")
# Made once: the view asks for them by the ten thousand where many rows are selected.
_CELL_FLAGS = Qt.ItemFlag.ItemIsSelectable | Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsDragEnabled
_SWITCH_FLAGS = _CELL_FLAGS | Qt.ItemFlag.ItemIsUserCheckable


class EntryTableModel(QAbstractTableModel):
    """Shows `LorebookModel.rows()`; a cell is made when it is painted."""

    def __init__(self, theme: Theme, model: LorebookModel, tester: TrialModel) -> None:
        super().__init__()
        self._theme, self._model, self._tester = theme, model, tester
        self._rows: list[LoreEntry] = []
        self._places: dict[Uid, int] = {}
        self._placed: LoreBook | None = None
        self.zone: tzinfo | None = None
        self.dropped: Callable[[list[Uid], Uid | None], object] = lambda _uids, _before: None

    def refresh(self) -> None:
        """Take the rows anew."""
        self.beginResetModel()
        self._rows = self._model.rows()
        if self._placed is not self._model.book:
            self._placed = self._model.book
            self._places = {one.uid: number for number, one in enumerate(self._placed.entries, 1)}
        self.endResetModel()

    def refresh_cells(self) -> None:
        """Have the cells painted anew; the rows are the same entries."""
        self._rows = self._model.rows()
        if self._rows:
            self.dataChanged.emit(self.index(0, 0), self.index(len(self._rows) - 1, len(COLUMNS) - 1))

    def uid_at(self, row: int) -> Uid | None:
        """Return the id of the entry in a row."""
        return self._rows[row].uid if 0 <= row < len(self._rows) else None

    def rows_of(self, uids: Sequence[Uid]) -> list[int]:
        """Return the rows in which these entries stand."""
        wanted = set(uids)
        return [number for number, one in enumerate(self._rows) if one.uid in wanted]

    def rowCount(self, parent: QModelIndex = _NOTHING) -> int:
        return 0 if parent.isValid() else len(self._rows)

    def columnCount(self, parent: QModelIndex = _NOTHING) -> int:
        return 0 if parent.isValid() else len(COLUMNS)

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole):
        if orientation != Qt.Orientation.Horizontal or not 0 <= section < len(TITLES):
            return None
        if role == Qt.ItemDataRole.DisplayRole:
            return lore_word(TITLES[section])
        if role == Qt.ItemDataRole.ToolTipRole:
            tip = HEADER_TIPS.get(COLUMNS[section])
            return None if tip is None else tr(tip)
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return _alignment("name" if COLUMNS[section] == "place" else COLUMNS[section])
        return None

    def flags(self, index: QModelIndex) -> Qt.ItemFlag:
        if not index.isValid():
            return Qt.ItemFlag.ItemIsDropEnabled
        return _SWITCH_FLAGS if index.column() == _SWITCH else _CELL_FLAGS

    def data(self, index: QModelIndex, role: int = Qt.ItemDataRole.DisplayRole):
        if not index.isValid() or not 0 <= index.row() < len(self._rows):
            return None
        entry, column, roles = self._rows[index.row()], COLUMNS[index.column()], Qt.ItemDataRole
        if role == roles.DisplayRole:
            return self._text(entry, column)
        if role == roles.TextAlignmentRole:
            return _alignment(column)
        if role == roles.CheckStateRole and column == "on":
            return Qt.CheckState.Checked if entry.enabled else Qt.CheckState.Unchecked
        if role == roles.ForegroundRole:
            return self._theme.color(self._color(entry, column))
        if role == roles.DecorationRole:
            return self._mark(entry, column)
        if role == roles.FontRole and column == "name" and not entry.comment:
            font = QFont(self._theme.font("table"))
            font.setItalic(True)
            return font
        if role == roles.ToolTipRole:
            return self._tip(entry, column)
        if role == roles.AccessibleTextRole and column == "on":
            return lore_word("On") if entry.enabled else tr("Off")
        if role == roles.AccessibleTextRole and column == "name" and entry.uid in self._model.warnings:
            return tr("{entry}, has warnings", entry=one_line(entry.name))
        return None

    def setData(self, index: QModelIndex, _value: object, role: int = Qt.ItemDataRole.EditRole) -> bool:
        uid = self.uid_at(index.row()) if index.isValid() else None
        if uid is None or role != Qt.ItemDataRole.CheckStateRole or COLUMNS[index.column()] != "on":
            return False
        self._model.toggle([uid])
        return True

    def _text(self, entry: LoreEntry, column: str) -> str:
        if column == "place":
            return str(self._places.get(entry.uid, ""))
        if column == "name":
            return one_line(entry.name)
        if column == "keys":
            return one_line(", ".join(entry.keys[:12]))
        if column == "order":
            return short_number(entry.order)
        if column == "tokens":
            return number(self._tester.tokens_of(entry.content))
        if column == "strategy":
            return strategy_of(entry)
        if column in ("times", "last"):
            return self._use(entry, column)
        if column == "test":
            return _outcome(self._tester.trial.by_uid.get(entry.uid))
        return ""

    def _color(self, entry: LoreEntry, column: str) -> str:
        verdict = self._tester.trial.by_uid.get(entry.uid) if column == "test" else None
        if verdict is not None:
            return "good" if verdict.fires else "warning"
        if not entry.enabled or column == "place":
            return "text_3"
        return "text_1" if column in ("name", "order") else "text_2"

    def _use(self, entry: LoreEntry, column: str, *, exact: bool = False) -> str:
        use = self._model.uses.get(entry.uid)
        if use is None:
            return ""
        if column == "times":
            return number(use.times)
        at = local_time(use.last_at, self.zone)
        return numeric_date_time(at) if exact else numeric_date(at)

    def _mark(self, entry: LoreEntry, column: str):
        if column == "name" and entry.uid in self._model.warnings:
            return icon(self._theme, "warning", "warning")
        verdict = self._tester.trial.by_uid.get(entry.uid) if column == "test" else None
        if verdict is not None and verdict.fires:
            return icon(self._theme, "check", "good")
        return None

    def _tip(self, entry: LoreEntry, column: str) -> str | None:
        if column == "name":
            warnings = self._model.warnings.get(entry.uid, ())
            return plain_tip("\n".join(one.text for one in warnings)) if warnings else None
        if column in ("times", "last"):
            return self._use(entry, "last", exact=True) or tr("It never stood in a prompt.")
        if column == "keys":
            return plain_tip(", ".join(entry.keys)) if entry.keys else None
        if column == "test":
            verdict = self._tester.trial.by_uid.get(entry.uid)
            return plain_tip(verdict.why) if verdict is not None else None
        if column == "tokens" and not self._tester.is_counted(entry.content):
            return tr("An estimate; the model has not counted it.")
        return None

    # ---- dragging

    def supportedDropActions(self) -> Qt.DropAction:
        return Qt.DropAction.MoveAction

    def mimeTypes(self) -> list[str]:
        return [MIME]

    def mimeData(self, indexes: Sequence[QModelIndex]) -> QMimeData:
        data = QMimeData()
        rows = sorted({index.row() for index in indexes})
        data.setData(MIME, ",".join(map(str, rows)).encode())
        return data

    def canDropMimeData(self, data: QMimeData, _action, _row: int, _column: int, _parent: QModelIndex) -> bool:
        return data.hasFormat(MIME) and self._model.in_file_order

    def dropMimeData(self, data: QMimeData, action, row: int, column: int, parent: QModelIndex) -> bool:
        if not self.canDropMimeData(data, action, row, column, parent):
            return False
        numbers = bytes(data.data(MIME)).decode("ascii", "replace").split(",")
        rows = [int(number) for number in numbers if number.isdigit()]
        uids = [uid for uid in map(self.uid_at, rows) if uid is not None]
        at = row if row >= 0 else (parent.row() if parent.isValid() else len(self._rows))
        self.dropped(uids, self.uid_at(at))
        # The rows were moved here already: False keeps the view from taking the dragged ones out.
        return False


def _outcome(verdict: Verdict | None) -> str:
    if verdict is None or not (verdict.fires or verdict.near):
        return ""
    return tr("Fires") if verdict.fires else tr("Nearly")


def one_line(text: str) -> str:
    """Return a text without line ends, cut where no column could show more."""
    return " ".join(text[:300].split())


def _alignment(column: str) -> Qt.AlignmentFlag:
    side = Qt.AlignmentFlag.AlignRight if column in _RIGHT else Qt.AlignmentFlag.AlignLeft
    return side | Qt.AlignmentFlag.AlignVCenter
