"""The left of the panel: the filter, and the kept prompts that fit it."""

from __future__ import annotations

from datetime import datetime

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QComboBox, QWidget

from familiar_app.domain.text import tr
from familiar_app.ui.kit.field import SearchField
from familiar_app.ui.kit.label import column, label
from familiar_app.ui.kit.projector_name import purpose_name
from familiar_app.ui.kit.theme import Theme
from familiar_app.ui.prompts.list_view import TraceListView
from familiar_app.ui.prompts.listing import EVERY_PURPOSE, TraceList


class Left(QWidget):
    """Sends `narrowed` with the words and the purpose that are wanted."""

    narrowed = Signal(str, str)

    def __init__(self, theme: Theme, lines: TraceList) -> None:
        super().__init__()
        self._lines = lines
        self.search = SearchField(theme, tr("Filter prompts"))
        self.purpose = QComboBox()
        self.purpose.setAccessibleName(tr("What the prompts were for"))
        self.nothing = label(tr("No prompt fits this filter."), "quiet", wrap=True)
        self.nothing.setContentsMargins(16, 8, 16, 8)
        self.nothing.hide()
        self.listed = TraceListView(theme, lines)
        self._offer_purposes()
        self.search.textChanged.connect(lambda _text: self._narrow())
        self.search.next_wanted.connect(self.listed.setFocus)
        self.search.given_up.connect(self.listed.setFocus)
        self.purpose.currentIndexChanged.connect(lambda _at: self._narrow())
        filters = column(spacing=8)
        filters.setContentsMargins(12, 12, 12, 8)
        filters.addWidget(self.search)
        filters.addWidget(self.purpose)
        layout = column(spacing=0)
        layout.addLayout(filters)
        layout.addWidget(self.nothing)
        layout.addWidget(self.listed, 1)
        self.setLayout(layout)
        self.setMinimumWidth(theme.px(160))

    def show_list(self, now: datetime, open_trace: int | None) -> None:
        """Take the list anew."""
        self._offer_purposes()
        self.nothing.setVisible(bool(self._lines.count) and not self._lines.shown)
        self.listed.show_rows(now, open_trace)

    def _offer_purposes(self) -> None:
        wanted = [EVERY_PURPOSE, *self._lines.purposes()]
        if [self.purpose.itemData(at) for at in range(self.purpose.count())] == wanted:
            return
        self.purpose.blockSignals(True)
        self.purpose.clear()
        for name in wanted:
            self.purpose.addItem(purpose_name(name) if name else tr("Everything"), name)
        self.purpose.setCurrentIndex(max(0, self.purpose.findData(self._lines.purpose)))
        self.purpose.blockSignals(False)

    def _narrow(self) -> None:
        self.narrowed.emit(self.search.text(), self.purpose.currentData() or EVERY_PURPOSE)
