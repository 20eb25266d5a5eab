"""The rail at the left: the familiar's picture and name on top, one entry for each panel below."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from PySide6.QtCore import QRect, QSize, Qt, QTimer, Signal
from PySide6.QtGui import QFontMetrics, QIcon, QPainter, QPaintEvent, QPixmap, QResizeEvent
from PySide6.QtWidgets import QButtonGroup, QScrollArea, QSizePolicy, QToolButton, QWidget

from familiar_app.ui.kit.avatar import avatar
from familiar_app.ui.kit.icon import follow, icon
from familiar_app.ui.kit.label import column, line, surface
from familiar_app.ui.kit.theme import Theme

WIDTH = 92
NARROW = 72
"""Where icons stand alone."""
SPACING = 4
SIDES = (22, 18, 14)
"""How large icons are, from much room to little."""


@dataclass(frozen=True, slots=True)
class RailEntry:
    """One panel as the rail shows it."""

    id: str
    title: str
    icon: str


class Rail(QWidget):
    """Shows which panel is open; `chosen` carries the id of the one that was clicked.

    Where the window is too low for all labels, icons stand alone and the rail is narrow; where it is too low for
    those, they are smaller and stand close; where it is too low for those too, they scroll.
    """

    chosen = Signal(str)

    def __init__(self, theme: Theme, switch_familiar: Callable[[QWidget], object]) -> None:
        super().__init__()
        self._theme = theme
        surface(self, 2)
        self.setAccessibleName("Panels")
        self.familiar = FamiliarButton(theme, switch_familiar)
        self._buttons: dict[str, RailButton] = {}
        self._group = QButtonGroup(self)
        self._layout = column(spacing=SPACING)
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
        """Leave the labels out where they do not all have room."""
        made = list(self._buttons.values())
        needed = sum(one.full_height() + SPACING for one in made)
        labelled = needed <= self._scroll.height()
        for one in made:
            one.set_labelled(labelled)
            one.set_side(SIDES[0])
        alone = sum(one.sizeHint().height() + SPACING for one in made)
        close = not labelled and alone > self._scroll.height()
        self._layout.setSpacing(0 if close else SPACING)
        if close:
            self._shrink(made)
        widest = max((one.full_width() if labelled else one.sizeHint().width() for one in made), default=0)
        least = WIDTH if labelled else NARROW
        self.familiar.set_room(least - 28)
        self.setFixedWidth(max(self._theme.px(least), widest + 16))
        QTimer.singleShot(0, self, self._keep_in_view)

    def _shrink(self, made: Sequence[RailButton]) -> None:
        """Draw the icons as large as all of them have room, and no smaller than can be told apart."""
        for side in SIDES:
            for one in made:
                one.set_side(side)
            if sum(one.sizeHint().height() for one in made) <= self._scroll.height():
                return

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
    """Icon above label, and a badge with the number of things that wait."""

    def __init__(self, theme: Theme, entry: RailEntry, shortcut: str) -> None:
        super().__init__()
        self._theme, self._entry, self._badge, self._side = theme, entry, 0, SIDES[0]
        self.setText(entry.title)
        self.setAccessibleName(entry.title)
        self.setToolTip(f"{entry.title} ({shortcut})" if shortcut else entry.title)
        self.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextUnderIcon)
        self.setCheckable(True)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.toggled.connect(lambda _on: self._refresh())
        self._refresh()
        follow(theme, self, self._refresh)

    def full_height(self) -> int:
        """Return the height with the label."""
        return self._full_size().height()

    def full_width(self) -> int:
        """Return the width with the label."""
        return self._full_size().width()

    def set_labelled(self, on: bool) -> None:
        """Show the label, or the icon alone."""
        styles = Qt.ToolButtonStyle
        self.setToolButtonStyle(styles.ToolButtonTextUnderIcon if on else styles.ToolButtonIconOnly)

    def set_side(self, side: int) -> None:
        """Draw the icon at that size, before zoom."""
        if side != self._side:
            self._side = side
            self._size_icon()

    def _size_icon(self) -> None:
        side = self._theme.px(self._side)
        self.setIconSize(QSize(side, side))

    def _full_size(self) -> QSize:
        now, side = self.toolButtonStyle(), self._side
        self.set_labelled(True)
        self.set_side(SIDES[0])
        size = self.sizeHint()
        self.setToolButtonStyle(now)
        self.set_side(side)
        return size

    def set_badge(self, count: int) -> None:
        self._badge = count
        self.setAccessibleName(f"{self._entry.title}, {count} waiting" if count else self._entry.title)
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
        box.moveTopRight(self.rect().topRight() + QRect(-4, 2, 0, 0).topLeft())
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
        self._name, self._picture, self._room = "", None, WIDTH - 28
        self.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextUnderIcon)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.clicked.connect(lambda _checked=False: switch(self))
        follow(theme, self, self._refresh)

    def set_familiar(self, name: str, picture: QPixmap | None) -> None:
        self._name, self._picture = name, picture
        self._refresh()

    def set_room(self, width: int) -> None:
        """Shorten the name to what has room in so many pixels, before zoom."""
        if width != self._room:
            self._room = width
            self._refresh()

    def _refresh(self) -> None:
        side = self._theme.px(44)
        self.setIconSize(QSize(side, side))
        self.setIcon(QIcon(avatar(self._theme, self._name, self._picture, side=44, scale=self.devicePixelRatioF())))
        self.setFont(self._theme.font("small", bold=True))
        room = self._theme.px(self._room)
        shown = QFontMetrics(self.font()).elidedText(self._name, Qt.TextElideMode.ElideRight, room)
        self.setText(shown.replace("&", "&&"))
        self.setAccessibleName(f"{self._name}: switch familiar")
        self.setToolTip(f"{self._name}\nSwitch or add a familiar")
