"""The rail at the left: the familiar's picture and name on top, one entry for each panel below."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from PySide6.QtCore import QPoint, QRect, QSize, Qt, QTimer, Signal
from PySide6.QtGui import QFontMetrics, QIcon, QPainter, QPaintEvent, QPixmap, QResizeEvent
from PySide6.QtWidgets import QButtonGroup, QScrollArea, QSizePolicy, QToolButton, QWidget

from familiar_app.domain.text import tr
from familiar_app.ui.kit.avatar import avatar
from familiar_app.ui.kit.icon import follow, icon
from familiar_app.ui.kit.key_text import native_key
from familiar_app.ui.kit.label import column, line, surface
from familiar_app.ui.kit.theme import Theme

WIDTH = 92
NARROW = 80
"""Where icons stand alone."""
EDGE = 26
"""What margins, border and padding take of the width at both sides."""
BADGE = 24
"""How much room a badge takes."""
_Style = Qt.ToolButtonStyle
BELOW, BESIDE, ALONE = _Style.ToolButtonTextUnderIcon, _Style.ToolButtonTextBesideIcon, _Style.ToolButtonIconOnly
"""Where the label stands, if it does."""


@dataclass(frozen=True, slots=True)
class RailForm:
    """How all entries are drawn: where their labels stand, how large icons are, and what lies between them."""

    style: Qt.ToolButtonStyle
    side: int
    spacing: int


FORMS = (
    RailForm(BELOW, 22, 4),
    RailForm(BESIDE, 18, 4),
    RailForm(BESIDE, 14, 0),
    RailForm(ALONE, 18, 0),
    RailForm(ALONE, 14, 0),
)
"""From much room to little."""


@dataclass(frozen=True, slots=True)
class RailEntry:
    """One panel as the rail shows it."""

    id: str
    title: str
    icon: str


class Rail(QWidget):
    """Shows which panel is open; `chosen` carries the id of the one that was clicked.

    Labels stand below the icons, or beside them where the window is too low for that, and close together where it is
    lower still. At last icons stand alone, the rail is narrow, and what has no room scrolls.
    """

    chosen = Signal(str)

    def __init__(self, theme: Theme, switch_familiar: Callable[[QWidget], object]) -> None:
        super().__init__()
        self._theme = theme
        surface(self, 2)
        self.setAccessibleName(tr("Panels"))
        self.familiar = FamiliarButton(theme, switch_familiar)
        self._buttons: dict[str, RailButton] = {}
        self._group = QButtonGroup(self)
        self._layout = column(spacing=FORMS[0].spacing)
        self._layout.addStretch(1)
        whole = column(spacing=4)
        whole.setContentsMargins(8, 12, 8, 8)
        whole.addWidget(self.familiar)
        whole.addSpacing(4)
        whole.addWidget(line())
        whole.addSpacing(4)
        whole.addWidget(self._make_scroll(), 1)
        self.setLayout(whole)
        self._refresh()

    def _make_scroll(self) -> QScrollArea:
        """Make the place of the entries. The Tab key and the wheel move it, so it shows no bars."""
        self._scroll = QScrollArea()
        self._scroll.setWidgetResizable(True)
        self._scroll.setFrameShape(QScrollArea.Shape.NoFrame)
        self._scroll.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self._scroll.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._scroll.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        inside = surface(QWidget(), 2)
        inside.setLayout(self._layout)
        self._scroll.setWidget(inside)
        return self._scroll

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def _fit(self) -> None:
        """Draw the entries as largely as they all have room."""
        made = list(self._buttons.values())
        form = next((one for one in FORMS if self._has_room(made, one)), FORMS[-1])
        for one in made:
            one.set_form(form)
        self._layout.setSpacing(form.spacing)
        widest = max((one.size_in(form).width() for one in made), default=0)
        width = max(self._theme.px(NARROW if form.style == ALONE else WIDTH), widest + 16)
        self.familiar.set_room(width - EDGE)
        self.setFixedWidth(width)
        QTimer.singleShot(0, self, self._keep_in_view)

    def _has_room(self, made: Sequence[RailButton], form: RailForm) -> bool:
        return sum(one.size_in(form).height() + form.spacing for one in made) <= self._scroll.height()

    def _keep_in_view(self) -> None:
        if (chosen := self._group.checkedButton()) is not None:
            self._scroll.ensureWidgetVisible(chosen, 0, 8)

    def set_entries(self, entries: Sequence[RailEntry]) -> None:
        """Show the panels in this order, the first ten with a number key. The settings stand at the lower end."""
        above = 0
        for number, entry in enumerate(entries, 1):
            made = RailButton(self._theme, entry, f"Alt+{number % 10}" if number <= 10 else "")
            made.clicked.connect(lambda _checked=False, chosen=entry.id: self.chosen.emit(chosen))
            self._group.addButton(made)
            self._buttons[entry.id] = made
            below = entry.id == "settings"
            self._layout.insertWidget(self._layout.count() if below else above, made)
            above += not below
        self._refresh()
        # After the buttons, which take their new fonts first.
        follow(self._theme, self, self._refresh)

    def select(self, panel: str) -> None:
        """Mark the open panel; none where it has no place here."""
        checked = self._group.checkedButton()
        if panel in self._buttons:
            self._buttons[panel].setChecked(True)
            self._scroll.ensureWidgetVisible(self._buttons[panel], 0, 8)
        elif checked is not None:
            self._group.setExclusive(False)
            checked.setChecked(False)
            self._group.setExclusive(True)

    def set_badge(self, panel: str, count: int) -> None:
        if panel in self._buttons:
            self._buttons[panel].set_badge(count)

    def _refresh(self) -> None:
        self._fit()


class RailButton(QToolButton):
    """Icon and label, and a badge with the number of things that wait."""

    def __init__(self, theme: Theme, entry: RailEntry, shortcut: str) -> None:
        super().__init__()
        self._theme, self._entry, self._badge, self._form = theme, entry, 0, FORMS[0]
        self.setText(entry.title)
        self.setAccessibleName(entry.title)
        self.setToolTip(f"{entry.title} ({native_key(shortcut)})" if shortcut else entry.title)
        self.setToolButtonStyle(self._form.style)
        self.setCheckable(True)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.toggled.connect(lambda _on: self._refresh())
        self._refresh()
        follow(theme, self, self._refresh)

    def set_form(self, form: RailForm) -> None:
        """Draw icon and label in this way."""
        if form != self._form:
            self._form = form
            self.setToolButtonStyle(form.style)
            self._size_icon()

    def _size_icon(self) -> None:
        side = self._theme.px(self._form.side)
        self.setIconSize(QSize(side, side))

    def size_in(self, form: RailForm) -> QSize:
        """Return the size that it would have in a form, with room for a badge beside a label that stands in a row."""
        now = self._form
        self.set_form(form)
        size = self.sizeHint()
        self.set_form(now)
        return size + QSize(self._theme.px(BADGE), 0) if form.style == BESIDE else size

    def set_badge(self, count: int) -> None:
        self._badge = count
        title = self._entry.title
        self.setAccessibleName(tr("{panel}, {n} waiting", panel=title, n=count) if count else title)
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        if not self._badge:
            return
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setFont(self._theme.font("small", bold=True))
        text = str(self._badge) if self._badge < 100 else "99+"
        metrics = QFontMetrics(painter.font())
        height = metrics.height() + 2
        box = QRect(0, 0, max(height, metrics.horizontalAdvance(text) + 8), height)
        box.moveTopRight(self.rect().topRight() + QPoint(-4, 2))
        if self._form.style == BESIDE:
            box.moveCenter(QPoint(box.center().x(), self.rect().center().y()))
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(self._theme.color("accent"))
        painter.drawRoundedRect(box, height / 2, height / 2)
        painter.setPen(self._theme.color("on_accent"))
        painter.drawText(box, Qt.AlignmentFlag.AlignCenter, text)
        painter.end()

    def _refresh(self) -> None:
        self.setIcon(icon(self._theme, self._entry.icon, "accent" if self.isChecked() else "text_2"))
        self._size_icon()
        self.setFont(self._theme.font("small"))


class FamiliarButton(QToolButton):
    """The picture and the name of the familiar that is shown; a click offers the others."""

    def __init__(self, theme: Theme, switch: Callable[[QWidget], object]) -> None:
        super().__init__()
        self._theme = theme
        self._name, self._picture, self._room = "", None, WIDTH - EDGE
        self.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextUnderIcon)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.clicked.connect(lambda _checked=False: switch(self))
        follow(theme, self, self._refresh)

    def set_familiar(self, name: str, picture: QPixmap | None) -> None:
        self._name, self._picture = name, picture
        self._refresh()

    def set_room(self, width: int) -> None:
        """Shorten the name to what has room in so many pixels."""
        if width != self._room:
            self._room = width
            self._refresh()

    def _refresh(self) -> None:
        side = self._theme.px(44)
        self.setIconSize(QSize(side, side))
        self.setIcon(QIcon(avatar(self._theme, self._name, self._picture, side=44, scale=self.devicePixelRatioF())))
        self.setFont(self._theme.font("small", bold=True))
        shown = QFontMetrics(self.font()).elidedText(self._name, Qt.TextElideMode.ElideRight, self._room)
        self.setText(shown.replace("&", "&&"))
        self.setAccessibleName(tr("{name}: switch familiar", name=self._name))
        self.setToolTip(tr("{name}\nSwitch or add a familiar", name=self._name))
