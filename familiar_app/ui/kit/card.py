"""A card on a page, and a line of controls in it that goes on below where it is too long."""

from __future__ import annotations

from PySide6.QtWidgets import QFrame, QVBoxLayout, QWidget

from familiar_app.ui.kit.flow import FlowLayout
from familiar_app.ui.kit.label import column, set_role


def card() -> tuple[QFrame, QVBoxLayout]:
    """Make an empty card and return what its contents go into."""
    made, inside = QFrame(), column(spacing=8)
    set_role(made, "card")
    inside.setContentsMargins(16, 12, 16, 12)
    made.setLayout(inside)
    return made, inside


def flowing(*widgets: QWidget) -> QWidget:
    """Put controls beside each other, and below where there is no room."""
    holder = QWidget()
    flow = FlowLayout(holder, spacing=8)
    for widget in widgets:
        flow.addWidget(widget)
    return holder
