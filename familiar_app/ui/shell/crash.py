"""The one dialog for defects: what failed, the exact text, a button to copy it. Nothing is sent anywhere."""

from __future__ import annotations

import platform
import traceback
from collections.abc import Callable

from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QPlainTextEdit, QWidget

from familiar_app import __version__
from familiar_app.domain.text import tr
from familiar_app.ui.kit.curtain import curtain
from familiar_app.ui.kit.dialog import Dialog
from familiar_app.ui.kit.label import label
from familiar_app.ui.kit.theme import Theme

MOST_KINDS = 20


class CrashLog:
    """Collects defects, each kind once, with how often it came. Knows no Qt."""

    def __init__(self) -> None:
        self._kinds: dict[tuple[str, str, int], tuple[str, int]] = {}
        self.dropped = 0

    def add(self, task: str, error: BaseException) -> bool:
        """Add an exception; tells whether it is of a new kind (type and place)."""
        frames = traceback.extract_tb(error.__traceback__)
        place = (frames[-1].filename, frames[-1].lineno or 0) if frames else ("", 0)
        kind = (type(error).__name__, *place)
        if kind in self._kinds:
            text, count = self._kinds[kind]
            self._kinds[kind] = (text, count + 1)
            return False
        if len(self._kinds) >= MOST_KINDS:
            self.dropped += 1
            return False
        trace = "".join(traceback.format_exception(error)).rstrip()
        self._kinds[kind] = (f"In {task}:\n{trace}", 1)
        return True

    def __len__(self) -> int:
        return len(self._kinds)

    def text(self) -> str:
        """Return everything, as it is shown and copied."""
        head = f"Familiar {__version__}, Python {platform.python_version()}, {platform.platform()}"
        parts = [f"{text}\n(happened {count} times)" if count > 1 else text for text, count in self._kinds.values()]
        if self.dropped:
            parts.append(f"and {self.dropped} more")
        return "\n\n".join([head, *parts])


class CrashDialog:
    """Shows a CrashLog. A second defect while it is open is added to the same dialog."""

    def __init__(self, theme: Theme, parent: Callable[[], QWidget | None]) -> None:
        self._theme, self._parent = theme, parent
        self._log = CrashLog()
        self._dialog: Dialog | None = None
        self._shown: QPlainTextEdit | None = None

    def report(self, task: str, error: BaseException) -> None:
        """Take note of a defect and show it. Can be given to the task registry as its `on_error`."""
        new = self._log.add(task, error)
        if self._dialog is not None and self._shown is not None:
            self._shown.setPlainText(self._log.text())
        elif new:
            self._open()

    def _open(self) -> None:
        dialog = Dialog(self._parent(), tr("Something went wrong in the program"))
        words = tr(
            "This is a defect of the program, not something you did. What you had stored is safe, and you can go on. "
            "Nothing was sent anywhere; the text below may help whoever looks after the program. Read it before you "
            "pass it on."
        )
        dialog.body.addWidget(label(words, "quiet", wrap=True))
        shown = QPlainTextEdit(self._log.text())
        shown.setReadOnly(True)
        shown.setAccessibleName(tr("Exact text of the error"))
        shown.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)
        shown.setFont(self._theme.font("code"))
        shown.setMinimumSize(self._theme.px(560), self._theme.px(220))
        shown.setTabChangesFocus(True)
        dialog.body.addWidget(shown)
        copy = dialog.add_choice("copy", tr("Copy text"))
        copy.clicked.disconnect()
        copy.clicked.connect(lambda: QGuiApplication.clipboard().setText(shown.toPlainText()))
        dialog.add_choice("close", tr("Go on"), "primary", default=True)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.finished.connect(self._closed)
        self._dialog, self._shown = dialog, shown
        curtain().open(dialog)

    def _closed(self, _result: int) -> None:
        self._dialog = self._shown = None
