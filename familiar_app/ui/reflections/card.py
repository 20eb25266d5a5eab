"""One thought as a card: when and where, what it says, what it rests on, what became of that, what can be done."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from PySide6.QtCore import Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QFrame, QPushButton, QWidget

from familiar_app.domain.fact import FactId
from familiar_app.domain.ids import TurnId
from familiar_app.domain.text import tr
from familiar_app.store.reflection_mark import MarkAct
from familiar_app.store.reflection_page import ReflectionCase
from familiar_app.ui.kit.button import Button, button, icon_button
from familiar_app.ui.kit.flow import FlowLayout
from familiar_app.ui.kit.label import column, label, row, set_role
from familiar_app.ui.kit.theme import Theme
from familiar_app.ui.reflections.model import ReflectionsModel
from familiar_app.ui.reflections.word import lapsed_place, lapsed_words, minute


@dataclass(frozen=True, slots=True)
class CardWays:
    """What a card leads to and does. `timeline` tells whether there is one to go to."""

    turn: Callable[[TurnId], object]
    fact: Callable[[FactId], object]
    moment: Callable[[str], object]
    mark: Callable[[ReflectionCase, MarkAct], object]
    timeline: bool


class ReflectionCard(QFrame):
    """P pins the thought, H hides it, while the focus is on the card."""

    def __init__(self, theme: Theme, model: ReflectionsModel, case: ReflectionCase, ways: CardWays) -> None:
        super().__init__()
        set_role(self, "card")
        self._theme, self._model, self.case, self._ways = theme, model, case, ways
        self.setAccessibleName(tr("Thought {number}", number=str(case.reflection.id)))
        self._column = column(margins=16, spacing=8)
        self._column.setContentsMargins(16, 8, 12, 12)
        self.setLayout(self._column)
        self._head()
        self.text = label(case.reflection.text, wrap=True, selectable=True)
        self._column.addWidget(self.text)
        self._citations()
        for one in case.lapsed:
            self._lapsed(lapsed_words(one, model.zone), lapsed_place(one))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        plain = event.modifiers() == Qt.KeyboardModifier.NoModifier
        if plain and event.key() == Qt.Key.Key_P and not self.case.hidden:
            self._ways.mark(self.case, self._pin)
        elif plain and event.key() == Qt.Key.Key_H:
            self._ways.mark(self.case, self._hide)
        else:
            super().keyPressEvent(event)

    @property
    def _pin(self) -> MarkAct:
        return "unpin" if self.case.pinned else "pin"

    @property
    def _hide(self) -> MarkAct:
        return "show" if self.case.hidden else "hide"

    def _head(self) -> None:
        case, model = self.case, self._model
        head = row(spacing=12)
        told = f"{minute(case.reflection.created_at, model.zone)} · {model.place_of(case)}"
        head.addWidget(label(told, "faint", wrap=True), 1)
        marks = ((tr("Pinned"), case.pinned, "strong"), (tr("Stale"), case.reflection.stale, "warning"))
        for word, on, role in marks:
            if on:
                head.addWidget(label(word, role))
        ways, theme = self._ways, self._theme
        if not case.hidden:
            name = tr("Unpin this thought") if case.pinned else tr("Pin this thought")
            role = "accent" if case.pinned else "text_2"
            pin = icon_button(theme, "pin", name, lambda: ways.mark(case, self._pin), role=role, shortcut="P", side=16)
            head.addWidget(pin)
        name = tr("Show this thought again") if case.hidden else tr("Hide this thought")
        icon = "eye" if case.hidden else "eye_off"
        head.addWidget(icon_button(theme, icon, name, lambda: ways.mark(case, self._hide), shortcut="H", side=16))
        self._column.addLayout(head)

    def _citations(self) -> None:
        case, ways = self.case, self._ways
        holder = QWidget()
        flow = FlowLayout(holder, spacing=8)
        for turn in case.reflection.cited_turns:
            flow.addWidget(
                _chip(f"T#{turn}", tr("Message {number}", number=str(turn)), lambda turn=turn: ways.turn(turn))
            )
        lapsed = {one.fact.id for one in case.lapsed}
        for fact in case.reflection.cited_facts:
            title, name = f"F#{fact}", tr("Fact {number}", number=str(fact))
            if fact in lapsed:
                title, name = f"{title} ↻", tr("Fact {number}, not believed any more", number=str(fact))
            flow.addWidget(_chip(title, name, lambda fact=fact: ways.fact(fact)))
        self._column.addWidget(holder)

    def _lapsed(self, words: str, place: str) -> None:
        self._column.addWidget(label(words, "quiet", wrap=True))
        if self._ways.timeline:
            step = button(tr("See it on the timeline"), lambda: self._ways.moment(place), role="link")
            self._column.addWidget(step, 0, Qt.AlignmentFlag.AlignLeft)


def _chip(text: str, name: str, run: Callable[[], object]) -> QPushButton:
    made = Button(text)
    set_role(made, "chip")
    made.setAccessibleName(name)
    made.setToolTip(name)
    made.setAutoDefault(False)
    made.clicked.connect(lambda _checked=False: run())
    return made
