"""The head of the search: the field one types in, and the filters below it."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import tzinfo

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QComboBox, QLineEdit, QWidget

from familiar_app.domain.ids import ChannelId, PersonKey
from familiar_app.domain.text import ptr, tr, tr_later
from familiar_app.domain.turn import Channel, Person
from familiar_app.ui.kit.button import button
from familiar_app.ui.kit.channel_title import channel_title
from familiar_app.ui.kit.field import SearchField, line_edit
from familiar_app.ui.kit.flow import FlowLayout
from familiar_app.ui.kit.label import column, line, set_property, surface
from familiar_app.ui.kit.theme import Theme
from familiar_app.ui.search.wanted import EVERYTHING, KINDS, Wanted, read_day

SOON_MS = 180
MOST_PEOPLE = 500
NO_DATE = tr_later("This is no date. Write 2024, 2024-05 or 2024-05-03.")


class _Field(SearchField):
    """Sends `down` where an arrow key asks for the results."""

    down = Signal()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Down:
            self.down.emit()
        else:
            super().keyPressEvent(event)


class SearchBar(QWidget):
    """Sends `changed` a moment after typing, and at once after another filter."""

    changed = Signal()

    def __init__(self, theme: Theme, zone: tzinfo) -> None:
        super().__init__()
        self._theme, self._zone = theme, zone
        surface(self, 1)
        self.field = _Field(theme, tr("Search everything that is kept"))
        self.kind = self._box(
            tr("Kind"), [(tr("All kinds"), EVERYTHING), *((tr(title), kind) for kind, title in KINDS.items())]
        )
        self.channel = self._box(tr("Channel"), [(tr("Any channel"), None)])
        self.person = self._box(tr("Person"), [(tr("Anybody"), None)])
        self.since, self.until = (
            self._day(ptr("day", "From"), tr("since 2024-05")),
            self._day(ptr("day", "To"), tr("until 2024-06-30")),
        )
        self.clear = button(tr("Clear filters"), self.clear_filters, role="link")
        self._soon = QTimer(self)
        self._soon.setSingleShot(True)
        self._soon.setInterval(SOON_MS)
        self._soon.timeout.connect(self.changed)
        self.field.textChanged.connect(lambda _text: self._soon.start())
        self._lay_out()
        self._show_clear()

    def wanted(self) -> Wanted:
        """Return what the fields say; a date that is none counts as not given and is marked."""
        return Wanted(
            text=self.field.text(),
            kind=self.kind.currentData(),
            channel=self.channel.currentData(),
            person=self.person.currentData(),
            since=self._read(self.since, end=False),
            until=self._read(self.until, end=True),
        )

    @property
    def wrong(self) -> bool:
        """Whether a date is none."""
        return any(one.property("state") == "wrong" for one in (self.since, self.until))

    def fill(self, channels: Sequence[Channel], people: Sequence[Person]) -> None:
        """Offer other channels and people; what is chosen stays chosen where it still is there."""
        self._refill(self.channel, [(channel_title(one), one.id) for one in channels])
        self._refill(self.person, [(one.label, one.key) for one in people[:MOST_PEOPLE]])

    def put(self, text: str) -> None:
        """Type a text."""
        if text != self.field.text():
            self.field.setText(text)

    def show_kind(self, kind: str) -> None:
        """Filter by a kind."""
        self.kind.setCurrentIndex(self.kind.findData(kind))

    def clear_filters(self) -> None:
        """Take every filter away and go on typing."""
        for box in (self.kind, self.channel, self.person):
            box.setCurrentIndex(0)
        for edit in (self.since, self.until):
            edit.clear()
        self._filtered()
        self.field.setFocus()

    def _lay_out(self) -> None:
        self.filters = QWidget()
        flow = FlowLayout(self.filters, spacing=8)
        for widget in (self.kind, self.channel, self.person, self.since, self.until, self.clear):
            flow.addWidget(widget)
        inside = column(spacing=8)
        inside.setContentsMargins(16, 12, 16, 12)
        inside.addWidget(self.field)
        inside.addWidget(self.filters)
        whole = column(spacing=0)
        whole.addLayout(inside)
        whole.addWidget(line())
        self.setLayout(whole)

    def _box(self, name: str, choices: Sequence[tuple[str, str | ChannelId | PersonKey | None]]) -> QComboBox:
        made = QComboBox()
        made.setAccessibleName(name)
        made.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToContents)
        made.setMaximumWidth(self._theme.px(250))
        for title, value in choices:
            made.addItem(title, value)
        made.currentIndexChanged.connect(lambda _index: self._filtered())
        return made

    def _day(self, name: str, hint: str) -> QLineEdit:
        made = line_edit(placeholder=hint, name=name)
        made.setFixedWidth(self._theme.px(150))
        made.textChanged.connect(lambda _text: self._soon.start())
        return made

    def _refill(self, box: QComboBox, choices: Sequence[tuple[str, str | ChannelId | PersonKey]]) -> None:
        before = box.currentData()
        box.blockSignals(True)
        while box.count() > 1:
            box.removeItem(1)
        for title, value in choices:
            box.addItem(title, value)
        box.setCurrentIndex(max(0, box.findData(before)))
        box.blockSignals(False)

    def _read(self, edit: QLineEdit, *, end: bool):
        wrong, day = "", None
        try:
            day = read_day(edit.text(), self._zone, end=end)
        except ValueError:
            wrong = tr(NO_DATE)
        set_property(edit, "state", "wrong" if wrong else "")
        edit.setToolTip(wrong)
        edit.setAccessibleDescription(wrong)
        return day

    def _filtered(self) -> None:
        self._show_clear()
        self.changed.emit()

    def _show_clear(self) -> None:
        wanted = self.wanted()
        self.clear.setVisible(wanted.narrowed or wanted.kind != EVERYTHING or self.wrong)
