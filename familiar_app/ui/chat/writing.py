"""The place one writes in: how full the context is, the field, its button, and what is wrong with what was typed."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QHBoxLayout, QSizePolicy, QWidget

from familiar_app.domain.text import tr
from familiar_app.ui.chat.composer import length_problem
from familiar_app.ui.chat.composer_edit import ComposerEdit
from familiar_app.ui.chat.context_meter import ContextMeter
from familiar_app.ui.kit.button import icon_button
from familiar_app.ui.kit.icon import keep_icon
from familiar_app.ui.kit.label import column, label, row
from familiar_app.ui.kit.notice import Notice
from familiar_app.ui.kit.theme import Theme

MOST_PX = 880


class Writing(QWidget):
    """Shows what it is told to. `press` is called by the button, which sends, or stops a reply."""

    def __init__(self, theme: Theme, notice: Notice, press: Callable[[], object]) -> None:
        super().__init__()
        self._theme = theme
        self.composer = ComposerEdit()
        self.send = icon_button(theme, "send", tr("Send"), press, role="accent", shortcut="Return")
        self.limit = label("", "danger", wrap=True)
        self.limit.hide()
        self.meter = ContextMeter(theme)
        field = row(spacing=8)
        field.addWidget(self.composer, 1)
        field.addWidget(self.send, 0, Qt.AlignmentFlag.AlignBottom)
        stacked = column(spacing=8)
        for part in (notice, self.limit, self.meter):
            stacked.addWidget(part)
        stacked.addLayout(field)
        self.setLayout(stacked)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.restyle()

    def centred(self) -> QHBoxLayout:
        """Return a layout that keeps this in the middle of a wide window."""
        layout = row(spacing=0)
        layout.setContentsMargins(16, 12, 16, 12)
        layout.addStretch(1)
        layout.addWidget(self, 100)
        layout.addStretch(1)
        return layout

    def restyle(self) -> None:
        """Take the text size of the theme."""
        self.setMaximumWidth(self._theme.px(MOST_PX))

    def show_channel(self, name: str, *, writable: bool) -> None:
        """Say whom one writes to, or where it has to be done instead."""
        self.composer.setReadOnly(not writable)
        elsewhere = tr("This channel lives on Discord. Write to {name} there.", name=name)
        self.composer.setPlaceholderText(tr("Write to {name}", name=name) if writable else elsewhere)
        self.composer.viewport().update()  # Qt does not paint a changed hint anew while one is shown

    def show_replying(self, replying: bool, *, writable: bool) -> None:
        """Let the button stop a reply while there is one."""
        self.composer.replying = replying
        keep_icon(self._theme, self.send, "stop" if replying else "send", "danger" if replying else "accent")
        self.send.setAccessibleName(tr("Stop") if replying else tr("Send"))
        self.send.setToolTip(tr("Stop (Esc)") if replying else tr("Send (Return)"))
        self.send.setEnabled(writable or replying)

    def show_problem(self, text: str) -> None:
        """Say it where a text is too long to be sent."""
        problem = length_problem(text)
        self.limit.setText(problem)
        self.limit.setVisible(bool(problem))
