"""The command palette: type a few letters, run what you meant. It lies over the window and is no dialog."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, QRect, QSize, Qt, Signal
from PySide6.QtGui import QKeyEvent, QPainter
from PySide6.QtWidgets import (
    QFrame,
    QLineEdit,
    QListWidget,
    QListWidgetItem,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QWidget,
)

from familiar_app.domain.text import tr
from familiar_app.ui.kit.action import Action, ActionRegistry
from familiar_app.ui.kit.icon import pixmap
from familiar_app.ui.kit.key_text import native_key
from familiar_app.ui.kit.label import column, label, set_role
from familiar_app.ui.kit.theme import Theme
from familiar_app.ui.shell.palette_model import Match, search

_MATCH = int(Qt.ItemDataRole.UserRole)
_MOVES = {Qt.Key.Key_Down: 1, Qt.Key.Key_Up: -1, Qt.Key.Key_PageDown: 8, Qt.Key.Key_PageUp: -8}


class Palette(QFrame):
    """Searches the registry. `open_palette` shows it; Esc, a click elsewhere or a choice closes it.

    `typed` carries what is searched for; whoever offers more for it then calls `look_again`.
    """

    typed = Signal(str)

    def __init__(self, theme: Theme, actions: ActionRegistry, parent: QWidget) -> None:
        super().__init__(parent)
        self._theme, self._actions = theme, actions
        self._recent: tuple[str, ...] = ()
        self._came_from: QWidget | None = None
        set_role(self, "float")
        self.setAccessibleName(tr("Command palette"))
        self._typed = QLineEdit()
        self._typed.setPlaceholderText(tr("What would you like to do?"))
        self._typed.setAccessibleName(tr("Search commands"))
        self._typed.textChanged.connect(self._refresh)
        self._typed.textChanged.connect(self.typed)
        self._typed.installEventFilter(self)
        self._list = QListWidget()
        self._list.setAccessibleName(tr("Commands"))
        self._list.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self._list.setItemDelegate(_Line(theme, self._list))
        self._list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._list.itemClicked.connect(self._run)
        self._nothing = label(tr("Nothing fits."), "quiet")
        layout = column(margins=8, spacing=8)
        layout.addWidget(self._typed)
        layout.addWidget(self._nothing)
        layout.addWidget(self._list, 1)
        self.setLayout(layout)
        self.hide()

    def open_palette(self) -> None:
        self._came_from = self.window().focusWidget()
        self._typed.clear()
        self._refresh()
        self.place()
        self.show()
        self.raise_()
        self._typed.setFocus()

    def look_again(self) -> None:
        """Show what is offered by now; what is chosen stays chosen."""
        if self.isHidden():
            return
        item = self._list.currentItem()
        chosen = item.data(_MATCH).action.id if item is not None else ""
        self._refresh()
        rows = range(self._list.count())
        self._list.setCurrentRow(
            next((row for row in rows if self._list.item(row).data(_MATCH).action.id == chosen), 0)
        )

    def close_palette(self) -> None:
        if self.isHidden():
            return
        self.hide()
        if self._came_from is not None and self._came_from.isVisible():
            self._came_from.setFocus()
        self._came_from = None

    def place(self) -> None:
        """Stand near the top of the parent, as wide as reading needs."""
        parent = self.parentWidget()
        width = min(self._theme.px(600), parent.width() - 32)
        row, rest = self._theme.px(32), self._typed.sizeHint().height() + 28
        room = max(1, (parent.height() - 120 - rest) // row)
        height = rest + row * min(max(1, self._list.count()), 12, room)
        self.setGeometry((parent.width() - width) // 2, min(72, parent.height() // 8), width, height)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if watched is self._typed and event.type() == QEvent.Type.KeyPress:
            return self._key(event)
        if watched is self._typed and event.type() == QEvent.Type.FocusOut and self.isVisible():
            self.close_palette()
        return False

    def _key(self, event: QKeyEvent) -> bool:
        if event.key() == Qt.Key.Key_Escape:
            self.close_palette()
        elif event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            if (item := self._list.currentItem()) is not None:
                self._run(item)
        elif event.key() in _MOVES:
            last = self._list.count() - 1
            self._list.setCurrentRow(min(last, max(0, self._list.currentRow() + _MOVES[event.key()])))
        else:
            return False
        return True

    def _refresh(self) -> None:
        matches = search(self._typed.text(), self._actions.all(), recent=self._recent)
        self._list.clear()
        for match in matches:
            item = QListWidgetItem(match.action.title)
            item.setData(_MATCH, match)
            spoken = ", ".join(part for part in _parts(match.action) if part)
            item.setData(int(Qt.ItemDataRole.AccessibleTextRole), spoken)
            self._list.addItem(item)
        self._list.setCurrentRow(0)
        self._nothing.setVisible(not matches)
        self.place()
        self._list.setVisible(bool(matches))

    def _run(self, item: QListWidgetItem) -> None:
        match: Match = item.data(_MATCH)
        self._recent = (match.action.id, *(one for one in self._recent if one != match.action.id))[:20]
        self.close_palette()
        match.action.run()


def _parts(action: Action) -> tuple[str, str, str]:
    """Return what a line shows and says: title, group and key."""
    return action.title, action.group, native_key(action.shortcut)


class _Line(QStyledItemDelegate):
    """Paints one command: icon, title with the matching letters strong, group and key at the far end."""

    def __init__(self, theme: Theme, parent: QObject) -> None:
        super().__init__(parent)
        self._theme = theme

    def sizeHint(self, _option: QStyleOptionViewItem, _index) -> QSize:
        return QSize(10, self._theme.px(32))

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index) -> None:
        match = index.data(_MATCH)
        painter.save()
        box = option.rect.adjusted(2, 1, -2, -1)
        if option.state & QStyle.StateFlag.State_Selected:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(self._theme.color("selected"))
            painter.drawRoundedRect(box, 6, 6)
        side = self._theme.px(16)
        picture = pixmap(
            self._theme, match.action.icon or "chevron_right", side=16, scale=painter.device().devicePixelRatioF()
        )
        painter.drawPixmap(QRect(box.x() + 8, box.center().y() - side // 2 + 1, side, side), picture)
        text = box.adjusted(16 + side, 0, -8, 0)
        text.setRight(self._end(painter, text, match) - 12)
        self._title(painter, text, match)
        painter.restore()

    def _end(self, painter: QPainter, box: QRect, match: Match) -> int:
        """Draw key and group from the right; return where they begin."""
        right = box.right()
        align = Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignRight
        painter.setFont(self._theme.font("small"))
        _, group, key = _parts(match.action)
        for shown, role in ((key, "text_2"), (group, "text_3")):
            if shown:
                painter.setPen(self._theme.color(role))
                painter.drawText(QRect(box.x(), box.y(), right - box.x(), box.height()), align, shown)
                right -= painter.fontMetrics().horizontalAdvance(shown) + 12
        return right

    def _title(self, painter: QPainter, box: QRect, match: Match) -> None:
        plain, strong = self._theme.font(), self._theme.font(bold=True)
        painter.setFont(plain)
        title = painter.fontMetrics().elidedText(match.action.title, Qt.TextElideMode.ElideRight, box.width())
        painter.setPen(self._theme.color("text_1"))
        if not title.isascii():
            painter.drawText(box, Qt.AlignmentFlag.AlignVCenter, title)
            return
        x = box.x()
        for at, char in enumerate(title):
            painter.setFont(strong if at in match.positions else plain)
            width = painter.fontMetrics().horizontalAdvance(char)
            painter.drawText(QRect(x, box.y(), width + 4, box.height()), Qt.AlignmentFlag.AlignVCenter, char)
            x += width
