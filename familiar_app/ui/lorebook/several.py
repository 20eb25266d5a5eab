"""What can be done with several chosen entries at once, each in one step that can be taken back."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QGridLayout, QWidget

from familiar_app.domain.lorebook.entry import LoreEntry
from familiar_app.domain.lorebook.sentence import short_number
from familiar_app.domain.text import ntr, tr
from familiar_app.ui.kit.button import button
from familiar_app.ui.kit.flow import FlowLayout
from familiar_app.ui.kit.label import column, label
from familiar_app.ui.lorebook.control import NumberBox
from familiar_app.ui.lorebook.control_more import FolderBox
from familiar_app.ui.lorebook.model import LorebookModel
from familiar_app.ui.lorebook.word import lore_word

MOST = 1_000_000


class SeveralView(QWidget):
    """Shows how many are chosen. `do` runs a deed of the view by its word."""

    def __init__(self, model: LorebookModel, do: Callable[[str], object]) -> None:
        super().__init__()
        self._model = model
        self.how_many = label("", "heading", wrap=True)
        self.how_much = label("", "quiet", wrap=True)
        self.order = self._number(lore_word("Order"), 100)
        self.by = self._number(tr("Raise the order by"), 10)
        self.priority = self._number(tr("Priority"), 0)
        self.folder = FolderBox()
        self.folder.setAccessibleName(tr("Folder"))
        self.folder.named.connect(lambda name: model.put_in_folder(model.selected, name))
        layout = column(margins=24, spacing=12)
        layout.addWidget(self.how_many)
        layout.addWidget(self.how_much)
        deeds = FlowLayout(spacing=8)
        for word, text, role in (
            ("enable", tr("Enable"), "plain"),
            ("disable", tr("Disable"), "plain"),
            ("duplicate", tr("Duplicate"), "plain"),
            ("replace", tr("Search and replace…"), "plain"),
            ("delete", tr("Delete"), "danger"),
        ):
            deeds.addWidget(button(text, lambda word=word: do(word), role=role))
        layout.addLayout(deeds)
        layout.addLayout(self._fields())
        layout.addStretch(1)
        self.setLayout(layout)

    def _number(self, name: str, value: float) -> NumberBox:
        made = NumberBox(decimals=2, least=-MOST, most=MOST)
        made.setValue(value)
        made.setAccessibleName(name)
        return made

    def _fields(self) -> QGridLayout:
        grid = QGridLayout()
        grid.setHorizontalSpacing(12)
        grid.setVerticalSpacing(8)
        grid.setColumnStretch(1, 1)
        self.set_order = button(tr("Set"), lambda: self._set("order", self.order.value()))
        self.raise_order = button(tr("Raise"), lambda: self._model.raise_order(self._model.selected, self.by.value()))
        self.set_priority = button(tr("Set"), lambda: self._set("priority", self.priority.value()))
        for number, (title, widget, press) in enumerate(
            (
                (tr("Folder"), self.folder, None),
                (lore_word("Order"), self.order, self.set_order),
                (tr("Raise the order by"), self.by, self.raise_order),
                (tr("Priority"), self.priority, self.set_priority),
            )
        ):
            name = label(title, wrap=True)
            name.setBuddy(widget)
            grid.addWidget(name, number, 0)
            grid.addWidget(widget, number, 1)
            if press is not None:
                press.setAccessibleName(f"{press.text()}: {title}")
                grid.addWidget(press, number, 2, Qt.AlignmentFlag.AlignLeft)
        return grid

    def _set(self, name: str, value: float) -> None:
        count = len(self._model.selected)
        set_to = short_number(value)
        if name == "order":
            title = ntr("Order of {n} entry set to {value}", "Order of {n} entries set to {value}", count, value=set_to)
        else:
            title = ntr(
                "Priority of {n} entry set to {value}", "Priority of {n} entries set to {value}", count, value=set_to
            )
        self._model.change_all(self._model.selected, title, **{name: int(value) if value == int(value) else value})

    def show_entries(self, found: list[LoreEntry]) -> None:
        """Show how many entries are chosen, and what they have in common."""
        tokens = sum(map(self._model.tokens, found))
        self.how_many.setText(ntr("{n} entry selected", "{n} entries selected", len(found)))
        enabled = sum(one.enabled for one in found)
        self.how_much.setText(
            ntr(
                "{enabled} of them are on; {n} token together.",
                "{enabled} of them are on; {n} tokens together.",
                tokens,
                enabled=enabled,
            )
        )
        folders = {one.folder for one in found}
        self.folder.show_folder(self._model.book.folders, folders.pop() if len(folders) == 1 else "")
