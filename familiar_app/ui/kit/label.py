"""Labels by role, lines and small layout makers. Text is always plain unless it is our own."""

from __future__ import annotations

from typing import Literal

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QFontMetrics, QResizeEvent
from PySide6.QtWidgets import QBoxLayout, QFrame, QHBoxLayout, QLabel, QLayout, QSizePolicy, QVBoxLayout, QWidget

TextRole = Literal["body", "title", "heading", "strong", "quiet", "faint", "good", "warning", "danger", "code"]


def label(text: str = "", role: TextRole = "body", *, wrap: bool = False, selectable: bool = False) -> QLabel:
    """Make a label of plain text. A wrapping label takes the width it gets."""
    made = WrappingLabel(text) if wrap else QLabel(text)
    made.setTextFormat(Qt.TextFormat.PlainText)
    set_role(made, role)
    if wrap:
        made.setWordWrap(True)
        policy = QSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Preferred)
        policy.setHeightForWidth(True)
        made.setSizePolicy(policy)
    if selectable:
        flags = Qt.TextInteractionFlag
        made.setTextInteractionFlags(flags.TextSelectableByMouse | flags.TextSelectableByKeyboard)
        made.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        made.setAccessibleName(text)
    return made


def set_role(widget: QWidget, role: str) -> None:
    """Give a widget a role of the style sheet, also after it was shown."""
    set_property(widget, "role", role)


def set_property(widget: QWidget, name: str, value: str) -> None:
    """Set a property the style sheet looks at and have the style applied again."""
    if widget.property(name) != value:
        widget.setProperty(name, value)
        widget.style().unpolish(widget)
        widget.style().polish(widget)


def surface(widget: QWidget, level: Literal[1, 2, 3]) -> QWidget:
    """Paint a plain widget with one of the three backgrounds."""
    widget.setAttribute(Qt.WidgetAttribute.WA_StyledBackground, True)
    set_property(widget, "surface", str(level))
    return widget


def line(*, upright: bool = False) -> QFrame:
    """Make a hairline."""
    made = QFrame()
    set_role(made, "upright_line" if upright else "line")
    return made


def column(*, margins: int = 0, spacing: int = 8) -> QVBoxLayout:
    """Make a vertical layout. Margins and spacing are steps of 4 px."""
    return _laid(QVBoxLayout(), margins, spacing)


def row(*, margins: int = 0, spacing: int = 8) -> QHBoxLayout:
    """Make a horizontal layout. Margins and spacing are steps of 4 px."""
    return _laid(QHBoxLayout(), margins, spacing)


def _laid(layout: QBoxLayout, margins: int, spacing: int):
    layout.setContentsMargins(margins, margins, margins, margins)
    layout.setSpacing(spacing)
    return layout


def clear_layout(layout: QLayout) -> None:
    """Take everything out of a layout and delete its widgets."""
    while (item := layout.takeAt(0)) is not None:
        if (widget := item.widget()) is not None:
            widget.hide()
            widget.deleteLater()
        elif (inner := item.layout()) is not None:
            clear_layout(inner)


class WrappingLabel(QLabel):
    """Text in as many lines as its width asks for.

    A plain QLabel claims the height it would have at its narrowest as its least, which leaves gaps in dialogs and
    empty space below pages that scroll.
    """

    def minimumSizeHint(self) -> QSize:
        least = super().minimumSizeHint()
        return QSize(least.width(), min(least.height(), self.fontMetrics().height()))


class ElidedLabel(QLabel):
    """One line of text that ends in … where it does not fit; the whole of it is in the tool tip."""

    def __init__(self, text: str = "", role: TextRole = "body") -> None:
        super().__init__()
        self._text = ""
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        set_role(self, role)
        self.set_text(text)

    def set_text(self, text: str) -> None:
        self._text = text
        self.setAccessibleName(text)
        self._elide()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._elide()

    def _elide(self) -> None:
        shown = QFontMetrics(self.font()).elidedText(self._text, Qt.TextElideMode.ElideRight, self.width())
        super().setText(shown)
        self.setToolTip(self._text if shown != self._text else "")
