"""The list of keys behind Shift+F1: everything that can be done now, with its shortcut."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import groupby

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QGridLayout, QScrollArea, QWidget

from familiar_app.domain.text import tr
from familiar_app.ui.kit.action import Action
from familiar_app.ui.kit.key_text import native_key
from familiar_app.ui.kit.label import column, label, surface


def _group(action: Action) -> str:
    return action.group or tr("Panel")


def _grid(pairs: Sequence[tuple[str, str]]) -> QGridLayout:
    grid = QGridLayout()
    grid.setColumnStretch(0, 1)
    grid.setHorizontalSpacing(12)
    grid.setVerticalSpacing(4)
    for number, (what, key) in enumerate(pairs):
        grid.addWidget(label(what, wrap=True), number, 0)
        grid.addWidget(label(key, "quiet"), number, 1, Qt.AlignmentFlag.AlignRight)
    return grid


class KeyList(QScrollArea):
    """Keys by group: those of the actions, then those that only one part of a panel knows."""

    def __init__(self, actions: list[Action], more: Mapping[str, Sequence[tuple[str, str]]] | None = None) -> None:
        super().__init__()
        self.setWidgetResizable(True)
        self.setAccessibleName(tr("Keys"))
        inside = surface(QWidget(), 2)
        layout = column(margins=16, spacing=4)
        keyed = sorted((action for action in actions if action.shortcut), key=_group)
        for group, members in groupby(keyed, key=_group):
            layout.addWidget(label(group, "strong"))
            layout.addLayout(_grid([(action.title, native_key(action.shortcut)) for action in members]))
            layout.addSpacing(12)
        for group, pairs in (more or {}).items():
            layout.addWidget(label(group, "strong"))
            layout.addLayout(_grid(pairs))
            layout.addSpacing(12)
        layout.addStretch(1)
        inside.setLayout(layout)
        self.setWidget(inside)
