"""What both screens that ask for a secret are made of: a column in the middle, and the field for the passphrase."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtWidgets import QVBoxLayout, QWidget

from familiar_app.domain.text import tr
from familiar_app.ui.kit.field import LabelledField, PasswordField
from familiar_app.ui.kit.label import column, label, row
from familiar_app.ui.kit.theme import Theme

WIDTH = 400


def in_the_middle(middle: QWidget) -> QVBoxLayout:
    """Return a layout that holds a widget in the middle, a little above the centre."""
    layout = column(margins=24, spacing=0)
    layout.addStretch(2)
    # An aligned item would be asked for its height at the whole width; between stretches it is at its own.
    centred = row(spacing=0)
    centred.addStretch(1)
    centred.addWidget(middle)
    centred.addStretch(1)
    layout.addLayout(centred)
    layout.addStretch(3)
    return layout


class PassphraseEntry:
    """The field for a passphrase, with its caption and the hint that Caps Lock is on. `entered` is what Return does."""

    def __init__(self, theme: Theme, caption: str, entered: Callable[[], object]) -> None:
        self.field = PasswordField(theme, tr("Passphrase"))
        self.labelled = LabelledField(caption, self.field)
        self.field.returnPressed.connect(entered)
        self.field.textChanged.connect(lambda _text: self.labelled.set_wrong(""))
        self.caps = label(tr("Caps Lock seems to be on."), "warning")
        self.caps.hide()
        self.field.caps_lock.connect(self.caps.setVisible)
