"""Puts the parts of the frame in their places: the rail at the left, a notice under the panels, the bar below all."""

from __future__ import annotations

from PySide6.QtWidgets import QWidget

from familiar_app.ui.kit.label import column, line, row, surface


def arrange(frame: QWidget, *, rail: QWidget, middle: QWidget, notice: QWidget, bar: QWidget) -> None:
    """Give the frame its layout; `middle` takes all the room that is left."""
    surface(frame, 1)
    inner = column(spacing=0)
    inner.addWidget(middle, 1)
    inner.addWidget(notice)
    upper = row(spacing=0)
    upper.addWidget(rail)
    upper.addWidget(line(upright=True))
    upper.addLayout(inner, 1)
    whole = column(spacing=0)
    whole.addLayout(upper, 1)
    whole.addWidget(bar)
    frame.setLayout(whole)
