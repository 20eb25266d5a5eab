"""The one way to erase in the window: what will go, the name typed, how far it is, and what went."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QCheckBox, QScrollArea, QVBoxLayout, QWidget

from familiar_app.domain.erasure import ErasurePlan, Receipt, Target
from familiar_app.domain.text import tr
from familiar_app.store.erasure import Erasure
from familiar_app.ui.kit.curtain import curtain
from familiar_app.ui.kit.dialog import Dialog, shown
from familiar_app.ui.kit.erase_word import (
    BACKUP_FIRST,
    BACKUP_KEEPS,
    BACKUPS,
    BUSY,
    WHAT,
    done_line,
    kept_line,
    notes,
    redacted_lines,
    removed_lines,
    sample_lines,
    title,
    title_while,
)
from familiar_app.ui.kit.field import line_edit
from familiar_app.ui.kit.label import TextRole, column, label, surface
from familiar_app.ui.kit.typed_word import is_typed
from familiar_app.ui.kit.wait import ProgressView

Progress = Callable[[float], None]
Act = Callable[[Progress], Awaitable[Receipt]]
_WIDTH, _HEIGHT = 520, 300


async def erase_from(parent: QWidget | None, erasure: Erasure, target: Target) -> Receipt | None:
    """Ask about an erasure and carry it out. None where the person thought better of it. Raises UserError."""
    return await erase(parent, await erasure.plan(target), lambda progress: erasure.erase(target, progress))


async def erase(parent: QWidget | None, plan: ErasurePlan, act: Act) -> Receipt | None:
    """Show a plan, have its label typed, act, and show the receipt."""
    question = EraseQuestion(parent, plan)
    await shown(question)
    if question.chosen != "erase":
        return None
    working = EraseProgress(parent, plan)
    curtain().open(working)
    try:
        receipt = await act(working.report)
    finally:
        working.end()
    await shown(EraseReceipt(parent, plan, receipt))
    return receipt


async def ask_about_familiar(parent: QWidget | None, plan: ErasurePlan) -> tuple[bool, bool]:
    """Ask whether a familiar is to be erased. Returns whether it is, and whether a backup is to be made first."""
    question = EraseQuestion(parent, plan)
    backup = QCheckBox(tr(BACKUP_FIRST))
    backup.setAccessibleName(backup.text())
    backup.setAccessibleDescription(tr(BACKUP_KEEPS))
    question.choices.addWidget(backup)
    question.choices.addWidget(label(tr(BACKUP_KEEPS), "faint", wrap=True))
    await shown(question)
    return question.chosen == "erase", backup.isChecked()


class EraseQuestion(Dialog):
    """Tells what will go, and lets it begin once the label is typed."""

    def __init__(self, parent: QWidget | None, plan: ErasurePlan) -> None:
        super().__init__(parent, title(plan))
        self.setMinimumWidth(_WIDTH)
        self.body.addWidget(label(tr(WHAT[plan.kind]), "quiet", wrap=True))
        told = Told()
        told.part(tr("Removed"), removed_lines(plan))
        told.part(tr("The name is taken out of"), redacted_lines(plan))
        told.part(tr("It will read like this"), sample_lines(plan))
        told.end([line for line in (kept_line(plan.kept_names), *notes(plan)) if line])
        self.body.addWidget(told)
        self.choices = column(spacing=4)
        self.body.addLayout(self.choices)
        self.body.addWidget(label(tr("Type {word} to go on:", word=plan.label), wrap=True))
        self.typed = line_edit(name=tr("Type {word} to go on", word=plan.label))
        self.body.addWidget(self.typed)
        self.add_choice("", tr("Cancel"), default=True)
        self.ok = self.add_choice("erase", tr("Erase for good"), "danger")
        self.ok.setEnabled(False)
        self.confirm_with(self.typed, self.ok)
        self.typed.textChanged.connect(lambda text: self.ok.setEnabled(is_typed(text, plan.label)))
        self.typed.setFocus()


class EraseProgress(Dialog):
    """Tells how far it is. It cannot be closed by hand, since nothing would stop by that."""

    def __init__(self, parent: QWidget | None, plan: ErasurePlan) -> None:
        super().__init__(parent, title_while(plan))
        self._over = False
        self.setMinimumWidth(_WIDTH)
        self._bar = ProgressView(tr("Erasing…"))
        self.body.addWidget(self._bar)
        self.body.addWidget(label(tr(BUSY), "faint", wrap=True))

    def report(self, share: float) -> None:
        """Show a share from 0 to 1."""
        self._bar.set_progress(share)

    def reject(self) -> None:
        if self._over:
            super().reject()

    def end(self) -> None:
        """Close it."""
        self._over = True
        curtain().over(self)
        self.close()
        self.deleteLater()


class EraseReceipt(Dialog):
    """Tells what went."""

    def __init__(self, parent: QWidget | None, plan: ErasurePlan, receipt: Receipt) -> None:
        super().__init__(parent, tr("{name} was erased", name=plan.label))
        self.setMinimumWidth(_WIDTH)
        self.body.addWidget(label(done_line(receipt), wrap=True, selectable=True))
        for line in redacted_lines(receipt):
            self.body.addWidget(label(tr("The name was taken out of {where}.", where=line), "quiet", wrap=True))
        kept = tr("Receipt {id}, kept in the vault without a name.", id=str(receipt.id))
        for note in (kept, tr(BACKUPS)):
            self.body.addWidget(label(note, "faint", wrap=True))
        self.body.addStretch(1)
        self.add_choice("", tr("Close"), "primary", default=True)


class Told(QScrollArea):
    """Headed lists that scroll where they are long."""

    def __init__(self) -> None:
        super().__init__()
        self.setWidgetResizable(True)
        self.setAccessibleName(tr("What will happen"))
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setMaximumHeight(_HEIGHT)
        inside = surface(QWidget(), 2)
        self._column: QVBoxLayout = column(margins=12, spacing=4)
        inside.setLayout(self._column)
        self.setWidget(inside)

    def part(self, heading: str, lines: Sequence[str]) -> None:
        """Add a list; nothing where it is empty."""
        if lines:
            self._add(heading, "strong")
            for line in lines:
                self._add(line, "quiet")
            self._column.addSpacing(6)

    def end(self, notes: Sequence[str]) -> None:
        """Add what is said below."""
        for note in notes:
            self._add(note, "faint")
        self._column.addStretch(1)

    def _add(self, text: str, role: TextRole) -> None:
        self._column.addWidget(label(text, role, wrap=True))
