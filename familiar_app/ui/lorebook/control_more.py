"""Controls of the form that are made of several parts: folder, further texts that are searched, characters."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QCheckBox, QComboBox, QLineEdit, QWidget

from familiar_app.domain.lorebook.entry import SOURCES, CharacterFilter, Folder
from familiar_app.domain.text import tr, tr_later
from familiar_app.ui.kit.field import line_edit
from familiar_app.ui.kit.flow import FlowLayout
from familiar_app.ui.kit.label import column
from familiar_app.ui.lorebook.field import SOURCE_TITLES, words_of

NO_FOLDER = tr_later("No folder")


class FolderBox(QComboBox):
    """Chooses a folder by its name, or takes the name of a new one. `named` carries it, "" for none."""

    named = Signal(str)

    def __init__(self) -> None:
        super().__init__()
        self.setEditable(True)
        self.setInsertPolicy(QComboBox.InsertPolicy.NoInsert)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setMinimumContentsLength(8)
        self.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self._folders: tuple[Folder, ...] = ()
        self._shown = ""
        self.activated.connect(lambda _number: self._report())
        self.lineEdit().editingFinished.connect(self._report)
        self.lineEdit().setPlaceholderText(tr(NO_FOLDER))

    def setAccessibleName(self, name: str) -> None:
        super().setAccessibleName(name)
        self.lineEdit().setAccessibleName(name)

    def show_folder(self, folders: Sequence[Folder], folder: str) -> None:
        """Offer the folders of the book and show the one with this id."""
        if tuple(folders) != self._folders or not self.count():
            self._folders = tuple(folders)
            self.blockSignals(True)
            self.clear()
            self.addItem("")
            for one in folders:
                self.addItem(one.name if one.enabled else tr("{folder} (off)", folder=one.name), one.name)
            self.blockSignals(False)
        self._shown = next((one.name for one in folders if one.id == folder), folder)
        if self.lineEdit().text() != self._shown:
            self.setEditText(self._shown)

    def _report(self) -> None:
        name = self.lineEdit().text().strip()
        at = self.findText(name)
        if at > 0:
            name = self.itemData(at)
            self.setEditText(name)
        if name != self._shown:
            self._shown = name
            self.named.emit(name)

    def wheelEvent(self, event) -> None:
        event.ignore()


class SourcesBox(QWidget):
    """Texts beside the conversation that are searched too, each with a box. `changed` carries their names."""

    changed = Signal(tuple)

    def __init__(self) -> None:
        super().__init__()
        flow = FlowLayout(spacing=8)
        self.boxes = {name: QCheckBox(tr(SOURCE_TITLES.get(name, name.replace("_", " ")))) for name in SOURCES}
        for box in self.boxes.values():
            box.setAccessibleName(tr("Looks into: {source}", source=box.text()))
            box.toggled.connect(lambda _on: self.changed.emit(self.value()))
            flow.addWidget(box)
        self.setLayout(flow)
        self.setFocusProxy(next(iter(self.boxes.values())))

    def value(self) -> tuple[str, ...]:
        """Return the names of the chosen texts, in the order in which they are searched."""
        return tuple(name for name, box in self.boxes.items() if box.isChecked())

    def show_value(self, names: Sequence[str]) -> None:
        """Show which texts are searched, without reporting."""
        for name, box in self.boxes.items():
            box.blockSignals(True)
            box.setChecked(name in names)
            box.blockSignals(False)


class FilterBox(QWidget):
    """For which characters an entry is. `changed` carries a CharacterFilter, or None where it is for all."""

    changed = Signal(object)

    def __init__(self) -> None:
        super().__init__()
        self.way = QComboBox()
        self.way.setAccessibleName(tr("Characters"))
        self.way.addItems([tr("Only for these characters"), tr("Not for these characters")])
        self.names = line_edit(name=tr("Names of characters"), placeholder=tr("Names, with commas"))
        self.tags = line_edit(name=tr("Tags of characters"), placeholder=tr("Tags, with commas"))
        layout = column(spacing=4)
        for one in (self.way, self.names, self.tags):
            layout.addWidget(one)
        self.setLayout(layout)
        self.way.activated.connect(lambda _number: self.changed.emit(self.value()))
        for field in (self.names, self.tags):
            field.textEdited.connect(lambda _text: self.changed.emit(self.value()))
        self.setFocusProxy(self.way)

    def value(self) -> CharacterFilter | None:
        """Return the filter; without names and tags there is none."""
        names, tags = words_of(self.names.text()), words_of(self.tags.text())
        return CharacterFilter(self.way.currentIndex() == 1, names, tags) if names or tags else None

    def show_value(self, wanted: CharacterFilter | None) -> None:
        """Show a filter without reporting; what is being typed stays as it is."""
        if wanted == self.value():
            return
        wanted = wanted or CharacterFilter()
        self.way.setCurrentIndex(1 if wanted.exclude else 0)
        _put(self.names, wanted.names)
        _put(self.tags, wanted.tags)


def _put(field: QLineEdit, words: Sequence[str]) -> None:
    if words_of(field.text()) != tuple(words):
        field.setText(", ".join(words))
