"""What one lorebook says about itself, in the side view: its name, where it counts, its limits, its folders."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QCheckBox, QRadioButton, QScrollArea, QWidget

from familiar_app.domain.lorebook.entry import Folder
from familiar_app.domain.text import number, tr, tr_later
from familiar_app.store.book_shelf import BookFile
from familiar_app.ui.kit.button import button, icon_button
from familiar_app.ui.kit.field import line_edit
from familiar_app.ui.kit.label import clear_layout, column, label, line, row
from familiar_app.ui.kit.theme import Theme
from familiar_app.ui.lorebook.control import ChoiceBox, NumberBox, TextBox
from familiar_app.ui.lorebook.model import LorebookModel

RECURSION = ((None, tr_later("As the familiar")), (True, tr_later("Yes")), (False, tr_later("No")))
Channels = Sequence[tuple[str, str]]
"""Keys of channels with their titles."""


class BookPage(QScrollArea):
    """`bind(everywhere, channels)` lets the book count elsewhere, `discard` puts it into the trash."""

    def __init__(
        self,
        theme: Theme,
        model: LorebookModel,
        book: BookFile,
        channels: Channels,
        bind: Callable[[bool, list[str]], object],
        discard: Callable[[], object],
    ) -> None:
        super().__init__()
        self._theme, self._model, self._bind = theme, model, bind
        self.setWidgetResizable(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setAccessibleName(tr("About this lorebook"))
        layout = column(margins=16, spacing=8)
        self._add_words(layout)
        layout.addWidget(line())
        layout.addWidget(label(tr("Where it counts"), "strong"))
        self._add_binding(layout, book, channels)
        layout.addWidget(line())
        self._add_limits(layout)
        layout.addWidget(line())
        layout.addWidget(label(tr("Folders"), "strong"))
        self._folders = column(spacing=4)
        layout.addLayout(self._folders)
        self.show_folders()
        layout.addWidget(line())
        self.discard = button(tr("Delete this lorebook"), discard, role="danger")
        layout.addWidget(self.discard, 0, Qt.AlignmentFlag.AlignLeft)
        layout.addWidget(label(str(book.path.name), "faint", wrap=True))
        layout.addStretch(1)
        inside = QWidget()
        inside.setLayout(layout)
        self.setWidget(inside)

    def _add_words(self, layout) -> None:
        book = self._model.book
        self.name = line_edit(book.name, name=tr("Name of the lorebook"))
        self.name.editingFinished.connect(self._rename)
        self.description = TextBox()
        self.description.setAccessibleName(tr("What it is about"))
        self.description.setFixedHeight(self._theme.px(88))
        self.description.setPlainText(book.description)
        self.description.textChanged.connect(
            lambda: self._model.change_book(tr("Description changed"), description=self.description.toPlainText())
        )
        for title, widget in ((tr("Name"), self.name), (tr("What it is about"), self.description)):
            heading = label(title, "strong")
            heading.setBuddy(widget)
            layout.addWidget(heading)
            layout.addWidget(widget)

    def _rename(self) -> None:
        name = self.name.text().strip()
        if name:
            self._model.change_book(tr("Lorebook renamed"), name=name)
        else:
            self.name.setText(self._model.book.name)

    # ---- where it counts

    def _add_binding(self, layout, book: BookFile, channels: Channels) -> None:
        self.everywhere = QRadioButton(tr("For every familiar, everywhere"))
        self.in_channels = QRadioButton(tr("In these channels of this familiar"))
        self.channels: dict[str, QCheckBox] = {}
        if book.binding == "familiar":
            layout.addWidget(
                label(tr("It is this familiar's own and counts in all of its channels."), "quiet", wrap=True)
            )
            return
        self.everywhere.setChecked(book.binding == "everywhere")
        self.in_channels.setChecked(book.binding != "everywhere")
        for one in (self.everywhere, self.in_channels):
            one.setAccessibleName(one.text())
            one.clicked.connect(lambda _on=False: self._rebind())
            layout.addWidget(one)
        unknown = [(key, key) for key in book.channels if key not in dict(channels)]
        for key, title in (*channels, *unknown):
            box = QCheckBox(title)
            box.setAccessibleName(tr("Counts in {channel}", channel=title))
            box.setChecked(key in book.channels)
            box.setEnabled(book.binding != "everywhere")
            box.clicked.connect(lambda _on=False: self._rebind())
            self.channels[key] = box
            indented = row()
            indented.setContentsMargins(24, 0, 0, 0)
            indented.addWidget(box)
            layout.addLayout(indented)

    def _rebind(self) -> None:
        everywhere = self.everywhere.isChecked()
        for box in self.channels.values():
            box.setEnabled(not everywhere)
        self._bind(everywhere, [key for key, box in self.channels.items() if box.isChecked()])

    # ---- limits and folders

    def _add_limits(self, layout) -> None:
        book = self._model.book
        self.depth = NumberBox(decimals=0, least=-1, most=1000, blank=tr("As the familiar"))
        self.depth.setValue(-1 if book.scan_depth is None else book.scan_depth)
        self.depth.valueChanged.connect(
            lambda value: self._model.change_book(tr("Depth changed"), scan_depth=None if value < 0 else int(value))
        )
        self.budget = NumberBox(decimals=0, least=0, most=1_000_000, blank=tr("No limit of its own"))
        self.budget.setValue(book.token_budget or 0)
        self.budget.valueChanged.connect(
            lambda value: self._model.change_book(tr("Budget changed"), token_budget=int(value) or None)
        )
        self.recursive = ChoiceBox()
        for _value, title in RECURSION:
            self.recursive.addItem(tr(title))
        self.recursive.setCurrentIndex([value for value, _title in RECURSION].index(book.recursive))
        self.recursive.activated.connect(
            lambda number: self._model.change_book(tr("Recursion changed"), recursive=RECURSION[number][0])
        )
        for title, widget in (
            (tr("Messages looked at"), self.depth),
            (tr("Most tokens"), self.budget),
            (tr("Entries wake each other"), self.recursive),
        ):
            heading = label(title)
            heading.setBuddy(widget)
            widget.setAccessibleName(title)
            layout.addWidget(heading)
            layout.addWidget(widget)

    def show_folders(self) -> None:
        """List the folders anew."""
        clear_layout(self._folders)
        book = self._model.book
        for folder in book.folders:
            count = sum(one.folder == folder.id for one in book.entries)
            one = row(spacing=8)
            box = QCheckBox(f"{folder.name} ({number(count)})")
            box.setAccessibleName(tr("Folder {folder} is on", folder=folder.name))
            box.setChecked(folder.enabled)
            box.clicked.connect(lambda on, folder=folder: self._switch(folder, on))
            one.addWidget(box, 1)
            name = tr("Take folder {folder} away", folder=folder.name)
            one.addWidget(icon_button(self._theme, "close", name, lambda folder=folder: self._drop(folder)))
            self._folders.addLayout(one)
        if not book.folders:
            self._folders.addWidget(
                label(
                    tr("There are none. Type a folder's name into the form of an entry to make one."),
                    "faint",
                    wrap=True,
                )
            )

    def _switch(self, folder: Folder, on: bool) -> None:
        folders = tuple(replace(one, enabled=on) if one.id == folder.id else one for one in self._model.book.folders)
        if on:
            title = tr("Folder {folder} switched on", folder=folder.name)
        else:
            title = tr("Folder {folder} switched off", folder=folder.name)
        self._model.change_book(title, folders=folders)

    def _drop(self, folder: Folder) -> None:
        self._model.drop_folder(folder.id)
        self.show_folders()
