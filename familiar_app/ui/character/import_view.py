"""What an imported card would change, shown before anything is stored."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import Qt
from PySide6.QtGui import QPixmap
from PySide6.QtWidgets import QCheckBox, QHBoxLayout, QLabel, QScrollArea, QWidget

from familiar_app.domain.text import ntr, tr
from familiar_app.ui.character.importing import Import
from familiar_app.ui.kit.avatar import avatar
from familiar_app.ui.kit.button import button
from familiar_app.ui.kit.card_summary import KEPT, card_parts
from familiar_app.ui.kit.label import column, label, line, row
from familiar_app.ui.kit.theme import Theme


class ImportView(QScrollArea):
    """Stands in the side view. `use` gets whether picture and lorebook are wanted; `leave` changes nothing."""

    def __init__(
        self, theme: Theme, found: Import, use: Callable[[bool, bool], object], leave: Callable[[], object]
    ) -> None:
        super().__init__()
        self.setWidgetResizable(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setAccessibleName(tr("Report of the import"))
        inside = QWidget()
        layout = column(margins=16, spacing=8)
        picture = _picture(found.avatar_png)
        face = QLabel()
        face.setPixmap(avatar(theme, found.card.name, picture, side=72, scale=self.devicePixelRatioF()))
        layout.addWidget(face)
        layout.addWidget(label(found.card.name or tr("(no name)"), "heading", wrap=True))
        layout.addWidget(label(tr("From {file}. Nothing is changed yet.", file=found.source), "quiet", wrap=True))
        layout.addWidget(line())
        layout.addWidget(label(tr("Fields that would change"), "strong"))
        layout.addWidget(label(", ".join(found.changes) or tr("None: the card says the same."), wrap=True))
        parts = card_parts(found.card, picture=picture is not None, lorebook=found.entries > 0)
        layout.addWidget(label(tr("What the card brings"), "strong"))
        brought = tr("Name and description, {parts}.", parts=", ".join(parts)) if parts else tr("Name and description.")
        layout.addWidget(label(brought, wrap=True))
        if found.kept is not None:
            layout.addWidget(label(tr(KEPT), "quiet", wrap=True))
        self.picture = _choice(tr("Use its picture as well"), offered=picture is not None)
        layout.addWidget(self.picture)
        self.lorebook = _choice(_lorebook_words(found.entries), offered=found.entries > 0)
        self.lorebook.setToolTip(tr("Entries that are not there yet are added to this familiar's own lorebook."))
        layout.addWidget(self.lorebook)
        self.use = button(
            tr("Use this card"), lambda: use(self.picture.isChecked(), self.lorebook.isChecked()), role="primary"
        )
        self.use.setEnabled(bool(found.card.name.strip()))
        layout.addLayout(_steps(self.use, button(tr("Leave it"), leave)))
        layout.addWidget(line())
        layout.addWidget(label(tr("What did not come over as it was"), "strong"))
        for one in found.report or (tr("Everything came over."),):
            layout.addWidget(label(one, wrap=True, selectable=True))
        layout.addStretch(1)
        inside.setLayout(layout)
        self.setWidget(inside)


def _choice(text: str, *, offered: bool) -> QCheckBox:
    """Return a box that is checked, or hidden where there is nothing to choose."""
    box = QCheckBox(text)
    box.setAccessibleName(text)
    box.setVisible(offered)
    box.setChecked(offered)
    return box


def _steps(*buttons: QWidget) -> QHBoxLayout:
    steps = row()
    for one in buttons:
        steps.addWidget(one)
    steps.addStretch(1)
    return steps


def _lorebook_words(entries: int) -> str:
    return ntr("Take its lorebook as well ({n} entry)", "Take its lorebook as well ({n} entries)", entries)


def _picture(png: bytes | None) -> QPixmap | None:
    made = QPixmap()
    return made if png and made.loadFromData(png, "PNG") else None
