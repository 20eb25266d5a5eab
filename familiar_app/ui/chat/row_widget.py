"""Widgets that stand inside rows of the transcript: the bar below the last answer, errors, the editor."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QPlainTextEdit, QVBoxLayout, QWidget

from familiar_app.domain.text import ptr, tr
from familiar_app.domain.turn import Turn
from familiar_app.ui.chat.further import BreakOff
from familiar_app.ui.chat.row import Row
from familiar_app.ui.kit.button import button, icon_button
from familiar_app.ui.kit.label import column, label, row, set_property, set_role
from familiar_app.ui.kit.theme import Theme

Do = Callable[[str], object]


class ReplyBar(QWidget):
    """Below the last answer: whether it was cut off, its alternatives, another one, and what stands behind it."""

    def __init__(self, theme: Theme, do: Do) -> None:
        super().__init__()
        self.cut = QWidget()
        told = row(spacing=4)
        self.reason = label("", "faint")
        told.addWidget(self.reason)
        self.go_on = button(
            tr("Continue"), lambda: do("go_on"), role="link", tip=tr("Have the model go on where this stops")
        )
        told.addWidget(self.go_on)
        told.addStretch(1)
        self.cut.setLayout(told)
        layout = column(spacing=0)
        layout.setContentsMargins(0, 4, 0, 0)
        layout.addWidget(self.cut)
        layout.addLayout(self._controls(theme, do))
        self.setLayout(layout)

    def _controls(self, theme: Theme, do: Do) -> QHBoxLayout:
        controls = row(spacing=4)
        self.back = icon_button(
            theme, "chevron_left", tr("Previous answer"), lambda: do("swipe_back"), side=16, shortcut="←"
        )
        self.counter = label("", "faint")
        self.on = icon_button(theme, "chevron_right", tr("Next answer"), lambda: do("swipe_on"), side=16, shortcut="→")
        self.again = icon_button(
            theme, "refresh", tr("Answer again"), lambda: do("regenerate"), side=16, shortcut="Ctrl+Return"
        )
        tip = tr("Show the prompt behind this answer")
        self.why = button(tr("Why?"), lambda: do("why"), role="link", tip=tip)
        for widget in (self.back, self.counter, self.on, self.again, self.why):
            controls.addWidget(widget)
        controls.addStretch(1)
        return controls

    def show_turn(self, turn: Turn, *, greeting: bool, has_trace: bool, cut: BreakOff = "") -> None:
        """Show the counter and offer what can be done with this answer."""
        self.counter.setText(f"{turn.alternative}/{turn.alternatives}")
        self.counter.setAccessibleName(tr("Answer {place} of {n}", place=turn.alternative, n=turn.alternatives))
        self.counter.setVisible(not greeting)
        self.back.setEnabled(greeting or turn.alternative > 1)
        newer = turn.alternative >= turn.alternatives and not greeting
        name = tr("Make another answer") if newer else tr("Next greeting") if greeting else tr("Next answer")
        self.on.setAccessibleName(name)
        self.on.setToolTip(f"{name} (→)")
        self.again.setVisible(not greeting)
        stopped = cut == "stopped"
        self.reason.setText(tr("Stopped before its end ·") if stopped else tr("Cut off at its length limit ·"))
        self.cut.setVisible(bool(cut))
        self.why.setVisible(has_trace)


class MessageBar(QFrame):
    """A sentence with its next step: a failed reply, one that never came, a silence."""

    def __init__(self, theme: Theme, shown: Row, do: Do) -> None:
        super().__init__()
        failed = shown.kind == "failure"
        if failed:
            set_role(self, "notice")
            set_property(self, "tone", "danger")
        layout = row(spacing=8)
        layout.setContentsMargins(12 if failed else 0, 8, 8, 8)
        text = label(shown.spoken(), "danger" if failed else "quiet", wrap=True, selectable=failed)
        layout.addWidget(text, 1)
        steps = {
            "failure": (tr("Try again"), "try_again"),
            "unanswered": (ptr("verb", "Answer"), "try_again"),
            "silent": (tr("Ask again"), "try_again"),
        }
        self.step = None
        if shown.kind in steps:
            caption, deed = steps[shown.kind]
            self.step = button(caption, lambda: do(deed), theme=theme, icon="refresh")
            layout.addWidget(self.step, 0, Qt.AlignmentFlag.AlignVCenter)
        if shown.kind == "silent":
            layout.addWidget(button(tr("Why?"), lambda: do("why_silent"), role="link"))
        self.setLayout(layout)


class MemoryBar(QFrame):
    """A quiet line: a memory was saved, changed or deleted. It can be taken back, and looked at."""

    def __init__(self, shown: Row, do: Do, *, can_show: bool) -> None:
        super().__init__()
        self.version = shown.version
        layout = row(spacing=4)
        layout.setContentsMargins(0, 2, 8, 2)
        self.text = label(shown.spoken(), "quiet", wrap=True)
        layout.addWidget(self.text, 1)
        self.undo = button(tr("Undo"), lambda: do("take_back"), role="link", tip=tr("Take this back"))
        self.undo.setAccessibleName(tr("Undo: {what}", what=shown.label))
        self.undo.setVisible(not shown.taken_back)
        self.look = button(tr("Show"), lambda: do("memory"), role="link", tip=tr("Show it among the memories"))
        self.look.setAccessibleName(tr("Show among the memories: {what}", what=shown.label))
        self.look.setVisible(can_show)
        for widget in (self.undo, self.look):
            layout.addWidget(widget, 0, Qt.AlignmentFlag.AlignTop)
        self.setLayout(layout)


class GreetingBar(QWidget):
    """Below an offered greeting: the others, and the button that begins with it."""

    def __init__(self, theme: Theme, do: Do) -> None:
        super().__init__()
        layout = row(spacing=4)
        layout.setContentsMargins(0, 8, 0, 4)
        layout.addWidget(button(tr("Begin with this"), lambda: do("greet"), role="primary"))
        layout.addSpacing(8)
        back = icon_button(theme, "chevron_left", tr("Previous greeting"), lambda: do("greeting_back"), side=16)
        self.counter = label("", "faint")
        on = icon_button(theme, "chevron_right", tr("Next greeting"), lambda: do("greeting_on"), side=16)
        self._several = (back, self.counter, on)
        for widget in self._several:
            layout.addWidget(widget)
        layout.addSpacing(8)
        layout.addWidget(label(tr("or write the first message yourself."), "quiet"))
        layout.addStretch(1)
        self.setLayout(layout)

    def show_place(self, index: int, count: int) -> None:
        """Show which greeting of how many this is."""
        self.counter.setText(f"{index + 1}/{count}")
        self.counter.setAccessibleName(tr("Greeting {place} of {n}", place=index + 1, n=count))
        for widget in self._several:
            widget.setVisible(count > 1)


class TurnEditor(QWidget):
    """Changes the text of a turn in its place. Ctrl+Return saves, Esc leaves it as it was."""

    saved = Signal(str)
    cancelled = Signal()

    def __init__(self, text: str, height_px: int) -> None:
        super().__init__()
        self._height_px = height_px
        self.edit = _KeyedEdit(self._save, self.cancelled.emit)
        self.edit.setAccessibleName(tr("Text of the message"))
        self.edit.setPlainText(text)
        self.edit.moveCursor(self.edit.textCursor().MoveOperation.End)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 4)
        layout.setSpacing(8)
        layout.addWidget(self.edit, 1)
        steps = row(spacing=8)
        self.save_button = button(tr("Save"), self._save, role="primary", tip="Ctrl+Return")
        steps.addWidget(self.save_button)
        steps.addWidget(button(tr("Cancel"), self.cancelled.emit, tip="Esc"))
        steps.addWidget(label(tr("Earlier versions are kept."), "faint"))
        steps.addStretch(1)
        layout.addLayout(steps)

    def sizeHint(self) -> QSize:
        return QSize(300, self._height_px + 48)

    def _save(self) -> None:
        self.saved.emit(self.edit.toPlainText())


class _KeyedEdit(QPlainTextEdit):
    def __init__(self, save: Callable[[], object], cancel: Callable[[], object]) -> None:
        super().__init__()
        self._save, self._cancel = save, cancel
        self.setTabChangesFocus(True)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        enter = event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter)
        if enter and event.modifiers() & Qt.KeyboardModifier.ControlModifier:
            self._save()
        elif event.key() == Qt.Key.Key_Escape:
            self._cancel()
        else:
            super().keyPressEvent(event)
