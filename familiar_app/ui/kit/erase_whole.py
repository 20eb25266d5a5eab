"""Asks whether a whole profile is to be erased, and tells afterwards what went."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtWidgets import QCheckBox, QWidget

from familiar_app.domain.text import tr
from familiar_app.store.profile_inventory import WholePlan
from familiar_app.store.whole_erasure import WholeReceipt
from familiar_app.ui.kit.dialog import Dialog, shown
from familiar_app.ui.kit.erase_flow import Told
from familiar_app.ui.kit.erase_word import (
    ELSEWHERE,
    ERASE_WORD,
    KEY_LEFT,
    MODELS_HOLD,
    MODELS_TOO,
    WHAT,
    models_line,
    staying_lines,
    whole_lines,
)
from familiar_app.ui.kit.field import line_edit
from familiar_app.ui.kit.label import label
from familiar_app.ui.kit.typed_word import is_typed

_WIDTH = 520


@dataclass(frozen=True, slots=True)
class WholeChoice:
    """That everything is to go, and whether downloaded models go too."""

    models: bool


async def ask_about_everything(parent: QWidget | None, plan: WholePlan, holds: str) -> WholeChoice | None:
    """Show what would go, with a sentence about what the vault `holds`, and have a word typed. None to keep it all."""
    question = WholeQuestion(parent, plan, holds)
    await shown(question)
    return WholeChoice(question.models.isChecked()) if question.chosen == "erase" else None


async def show_whole_receipt(parent: QWidget | None, receipt: WholeReceipt) -> None:
    """Tell what went, and what stayed."""
    await shown(WholeReceiptDialog(parent, receipt))


class WholeQuestion(Dialog):
    """Lists what goes with counts and sizes, and lets it begin once the word is typed."""

    def __init__(self, parent: QWidget | None, plan: WholePlan, holds: str) -> None:
        super().__init__(parent, tr("Erase everything?"))
        self.setMinimumWidth(_WIDTH)
        word, models = tr(ERASE_WORD), models_line(plan)
        self.body.addWidget(label(tr(WHAT["everything"]), "quiet", wrap=True))
        told = Told()
        told.part(tr("Removed"), [*whole_lines(plan), holds])
        told.part(tr("Stays"), staying_lines(plan))
        told.end([tr("The folder is {folder}", folder=str(plan.root)), tr(ELSEWHERE)])
        self.body.addWidget(told)
        self.models = QCheckBox(tr(MODELS_TOO))
        self.models.setAccessibleName(self.models.text())
        self.models.setAccessibleDescription(models)
        if models:
            self.body.addWidget(self.models)
            self.body.addWidget(label(tr(MODELS_HOLD, models=models), "faint", wrap=True))
        self.body.addWidget(label(tr("Type “{word}” to go on:", word=word), wrap=True))
        self.typed = line_edit(name=tr("Type {word} to go on", word=word))
        self.body.addWidget(self.typed)
        self.add_choice("", tr("Cancel"), default=True)
        self.ok = self.add_choice("erase", tr("Erase everything"), "danger")
        self.ok.setEnabled(False)
        self.confirm_with(self.typed, self.ok)
        self.typed.textChanged.connect(lambda text: self.ok.setEnabled(is_typed(text, word, any_case=True)))
        self.typed.setFocus()


class WholeReceiptDialog(Dialog):
    """Tells what went."""

    def __init__(self, parent: QWidget | None, receipt: WholeReceipt) -> None:
        super().__init__(parent, tr("Everything was erased"))
        self.setMinimumWidth(_WIDTH)
        plan, models = receipt.plan, models_line(receipt.plan)
        for one in [*whole_lines(plan), *([models] if models and receipt.models else [])]:
            self.body.addWidget(label(one, wrap=True))
        stays = [*staying_lines(plan), *([models] if models and not receipt.models else [])]
        for one in stays:
            self.body.addWidget(label(tr("Stayed: {what}", what=one), "quiet", wrap=True))
        for note in ([tr(KEY_LEFT)] if receipt.key_left else []) + [tr(ELSEWHERE)]:
            self.body.addWidget(label(note, "faint", wrap=True))
        self.body.addStretch(1)
        self.add_choice("", tr("Close"), "primary", default=True)
