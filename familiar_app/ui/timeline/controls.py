"""The controls under the picture: steps and playing, two instants with their chain, axis and shape, zoom, A and B."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QComboBox, QLineEdit, QWidget

from familiar_app.domain.errors import BadInputError
from familiar_app.domain.text import tr, tr_later
from familiar_app.ui.kit.button import button, icon_button
from familiar_app.ui.kit.flow import FlowLayout
from familiar_app.ui.kit.icon import follow, icon
from familiar_app.ui.kit.key_text import native_key
from familiar_app.ui.kit.label import label, row, set_property
from familiar_app.ui.kit.theme import Theme
from familiar_app.ui.timeline.model import Handle, TimelineModel
from familiar_app.ui.timeline.scale import read_instant, written

AXES = (("world", tr_later("Bars: true from – to")), ("belief", tr_later("Bars: believed from – to")))


class InstantField(QLineEdit):
    """A date and time that can be typed; Return goes there, Esc takes back what was typed."""

    wanted = Signal(object)

    def __init__(self, theme: Theme, model: TimelineModel, handle: Handle, name: str) -> None:
        super().__init__()
        self._theme, self._model, self._handle = theme, model, handle
        self.setAccessibleName(name)
        self.setPlaceholderText(tr("any time"))
        self.setToolTip(tr("A date like 2024-05-01, with a time of day or without, or now"))
        self.returnPressed.connect(self._read)
        self.editingFinished.connect(self.show_instant)
        theme.changed.connect(self._size)
        self._size()
        self.show_instant()

    def show_instant(self) -> None:
        """Show where the handle stands."""
        if self.hasFocus() and self.isModified():
            return
        moment = self._model.moment
        at = moment.as_of if self._handle == "as_of" else moment.known_at
        self.setText("" if at is None else written(at, self._model.zone))
        set_property(self, "state", "")

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape and self.isModified():
            self.setModified(False)
            self.show_instant()
        else:
            super().keyPressEvent(event)

    def _size(self) -> None:
        self.setFont(self._theme.font("table"))
        self.setFixedWidth(self.fontMetrics().horizontalAdvance("2024-05-01 18:30 0") + 20)

    def _read(self) -> None:
        try:
            at = read_instant(self.text(), self._model.zone, self._model.now())
        except BadInputError as error:
            set_property(self, "state", "wrong")
            self.setAccessibleDescription(str(error))
            self.setToolTip(str(error))
            return
        self.setModified(False)
        self.setAccessibleDescription("")
        self.wanted.emit(at)


class Controls(QWidget):
    """Passes everything on by its word; shows how the model stands."""

    def __init__(self, theme: Theme, model: TimelineModel, do: Callable[[str], object]) -> None:
        super().__init__()
        self._theme, self._model, self._do = theme, model, do
        self._flow = FlowLayout(self, spacing=8)
        self._flow.setContentsMargins(12, 8, 12, 8)
        self._steps()
        self._instants()
        self._looks()
        self.show_model()
        follow(theme, self, self._restyle)

    def _restyle(self) -> None:
        self.show_model()
        self.show_playing()

    def focusable(self) -> list[QWidget]:
        """Return what Tab stops at, in the order in which it is seen."""
        groups = [self._flow.itemAt(number).widget() for number in range(self._flow.count())]
        inside = [group.layout().itemAt(at).widget() for group in groups for at in range(group.layout().count())]
        return [one for one in inside if one.focusPolicy() & Qt.FocusPolicy.TabFocus]

    def _group(self, *widgets: QWidget) -> QWidget:
        group = QWidget()
        layout = row(spacing=4)
        for one in widgets:
            layout.addWidget(one)
        group.setLayout(layout)
        self._flow.addWidget(group)
        return group

    def _icon(self, icon: str, name: str, word: str, shortcut: str, *, checkable: bool = False):
        return icon_button(self._theme, icon, name, lambda: self._do(word), shortcut=shortcut, checkable=checkable)

    def _steps(self) -> None:
        self.play = self._icon("play", tr("Play"), "play", "Space")
        self._group(
            self._icon("chevron_left", tr("Change before"), "step_back", "←"),
            self.play,
            self._icon("chevron_right", tr("Next change"), "step", "→"),
            button(tr("Now"), lambda: self._do("now"), tip=tr("Look at the present")),
        )

    def _instants(self) -> None:
        self.as_of = InstantField(self._theme, self._model, "as_of", tr("True at"))
        self.known_at = InstantField(self._theme, self._model, "known_at", tr("Believed at"))
        self.as_of.wanted.connect(lambda at: self._go("as_of", at))
        self.known_at.wanted.connect(lambda at: self._go("known_at", at))
        self.chain = self._icon("link", tr("Link both instants"), "link", "L", checkable=True)
        self._group(label(tr("True at"), "quiet"), self.as_of)
        self._group(self.chain, label(tr("believed at"), "quiet"), self.known_at)

    def _looks(self) -> None:
        self.axis = QComboBox()
        self.axis.setAccessibleName(tr("What the bars show"))
        for word, title in AXES:
            self.axis.addItem(tr(title), word)
        self.axis.activated.connect(lambda _number: self._choose_axis())
        title = tr("Square view: true across, believed up")
        self.square = self._icon("square", title, "square", "Ctrl+T", checkable=True)
        self._group(self.axis, self.square)
        self._group(
            self._icon("minus", tr("Show more time"), "zoom_out", "−"),
            self._icon("plus", tr("Show less time"), "zoom_in", "+"),
            self._icon("fit", tr("Show all of time"), "fit", "0"),
        )
        tips = [tr("Remember this moment as {name}, to compare it", name=name) for name in ("A", "B")]
        self.a = button(tr("Set {name}", name="A"), lambda: self._do("mark_a"), tip=tips[0])
        self.b = button(tr("Set {name}", name="B"), lambda: self._do("mark_b"), tip=tips[1])
        self._group(self.a, self.b)

    def _choose_axis(self) -> None:
        if self.axis.currentData() != self._model.axis:
            self._do("axis")

    def _go(self, handle: Handle, at: int) -> None:
        self._model.hold(handle)
        if handle == "known_at":
            self._model.unlink()
        self._model.move(handle, at)
        self._model.reveal(at)

    def show_model(self) -> None:
        """Show how everything stands."""
        model = self._model
        self.as_of.show_instant()
        self.known_at.show_instant()
        self.chain.setChecked(model.linked)
        alone = tr_later("Both instants are linked; press to move each alone")
        name = tr(alone if model.linked else tr_later("Link both instants"))
        self.chain.setAccessibleName(name)
        self.chain.setToolTip(f"{name} (L)")
        self.chain.setIcon(icon(self._theme, "link" if model.linked else "unlink"))
        self.square.setChecked(model.shape == "square")
        self.axis.setCurrentIndex([word for word, _ in AXES].index(model.axis))
        self.axis.setEnabled(model.shape == "lanes")
        for name, made in (("A", self.a), ("B", self.b)):
            at = model.marks.get(name)
            text = tr("Set {name}", name=name) if at is None else f"{name} ✓"
            if made.text() != text:
                made.setText(text)

    def show_playing(self) -> None:
        """Let the button say what it would do."""
        name = tr("Stop") if self._model.playing else tr("Play")
        self.play.setAccessibleName(name)
        self.play.setToolTip(f"{name} ({native_key('Space')})")
        self.play.setIcon(icon(self._theme, "pause" if self._model.playing else "play"))
