"""The dialogs of bringing in a chat: how far it is, what is in the file and who is who, and what came of it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QComboBox, QFormLayout, QLineEdit, QScrollArea, QWidget

from familiar_app.domain.text import ntr, tr
from familiar_app.ui.chat.bring_word import speaker_line, warnings
from familiar_app.ui.chat.bringing import Seen
from familiar_app.ui.chat.cast import Cast
from familiar_app.ui.kit.button import button
from familiar_app.ui.kit.curtain import curtain
from familiar_app.ui.kit.dialog import Dialog
from familiar_app.ui.kit.field import line_edit
from familiar_app.ui.kit.label import column, label, surface
from familiar_app.ui.kit.wait import ProgressView

_WIDTH, _TOLD_PX = 560, 110
_MOST_OFFERED = 200
KEEP, NEW = "keep", "new"
"""Where it may go besides a channel that is there: where the file says, or into a new one."""


class Busy(Dialog):
    """Tells how far something is. `stop` is called by its button, Esc, or its closing; it stays until `end`."""

    def __init__(self, parent: QWidget | None, title: str, text: str, stop: Callable[[], object]) -> None:
        super().__init__(parent, title)
        self._over, self._stop = False, stop
        self.setMinimumWidth(_WIDTH)
        self.bar = ProgressView(text)
        self.body.addWidget(self.bar)
        self.stop_button = button(tr("Stop"), self.reject)
        self.buttons.addWidget(self.stop_button)

    def reject(self) -> None:
        if self._over:
            super().reject()
            return
        self.stop_button.setEnabled(False)
        self._stop()

    def begin(self) -> None:
        """Show it."""
        curtain().open(self)

    def end(self) -> None:
        """Close it."""
        self._over = True
        curtain().over(self)
        self.close()
        self.deleteLater()


@dataclass(frozen=True, slots=True)
class Target:
    """A place for what is brought in: its key among the choices, what it is called, and what to know of it."""

    key: str
    title: str
    note: str = ""


@dataclass(frozen=True, slots=True)
class Decided:
    """What was chosen. `place` is one of the targets, `name` that of a new channel."""

    cast: Cast
    place: str
    name: str


class BringQuestion(Dialog):
    """What is in the file, and the choices: who is the familiar, who the owner, which channel. Writes nothing."""

    def __init__(
        self,
        parent: QWidget | None,
        seen: Seen,
        told: Sequence[tuple[str, str]],
        guess: Cast,
        targets: Sequence[Target],
        *,
        familiar: str,
        suggest: str,
    ) -> None:
        super().__init__(parent, tr("Bring in this chat?"))
        self.setMinimumWidth(_WIDTH)
        self._seen, self._targets, self._several = seen, list(targets), frozenset[str]()
        self.decided = Decided(guess, KEEP, suggest)
        self.body.addLayout(_facts(told))
        self._tell_warnings()
        self.familiar = self._speakers(tr("Nobody in this chat"))
        self.owner = self._speakers(tr("Nobody in this chat"))
        self.target = QComboBox()
        for one in targets:
            self.target.addItem(one.title, one.key)
        self.name = line_edit(suggest, name=tr("Name of the new channel"))
        self.note = label("", "faint", wrap=True)
        self.body.addLayout(self._form(familiar))
        self.body.addWidget(self.note)
        self.body.addWidget(label(_once(), "faint", wrap=True))
        self.add_choice("", tr("Cancel"))
        caption = ntr("Bring in {n} message", "Bring in {n} messages", seen.turns)
        self.ok = self.add_choice("bring", caption, "primary", default=True)
        self._guess(guess, familiar)
        self.familiar.setFocus()
        for box in (self.familiar, self.owner, self.target):
            box.currentIndexChanged.connect(self._look)
        self.name.textChanged.connect(self._look)
        self._look()

    # ---- what was chosen

    def choose(self, value: str) -> None:
        # What stands in the fields is gone with them.
        self.decided = Decided(self.cast, self.place, self.name.text())
        super().choose(value)

    @property
    def cast(self) -> Cast:
        """Who is who."""
        own = self.familiar.currentData()
        return Cast(self._several if own == KEEP else frozenset([own] if own else []), self.owner.currentData() or None)

    @property
    def place(self) -> str:
        """Where it goes: `keep`, `new`, or the key of a channel."""
        return str(self.target.currentData())

    # ---- building

    def _tell_warnings(self) -> None:
        lines = list(warnings(self._seen.read))
        if not lines:
            return
        self.body.addWidget(label(tr("What does not come over as it is"), "strong"))
        self.body.addWidget(_scrolled(lines))

    def _speakers(self, nobody: str) -> QComboBox:
        made = QComboBox()
        made.addItem(nobody, "")
        for one in self._seen.by_turns()[:_MOST_OFFERED]:
            made.addItem(speaker_line(one), one.key)
        return made

    def _form(self, familiar: str) -> QFormLayout:
        form = _form_layout()
        rows: tuple[tuple[str, QWidget], ...] = (
            (tr("{name} is", name=familiar), self.familiar),
            (tr("You are"), self.owner),
            (tr("Into"), self.target),
            (tr("Called"), self.name),
        )
        for title, field in rows:
            head = label(title)
            head.setBuddy(field)
            if not isinstance(field, QLineEdit):
                field.setAccessibleName(title)
            form.addRow(head, field)
        self._fields = form
        return form

    def _guess(self, guess: Cast, familiar: str) -> None:
        if len(guess.familiar) > 1:
            # A file may know the familiar by several names.
            self._several = guess.familiar
            self.familiar.insertItem(1, tr("Whoever the file says {name} is", name=familiar), KEEP)
            self.familiar.setCurrentIndex(1)
        else:
            self.familiar.setCurrentIndex(max(0, self.familiar.findData(next(iter(guess.familiar), ""))))
        self.owner.setCurrentIndex(max(0, self.owner.findData(guess.owner or "")))

    def _look(self) -> None:
        cast, new = self.cast, self.place == NEW
        self._fields.setRowVisible(self.name, new)
        both = cast.owner is not None and cast.owner in cast.familiar
        note = next((one.note for one in self._targets if one.key == self.place), "")
        self.note.setText(tr("One speaker cannot be both of you.") if both else note)
        self.note.setVisible(bool(self.note.text()))
        self.ok.setEnabled(not both and (not new or bool(self.name.text().strip())))


class BringReport(Dialog):
    """What came of it. `show` among the choices leads to the channel."""

    def __init__(self, parent: QWidget | None, title: str, lines: Sequence[str], more: Sequence[str], *, show: bool):
        super().__init__(parent, title)
        self.setMinimumWidth(_WIDTH)
        for one in lines:
            self.body.addWidget(label(one, wrap=True, selectable=True))
        if more:
            self.body.addWidget(_scrolled(more))
        last = self.add_choice("", tr("Close"), default=not show)
        if show:
            last = self.add_choice("show", tr("Show the conversation"), "primary", default=True)
        last.setFocus()


def _once() -> str:
    return tr("This cannot be undone by a key. What came into a channel of its own can be erased with that channel.")


def _facts(told: Sequence[tuple[str, str]]) -> QFormLayout:
    form = _form_layout()
    for name, value in told:
        form.addRow(label(name, "faint"), label(value, wrap=True, selectable=True))
    return form


def _form_layout() -> QFormLayout:
    form = QFormLayout()
    form.setContentsMargins(0, 0, 0, 0)
    form.setHorizontalSpacing(12)
    form.setVerticalSpacing(8)
    form.setLabelAlignment(Qt.AlignmentFlag.AlignLeft)
    form.setFieldGrowthPolicy(QFormLayout.FieldGrowthPolicy.AllNonFixedFieldsGrow)
    return form


def _scrolled(lines: Sequence[str]) -> QScrollArea:
    """Show lines in a place of bounded height."""
    area = QScrollArea()
    area.setWidgetResizable(True)
    area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
    area.setAccessibleName(tr("What does not come over as it is"))
    area.setMaximumHeight(_TOLD_PX)
    inside = surface(QWidget(), 2)
    layout = column(margins=8, spacing=4)
    for one in lines:
        layout.addWidget(label(one, "quiet", wrap=True, selectable=True))
    layout.addStretch(1)
    inside.setLayout(layout)
    area.setWidget(inside)
    return area
