"""Starts the program as it is, and writes down beside it what its window shows, so that a test need not guess.

Only what stands on the screen is written, many times a second, as JSON into the file of the first argument: the focus,
and every visible widget with its name and text. The test itself uses the keyboard.
"""

from __future__ import annotations

import json
import runpy
import sys
from pathlib import Path
from typing import Any

from PySide6 import QtWidgets
from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QAbstractItemView, QPlainTextEdit, QScrollArea, QTextEdit, QWidget

from familiar_app.ui.kit.notice import UndoBar

EVERY_MS = 60


def described(widget: QWidget) -> dict[str, Any]:
    """Return what a person may see of a widget."""
    if isinstance(widget, QPlainTextEdit | QTextEdit):
        text = widget.toPlainText()
    else:
        # Dots for a passphrase. A page that scrolls has its text in its parts.
        read = (
            None if isinstance(widget, QScrollArea) else getattr(widget, "displayText", getattr(widget, "text", None))
        )
        text = read() if callable(read) else read
    found = {
        "kind": type(widget).__name__,
        "name": widget.accessibleName(),
        "description": widget.accessibleDescription(),
        "text": text if isinstance(text, str) else "",
        "enabled": widget.isEnabled(),
    }
    if isinstance(widget, QAbstractItemView) and widget.model() is not None:
        found["rows"] = widget.model().rowCount()
        found["chosen"] = widget.currentIndex().row()
    return found


class Watched(QtWidgets.QApplication):
    """The program's application, with an eye on its windows."""

    def __init__(self, arguments: list[str]) -> None:
        super().__init__(arguments)
        self._offered: list[str] = []
        self._watching = QTimer(self)
        self._watching.timeout.connect(self._look)
        self._watching.start(EVERY_MS)

    def _look(self) -> None:
        focus = self.focusWidget()
        shown = [described(one) for one in self.allWidgets() if one.isVisible()]
        # What is offered and told for a while goes away by itself, perhaps before a test has looked.
        bars = [one for one in self.allWidgets() if isinstance(one, UndoBar) and one.isVisible()]
        texts = {label.text() for one in bars for label in one.findChildren(QtWidgets.QLabel)}
        texts |= {one["text"] for one in shown if one["text"].startswith("Undone: ")}
        self._offered += sorted(texts - {""} - set(self._offered))
        seen = {
            "focus": described(focus) if focus is not None else None,
            "shown": shown,
            "offered": self._offered,
        }
        fresh = SEEN.with_suffix(".new")
        fresh.write_text(json.dumps(seen, default=str), encoding="utf-8")
        fresh.replace(SEEN)


if __name__ == "__main__":
    SEEN = Path(sys.argv.pop(1))
    QtWidgets.QApplication = Watched  # type: ignore[misc]
    runpy.run_module("familiar_app", run_name="__main__", alter_sys=True)
