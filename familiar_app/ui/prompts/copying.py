"""Copies a prompt in one of its forms, by the button's menu or by name."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QMenu

from familiar_app.domain.text import tr, tr_later
from familiar_app.ui.kit.button import icon_button
from familiar_app.ui.kit.theme import Theme
from familiar_app.ui.prompts.looking import Looking

FORMS = {
    "text": tr_later("As text"),
    "json": tr_later("As JSON, with all reasons"),
    "sent": tr_later("As it was sent, byte for byte"),
}


class Copying:
    """`button` offers the forms; `tell` says for a moment what was done."""

    def __init__(self, theme: Theme, model: Looking, tell: Callable[[str], object]) -> None:
        self._model, self._tell = model, tell
        self.button = icon_button(theme, "copy", tr("Copy this prompt…"), self.open_menu)

    def copy(self, form: str) -> None:
        """Copy the open prompt."""
        if self._model.trace is None:
            return
        text = {"text": self._model.as_text, "json": self._model.as_json, "sent": self._model.as_sent}[form]()
        if text:
            QGuiApplication.clipboard().setText(text)
        self._tell(tr("Copied.") if text else tr("What was sent was not kept of this prompt."))

    def open_menu(self) -> None:
        """Offer the forms below the button."""
        menu = QMenu(self.button)
        menu.setAccessibleName(tr("Copy this prompt"))
        menu.aboutToHide.connect(menu.deleteLater)
        for form, title in FORMS.items():
            action = menu.addAction(tr(title))
            action.setEnabled(self._model.trace is not None and (form != "sent" or bool(self._model.as_sent())))
            action.triggered.connect(lambda _on=False, form=form: self.copy(form))
        menu.popup(self.button.mapToGlobal(self.button.rect().bottomLeft()))
