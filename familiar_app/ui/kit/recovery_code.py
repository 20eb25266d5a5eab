"""The recovery code, to be kept outside the computer: shown, copied, saved, printed, confirmed by one group."""

from __future__ import annotations

import asyncio
import secrets
import sys
from functools import partial
from pathlib import Path

from PySide6.QtCore import QEvent, QMarginsF, QObject, Qt, Signal
from PySide6.QtGui import QKeyEvent, QPageLayout, QPageSize, QPdfWriter, QTextDocument
from PySide6.QtPrintSupport import QPrintDialog, QPrinter
from PySide6.QtWidgets import QFrame, QGridLayout, QLabel, QWidget

from familiar_app.domain.errors import OutsideError
from familiar_app.domain.task import TaskRegistry
from familiar_app.domain.text import tr, tr_later
from familiar_app.ui.kit.button import button
from familiar_app.ui.kit.dialog import choose_file, shown
from familiar_app.ui.kit.field import LabelledField, line_edit
from familiar_app.ui.kit.flow import FlowLayout
from familiar_app.ui.kit.icon import follow
from familiar_app.ui.kit.label import column, label, set_role
from familiar_app.ui.kit.notice import Notice
from familiar_app.ui.kit.secret_clipboard import secret_clipboard
from familiar_app.ui.kit.task import Tasks
from familiar_app.ui.kit.theme import Theme

_QUESTIONS = (
    tr_later("Type the first group of the code"),
    tr_later("Type the second group of the code"),
    tr_later("Type the third group of the code"),
    tr_later("Type the fourth group of the code"),
    tr_later("Type the fifth group of the code"),
    tr_later("Type the sixth group of the code"),
    tr_later("Type the seventh group of the code"),
    tr_later("Type the eighth group of the code"),
)


class RecoveryCheck:
    """Asks for one group of a code, chosen by chance. Knows no Qt."""

    def __init__(self, code: str, group: int | None = None) -> None:
        self.code = code
        self.groups = tuple(code.split("-"))
        self.group = secrets.randbelow(len(self.groups)) if group is None else group

    @property
    def question(self) -> str:
        """Name the group, such as "Type the third group of the code"."""
        return tr(_QUESTIONS[self.group])

    def fits(self, typed: str) -> bool:
        """Compare, forgiving case, spaces, and letters that look like digits."""
        plain = "".join(char for char in typed.upper() if char.isalnum())
        return plain.translate(str.maketrans("OIL", "011")) == self.groups[self.group]


def recovery_text(code: str, where: Path) -> str:
    """Return what is saved and printed."""
    return tr(
        "Recovery code of a Familiar vault\n\n"
        "    {code}\n\n"
        "It opens the vault in {where} when the passphrase is forgotten.\n"
        "Whoever has this code and the vault can read everything in it. Keep it on paper or in a password manager,\n"
        "not beside the vault.\n",
        code=code,
        where=where,
    )


class RecoveryCodeView(QWidget):
    """The code in groups, what can be done with it, and the question. While it is answered, the code is covered."""

    confirmed_changed = Signal(bool)
    entered = Signal()

    def __init__(self, theme: Theme, tasks: TaskRegistry, where: Path) -> None:
        super().__init__()
        self._theme, self._where = theme, where
        self.notice = Notice(theme)
        self._tasks = Tasks(tasks, self, self.notice.show_error)
        self._check: RecoveryCheck | None = None
        self._clipboard = secret_clipboard()
        self._clipboard.cleared.connect(self._say_cleared)
        self._card = QFrame()
        set_role(self._card, "card")
        self._groups: list[QLabel] = []
        self._grid = QGridLayout()
        self._grid.setContentsMargins(16, 12, 16, 12)
        self._grid.setHorizontalSpacing(16)
        self._grid.setVerticalSpacing(4)
        self._card.setLayout(self._grid)
        self._said = label("", "faint")
        self._answer = line_edit(placeholder=tr("four letters and digits"))
        self._answer.installEventFilter(self)
        self._answer.textChanged.connect(lambda _text: self._typed())
        self._field = LabelledField(
            tr("Type one group of the code"), self._answer, hint=tr("Covered while you type here.")
        )
        layout = column(spacing=8)
        layout.addWidget(self._card)
        layout.addLayout(self._make_buttons())
        layout.addWidget(self.notice)
        layout.addSpacing(8)
        layout.addWidget(self._field)
        self.setLayout(layout)
        follow(theme, self, self._refresh)

    def set_code(self, code: str) -> None:
        """Show a code; the answer typed for another one is dropped."""
        if self._check is not None and self._check.code == code:
            return
        self._check = RecoveryCheck(code)
        self._answer.clear()
        self._field.set_title(self._check.question)
        self._refresh()

    @property
    def confirmed(self) -> bool:
        return self._check is not None and self._check.fits(self._answer.text())

    def check(self) -> bool:
        """Say what is missing; True where the right group was typed."""
        if not self.confirmed:
            typed = self._answer.text().strip()
            other, missing = tr("This is not that group."), tr("Keep the code, then type this group of it.")
            self._field.set_wrong(other if typed else missing)
            self._answer.setFocus()
        return self.confirmed

    def focus(self) -> None:
        self._copy_button.setFocus()

    def _say_cleared(self) -> None:
        self._said.setText(tr("The clipboard was cleared."))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Return in the field goes on; nobody above sees it."""
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and self._answer.hasFocus():
            self.entered.emit()
        else:
            super().keyPressEvent(event)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if watched is self._answer and event.type() in (QEvent.Type.FocusIn, QEvent.Type.FocusOut):
            self._refresh(covered=event.type() == QEvent.Type.FocusIn)
        return False

    def _make_buttons(self):
        self._copy_button = button(tr("Copy"), self._copy, theme=self._theme, icon="copy")
        save = button(
            tr("Save…"),
            lambda: self._tasks.start(self._save, name="code.save"),
            theme=self._theme,
            icon="save",
        )
        line = FlowLayout(fill=True)
        line.addWidget(self._copy_button)
        line.addWidget(save)
        # The print dialog of Windows runs a loop of its own; there, the saved PDF is the way to paper.
        if sys.platform != "win32":
            start = partial(self._tasks.start, self._print, name="code.print")
            line.addWidget(button(tr("Print…"), start, theme=self._theme, icon="print"))
        line.addWidget(self._said)
        return line

    def _typed(self) -> None:
        self._field.set_wrong("")
        self.confirmed_changed.emit(self.confirmed)

    def _refresh(self, covered: bool = False) -> None:
        groups = self._check.groups if self._check is not None else ()
        while len(self._groups) < len(groups):
            self._add_group()
        for number, (made, group) in enumerate(zip(self._groups, groups, strict=True), 1):
            shown_text = "••••" if covered else group
            made.setText(shown_text)
            made.setAccessibleName(tr("Group {n}: {letters}", n=number, letters=" ".join(shown_text)))
            made.setStyleSheet(f"font-size: {self._theme.px(19)}px;")

    def _add_group(self) -> None:
        made = QLabel()
        set_role(made, "code")
        made.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        at = len(self._groups)
        self._grid.addWidget(made, at // 4, at % 4, Qt.AlignmentFlag.AlignCenter)
        self._groups.append(made)

    def _copy(self) -> None:
        if self._check is None:
            return
        self._clipboard.copy(self._check.code)
        self._said.setText(tr("Copied for one minute."))

    async def _save(self) -> None:
        path = await choose_file(
            self,
            tr("Save the recovery code"),
            mode="save",
            filters=[tr("Document to print (*.pdf)"), tr("Text (*.txt)")],
            suggest=tr("familiar-recovery-code.pdf"),
        )
        if path is None or self._check is None:
            return
        text = recovery_text(self._check.code, self._where)
        try:
            if path.suffix.lower() == ".pdf":
                _write_pdf(path, text)
            else:
                await asyncio.to_thread(path.write_text, text, encoding="utf-8")
        except OSError as error:
            raise OutsideError(
                tr("{file} could not be written.", file=path.name), tr("Choose another folder."), retryable=True
            ) from error
        self._said.setText(tr("Saved as {file}.", file=path.name))

    async def _print(self) -> None:
        printer = QPrinter()
        dialog = QPrintDialog(printer, self)
        dialog.setAccessibleName(tr("Print the recovery code"))
        if await shown(dialog) and self._check is not None:
            _document(recovery_text(self._check.code, self._where)).print_(printer)
            self._said.setText(tr("Sent to the printer."))


def _document(text: str) -> QTextDocument:
    document = QTextDocument()
    document.setPlainText(text)
    return document


def _write_pdf(path: Path, text: str) -> None:
    # The writer itself is silent where the file can't be made, so that is tried first.
    with path.open("wb"):
        pass
    writer = QPdfWriter(str(path))
    margins = QMarginsF(20, 20, 20, 20)
    writer.setPageLayout(QPageLayout(QPageSize(QPageSize.PageSizeId.A4), QPageLayout.Orientation.Portrait, margins))
    _document(text).print_(writer)
