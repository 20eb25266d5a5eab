"""The table of libraries, and the page with a licence's text."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import QModelIndex, Qt
from PySide6.QtWidgets import QPlainTextEdit, QWidget

from familiar_app.domain.text import tr, tr_later
from familiar_app.ui.about.model import AboutModel
from familiar_app.ui.kit.desktop import Library
from familiar_app.ui.kit.label import column, label, set_role
from familiar_app.ui.kit.table_model import TitledTableModel
from familiar_app.ui.kit.theme import Theme

_COLUMNS = (tr_later("Library"), tr_later("Version"), tr_later("Licence"))
_NO_TEXT = tr_later("No text of the licence came with this library; its name says which one it is.")


class LibraryTable(TitledTableModel):
    """The libraries that fit the search."""

    columns = _COLUMNS

    def __init__(self, theme: Theme, model: AboutModel) -> None:
        super().__init__()
        self._theme, self._model = theme, model

    def count(self) -> int:
        return len(self._model.shown)

    def data(self, index: QModelIndex, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        shown = self._model.shown
        if not index.isValid() or index.row() >= len(shown):
            return None
        one = shown[index.row()]
        if role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.ToolTipRole):
            return (one.name, one.version, one.licence)[index.column()]
        if role == Qt.ItemDataRole.ForegroundRole:
            return self._theme.color("text_1" if index.column() == 0 else "text_2")
        return None

    def renew(self) -> None:
        """Show what fits now."""
        self.beginResetModel()
        self.endResetModel()


def licence_page(theme: Theme, library: Library) -> QWidget:
    """Return the page of the side view for one library."""
    page = QWidget()
    layout = column(margins=16, spacing=8)
    layout.addWidget(label(tr("Version {version}", version=library.version), "quiet", wrap=True))
    layout.addWidget(label(library.licence, "strong", wrap=True))
    if library.text:
        text = QPlainTextEdit(library.text)
        text.setReadOnly(True)
        text.setAccessibleName(tr("Licence of {name}", name=library.name))
        text.setTabChangesFocus(True)
        text.setFont(theme.font("small"))
        set_role(text, "bare")
        layout.addWidget(text, 1)
    else:
        layout.addWidget(label(tr(_NO_TEXT), "quiet", wrap=True))
        layout.addStretch(1)
    page.setLayout(layout)
    return page
