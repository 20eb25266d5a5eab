"""The page of the first run on who the familiar is: a name and a few words, or a card from a file."""

from __future__ import annotations

import asyncio
from functools import partial
from pathlib import Path

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QDragEnterEvent, QDropEvent
from PySide6.QtWidgets import QLabel, QPlainTextEdit, QWidget

from familiar_app.domain.text import tr
from familiar_app.ui.first_run.model import FirstRun
from familiar_app.ui.first_run.page import Page
from familiar_app.ui.kit.avatar import avatar, picture_from_bytes
from familiar_app.ui.kit.button import button
from familiar_app.ui.kit.card_summary import report_texts
from familiar_app.ui.kit.dialog import choose_file
from familiar_app.ui.kit.field import LabelledField, line_edit
from familiar_app.ui.kit.label import column, label, row
from familiar_app.ui.kit.notice import Notice
from familiar_app.ui.kit.parts import ReadCard, WindowParts
from familiar_app.ui.kit.task import Tasks

MOST_REPORT = 4
"""So many lines of what came out differently are shown, and one more rather than a line that says so."""


class CharacterPage(Page):
    """The name and a few words, or a card from a file. `instead` carries the id of a familiar the card is meant for."""

    instead = Signal(str)

    def __init__(self, parts: WindowParts, state: FirstRun) -> None:
        super().__init__(parts, state)
        self.setAcceptDrops(True)
        self.notice = Notice(parts.theme)
        self._tasks = Tasks(parts.tasks, self, self.notice.show_error)
        self._name = line_edit()
        self._name.setMaxLength(200)
        self._name_field = LabelledField(tr("Name"), self._name)
        self._description = QPlainTextEdit()
        self._description.setTabChangesFocus(True)
        self._description.setFixedHeight(parts.theme.px(120))
        described = LabelledField(
            tr("Description"),
            self._description,
            hint=tr("Who they are and how they speak. A few sentences are enough; it can be changed at any time."),
        )
        self._owner = line_edit()
        self._owner.setMaxLength(200)
        self._owner_field = LabelledField(
            tr("Your name"),
            self._owner,
            hint=tr("What your familiar calls you. It can be left out, and changed at any time."),
        )
        self._owner_field.setVisible(state.asks_owner)
        self.body.addLayout(self._make_import())
        self.body.addWidget(self.notice)
        self.body.addWidget(self._name_field)
        self.body.addWidget(self._make_namesake())
        self.body.addWidget(described)
        self.body.addWidget(self._owner_field)
        self.body.addStretch(1)
        self._owner.textChanged.connect(self._typed)
        self._name.textChanged.connect(self._typed)
        self._description.textChanged.connect(self._typed)

    def enter(self) -> None:
        self._show()
        self._name.setFocus()

    def leave(self) -> bool:
        problem = self.state.name_problem()
        self._name_field.set_wrong(problem)
        owner_problem = self.state.owner_problem()
        self._owner_field.set_wrong(owner_problem)
        if problem or owner_problem:
            (self._name if problem else self._owner).setFocus()
        return not (problem or owner_problem)

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        if event.mimeData().hasUrls():
            event.acceptProposedAction()

    def dropEvent(self, event: QDropEvent) -> None:
        urls = event.mimeData().urls()
        if urls and urls[0].isLocalFile():
            self.take(Path(urls[0].toLocalFile()))

    def take(self, path: Path) -> None:
        """Read a card from a file; what is wrong with it is said here."""
        self._tasks.start(lambda: self._read(path), name="first_run.card", replace=True)

    def _make_import(self):
        self._face = QLabel()
        self._source = label("", "quiet", wrap=True)
        self._report = label("", "faint", wrap=True)
        start = partial(self._tasks.start, self._choose, name="first_run.choose")
        self._import = button(tr("Use a character card…"), start, theme=self.parts.theme, icon="file")
        self._drop = button(tr("Remove card"), self._drop_card, role="link")
        steps = row(spacing=12)
        steps.addWidget(self._import)
        steps.addWidget(self._drop)
        steps.addStretch(1)
        beside = column(spacing=4)
        beside.addLayout(steps)
        beside.addWidget(self._source)
        beside.addWidget(self._report)
        line = row(spacing=12)
        line.addWidget(self._face, 0, Qt.AlignmentFlag.AlignTop)
        line.addLayout(beside, 1)
        return line

    def _make_namesake(self) -> QWidget:
        """Make what is said where a familiar of that name is there already."""
        self._namesake = QWidget()
        self._same = label("", "warning", wrap=True)
        self._instead = button("", self._ask_instead, role="link")
        both = column(spacing=4)
        both.addWidget(self._same)
        both.addWidget(self._instead, 0, Qt.AlignmentFlag.AlignLeft)
        self._namesake.setLayout(both)
        self._namesake.hide()
        return self._namesake

    def _ask_instead(self) -> None:
        if self.state.namesake is not None:
            self.instead.emit(self.state.namesake)

    def _show_namesake(self) -> None:
        there = self.state.namesake
        if there is not None:
            name = self.state.known[there]
            text = tr("There is a familiar called {name} already. This adds another one of that name.", name=name)
            self._same.setText(text)
            self._instead.setText(tr("Use the card for {name} instead…", name=name))
            self._instead.setAccessibleName(self._instead.text())
            self._instead.setVisible(self.state.imported is not None)
        self._namesake.setVisible(there is not None)

    def _typed(self) -> None:
        self.state.name = self._name.text()
        self.state.description = self._description.toPlainText()
        self.state.owner_name = self._owner.text()
        self._name_field.set_wrong("")
        self._owner_field.set_wrong("")
        self._show_face()
        self._show_namesake()

    def _show(self) -> None:
        name, description, owner = self.state.name, self.state.description, self.state.owner_name
        self._name.setText(name)
        self._description.setPlainText(description)
        self._owner.setText(owner)
        card = self.state.imported_from
        self._drop.setVisible(card is not None)
        words = (
            f"{card.name}. {self.state.card_details}" if card is not None else tr("PNG, JSON or charx; or drop it here")
        )
        self._source.setText(words)
        self._report.setText("\n".join(self._report_lines()))
        self._report.setVisible(bool(self.state.report))
        self._show_face()
        self._show_namesake()

    def _report_lines(self) -> list[str]:
        """Return what did not come over as it was, the first of it where it is much."""
        report = self.state.report
        shown = report if len(report) <= MOST_REPORT + 1 else report[:MOST_REPORT]
        rest = len(report) - len(shown)
        return [*shown, *([tr("And {n} more.", n=rest)] if rest else [])]

    def _show_face(self) -> None:
        picture = picture_from_bytes(self.state.avatar_png) if self.state.avatar_png else None
        name = self.state.name.strip() or "?"
        self._face.setPixmap(avatar(self.parts.theme, name, picture, side=48, scale=self.devicePixelRatioF()))

    async def _choose(self) -> None:
        filters = [tr("Character cards (*.png *.json *.charx *.md)"), tr("All files (*)")]
        path = await choose_file(self, tr("Choose a character card"), filters=filters)
        if path is not None:
            await self._read(path)

    async def _read(self, path: Path) -> None:
        self.notice.clear()
        read = await asyncio.to_thread(self.parts.read_card, path)
        lorebook = await asyncio.to_thread(self.parts.card_lorebook, read)
        kept = await asyncio.to_thread(self.parts.card_kept, read)
        self.state.take_card(read.card, read.avatar_png, path, lorebook, kept, _report_of(read, lorebook))
        self._show()

    def _drop_card(self) -> None:
        self.state.drop_card()
        self._show()


def _report_of(read: ReadCard, lorebook: bytes | None) -> tuple[str, ...]:
    lines = getattr(read, "report", ())
    # Of the lorebook it says that it stays in the file; here it is taken along.
    return report_texts(line for line in lines if lorebook is None or line.field != "character_book")
