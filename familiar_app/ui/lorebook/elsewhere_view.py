"""What a search found in the other lorebooks, in the side view."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QListWidget, QListWidgetItem, QWidget

from familiar_app.domain.text import ntr, tr
from familiar_app.ui.kit.label import column, label
from familiar_app.ui.lorebook.books import Elsewhere
from familiar_app.ui.lorebook.entry_rows import one_line
from familiar_app.ui.lorebook.wrapped import wrap_rows

MOST = 300


class ElsewhereView(QWidget):
    """`choose` is called with the entry that was opened."""

    def __init__(self, text: str, found: Sequence[Elsewhere], choose: Callable[[Elsewhere], object]) -> None:
        super().__init__()
        self.setAccessibleName(tr("Found in other lorebooks"))
        self.list = QListWidget()
        self.list.setAccessibleName(tr("Found in other lorebooks"))
        wrap_rows(self.list)
        for one in found[:MOST]:
            item = QListWidgetItem(f"{one_line(one.entry.name)}\n{one_line(one.book)}")
            item.setData(Qt.ItemDataRole.UserRole, one)
            self.list.addItem(item)
        self.list.itemActivated.connect(lambda item: choose(item.data(Qt.ItemDataRole.UserRole)))
        self.list.itemClicked.connect(lambda item: choose(item.data(Qt.ItemDataRole.UserRole)))
        layout = column(margins=16, spacing=8)
        told = [ntr("{n} with “{words}”.", "{n} with “{words}”.", len(found), words=text)]
        if len(found) > MOST:
            told.append(tr("The first {count} are listed.", count=MOST))
        layout.addWidget(label(" ".join(told), "quiet", wrap=True))
        layout.addWidget(self.list, 1)
        self.setLayout(layout)
