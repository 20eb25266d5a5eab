"""The dialogs in which memories are written, tagged and moved. What is wrong is told beside the field."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QComboBox, QPlainTextEdit, QWidget

from familiar_app.domain.saved_memory.memory import MemoryPlace
from familiar_app.domain.text import ntr, ptr, tr, tr_later
from familiar_app.ui.kit.dialog import Dialog, shown
from familiar_app.ui.kit.field import LabelledField, line_edit
from familiar_app.ui.kit.label import label
from familiar_app.ui.kit.theme import Theme

_PLACE_HINT = tr_later("A memory about a person follows them everywhere; one about a place stays there.")
_TAGS_HINT = tr_later(
    "Separated by commas. #channel keeps it to a channel, a word to conversations in which it occurs."
)


@dataclass(frozen=True, slots=True)
class Written:
    """What the person wrote. `place` is None where it stays."""

    content: str
    tags: tuple[str, ...]
    place: MemoryPlace | None = None


class _Text(QPlainTextEdit):
    """Text in which Ctrl+Return is ready and Tab goes on."""

    def __init__(self, dialog: Dialog) -> None:
        super().__init__()
        self._dialog = dialog
        self.setTabChangesFocus(True)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        enter = event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter)
        if enter and event.modifiers() & Qt.KeyboardModifier.ControlModifier:
            self._dialog.findChild(QWidget, "save").click()
        else:
            super().keyPressEvent(event)


class MemoryForm(Dialog):
    """Text, tags and, for a new memory, what it is about."""

    def __init__(
        self,
        parent: QWidget | None,
        theme: Theme,
        title: str,
        *,
        content: str = "",
        tags: Sequence[str] = (),
        limits: tuple[int, int],
        places: Sequence[tuple[str, MemoryPlace]] = (),
        here: MemoryPlace | None = None,
    ) -> None:
        super().__init__(parent, title)
        self._max_length, self._max_tags = limits
        self.place = _place_box(places, here)
        if places:
            self.body.addWidget(_about(self.place))
        self.text = _Text(self)
        self.text.setPlainText(content)
        self.text.setMinimumHeight(theme.px(96))
        self.text_field = LabelledField(
            ptr("one saved memory", "Memory"),
            self.text,
            hint=tr("{user} is the person it is about, {char} the familiar."),
        )
        self.body.addWidget(self.text_field)
        self.tags = line_edit(", ".join(tags))
        self.tags_field = LabelledField(tr("Tags"), self.tags, hint=tr(_TAGS_HINT))
        self.body.addWidget(self.tags_field)
        self.add_choice("", tr("Cancel"))
        self.save = self.add_choice("save", tr("Save"), "primary", default=True)
        self.save.setObjectName("save")
        self.save.setToolTip("Ctrl+Return")
        self.setMinimumWidth(theme.px(480))
        self.text.textChanged.connect(self._check)
        self.tags.textChanged.connect(lambda _text: self._check())
        self._check()
        self.text.setFocus()

    def written(self) -> Written:
        place = self.place.currentData()
        return Written(self.text.toPlainText().strip(), parted(self.tags.text()), place)

    def _check(self) -> None:
        length, tags = len(self.text.toPlainText().strip()), len(parted(self.tags.text()))
        long, many = length > self._max_length, tags > self._max_tags
        self.text_field.set_wrong(_too_long(length, self._max_length) if long else "")
        self.tags_field.set_wrong(_too_many(tags, self._max_tags) if many else "")
        self.save.setEnabled(length > 0 and not long and not many)


async def write_memory(form: MemoryForm) -> Written | None:
    """Let the person write; None where they gave it up."""
    await shown(form)
    return form.written() if form.chosen == "save" else None


async def choose_place(
    parent: QWidget | None, title: str, places: Sequence[tuple[str, MemoryPlace]], now: MemoryPlace | None
) -> MemoryPlace | None:
    """Ask what memories shall be about; None where the person chose nothing."""
    dialog = Dialog(parent, title)
    box = _place_box(places, now)
    dialog.body.addWidget(_about(box))
    dialog.body.addWidget(label(tr("Undo moves them back."), "faint", wrap=True))
    dialog.add_choice("", tr("Cancel"))
    dialog.add_choice("move", tr("Move"), "primary", default=True)
    box.setFocus()
    await shown(dialog)
    return box.currentData() if dialog.chosen == "move" else None


def parted(text: str) -> tuple[str, ...]:
    """Part what was typed into tags."""
    return tuple(dict.fromkeys(tag.strip() for tag in text.split(",") if tag.strip()))


def _about(box: QComboBox) -> LabelledField:
    return LabelledField(ptr("whom it is about", "About"), box, hint=tr(_PLACE_HINT))


def _too_long(length: int, most: int) -> str:
    return ntr("{n} character; {most} are allowed.", "{n} characters; {most} are allowed.", length, most=most)


def _too_many(tags: int, most: int) -> str:
    return ntr("{n} tag; {most} are allowed.", "{n} tags; {most} are allowed.", tags, most=most)


def _place_box(places: Sequence[tuple[str, MemoryPlace]], now: MemoryPlace | None) -> QComboBox:
    box = QComboBox()
    box.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
    box.setMinimumContentsLength(16)
    for name, place in places:
        box.addItem(name, place)
        if place == now:
            box.setCurrentIndex(box.count() - 1)
    return box
