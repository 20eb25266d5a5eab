"""Chooses which entries the table shows: all, those with warnings, those that never fired, those of a folder."""

from __future__ import annotations

from PySide6.QtCore import QSize

from familiar_app.domain.text import number, tr
from familiar_app.ui.lorebook.control import ChoiceBox
from familiar_app.ui.lorebook.listing import FOLDER, ONLY
from familiar_app.ui.lorebook.model import LorebookModel

WIDEST = 26
"""How many letters of the widest line can be read without opening the box."""


class OnlyBox(ChoiceBox):
    """Narrows the rows of a model down."""

    def __init__(self, model: LorebookModel) -> None:
        super().__init__()
        self._model = model
        self._listed: list[tuple[str, str]] = []
        self.setAccessibleName(tr("Which entries are shown"))
        self.activated.connect(self._chosen)
        self.refresh()

    def refresh(self) -> None:
        """Offer the folders that the book has now, and say how many entries have warnings."""
        counts = {
            "warnings": len(self._model.warnings),
            "never": sum(any(one.never for one in found) for found in self._model.warnings.values()),
        }
        listed = [
            (name, f"{tr(title)} ({number(counts[name])})" if name in counts else tr(title)) for name, title in ONLY
        ]
        listed += [(f"{FOLDER}{one.id}", tr("Folder: {folder}", folder=one.name)) for one in self._model.book.folders]
        if listed != self._listed:
            self._listed = listed
            self.blockSignals(True)
            self.clear()
            for name, title in listed:
                self.addItem(title, name)
            self.blockSignals(False)
            self.updateGeometry()
        at = next((number for number, (name, _title) in enumerate(listed) if name == self._model.only), 0)
        if self.currentIndex() != at:
            self.setCurrentIndex(at)

    def sizeHint(self) -> QSize:
        """As wide as its lines ask for, so that their counts can be read."""
        hint, metrics = super().sizeHint(), self.fontMetrics()
        lines = [metrics.horizontalAdvance(f"{title[:WIDEST]}  ") for _name, title in self._listed]
        return QSize(max([hint.width(), *(one + 2 * hint.height() for one in lines)]), hint.height())

    def _chosen(self, number: int) -> None:
        self._model.narrow(self._listed[number][0])
