"""Keeps the focus among buttons of which some are hidden while work is done."""

from __future__ import annotations

from collections.abc import Mapping

from PySide6.QtWidgets import QWidget


class FocusKeeper:
    """Hides and shows buttons. The focus of one that is hidden goes to another of them, and back as soon as it can."""

    def __init__(self) -> None:
        self._pressed: QWidget | None = None

    def show(self, shown: Mapping[QWidget, bool]) -> None:
        """Show these and hide those. Before one is hidden the focus moves on, or Qt would take it far away."""
        for one, on in shown.items():
            if on:
                one.setVisible(True)
        focused = next((one for one in shown if one.window().focusWidget() is one), None)
        if focused is not None and not shown[focused]:
            back = self._pressed if self._pressed is not None and shown.get(self._pressed) else None
            target = back or next((one for one, on in shown.items() if on), None)
            self._pressed = focused
            if target is not None:
                target.setFocus()
        for one, on in shown.items():
            if not on:
                one.setVisible(False)
