"""The character panel of the main window: form, Markdown, picture, import."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QPlainTextEdit, QStackedWidget, QToolButton, QVBoxLayout, QWidget

from familiar_app.domain.errors import FamiliarError, UserError
from familiar_app.domain.ids import FamiliarId
from familiar_app.domain.text import ntr, tr, tr_later
from familiar_app.ui.character.exporting import FILTERS, export_card, named
from familiar_app.ui.character.form import Form
from familiar_app.ui.character.import_view import ImportView
from familiar_app.ui.character.importing import Import
from familiar_app.ui.character.model import CharacterModel
from familiar_app.ui.character.picture_file import FILE_FILTER, picture_png
from familiar_app.ui.kit.action import Action
from familiar_app.ui.kit.avatar import avatar, read_picture
from familiar_app.ui.kit.button import button, icon_button
from familiar_app.ui.kit.dialog import choose_file
from familiar_app.ui.kit.familiar_views import FamiliarViews
from familiar_app.ui.kit.field import SearchField
from familiar_app.ui.kit.icon import follow
from familiar_app.ui.kit.label import ElidedLabel, column, label, line, row, surface
from familiar_app.ui.kit.notice import Notice
from familiar_app.ui.kit.panel import PanelContext
from familiar_app.ui.kit.task import Tasks

if TYPE_CHECKING:
    from familiar_app.services import Services

IMPORT = "import:"
"""What a place begins with that is a card from a file, to be looked at before it is used."""
CARD_FILTER = tr_later("Character cards (*.png *.json *.charx *.md)")


def create_character_panel(services: Services, context: PanelContext) -> CharacterPanel:
    """Make the character panel for an open vault."""
    return CharacterPanel(services, context)


class CharacterView(QWidget):
    """Shows one `CharacterModel`."""

    def __init__(self, model: CharacterModel, context: PanelContext) -> None:
        super().__init__()
        surface(self, 1)
        self.model, self.context = model, context
        theme = self.theme = context.theme
        self.notice = Notice(theme)
        self.tasks = Tasks(context.tasks, self, self._show_error)
        self.form = Form(theme, model)
        self.raw = QPlainTextEdit()
        self.raw.setAccessibleName(tr("Card as Markdown"))
        self.raw.setFont(theme.font("code"))
        self.raw.textChanged.connect(self._raw_typed)
        self.pages = QStackedWidget()
        self.pages.addWidget(self.form)
        self.pages.addWidget(self.raw)
        self._quiet = False
        self._soon = QTimer(self)
        self._soon.setSingleShot(True)
        self._soon.setInterval(700)
        self._soon.timeout.connect(lambda: self.tasks.start(model.count, name="character.count", replace=True))
        self._build()
        model.watch(self._heard)
        model.offer_undo = lambda text, undo: context.offer_undo(
            text, lambda: self.tasks.start(undo, name="character.undo")
        )
        model.reloaded = lambda: context.familiar_reloaded.emit(str(model.familiar))
        follow(theme, self, self._restyle)
        self._show_state()

    def _build(self) -> None:
        self.face = QToolButton()
        self.face.setAccessibleName(tr("Change the picture"))
        self.face.setToolTip(tr("Change the picture"))
        self.face.clicked.connect(lambda _on=False: self.do("picture"))
        self.name = label("", "heading")
        self.total = ElidedLabel("", "faint")
        self.state = label("", "warning")
        self.save = button(tr("Save"), lambda: self.do("save"), role="primary", tip="Ctrl+S")
        self.drop = button(tr("Drop changes"), lambda: self.do("discard"))
        self.finder = SearchField(self.theme, tr("Search in the card"))
        self.finder.next_wanted.connect(self._find)
        self.finder.given_up.connect(self.finder.hide)
        self.finder.hide()
        self.as_text = icon_button(self.theme, "file", tr("Show as Markdown"), checkable=True)
        self.as_text.toggled.connect(self._toggle_raw)
        head = row(spacing=8)
        head.setContentsMargins(12, 8, 8, 8)
        head.addWidget(self.face)
        head.addWidget(self.name)
        head.addWidget(self.total, 1)
        for widget in (self.finder, self.state, self.drop, self.save, self.as_text):
            head.addWidget(widget)
        head.addWidget(icon_button(self.theme, "folder", tr("Import a card…"), lambda: self.do("import")))
        head.addWidget(icon_button(self.theme, "save", tr("Export the card…"), lambda: self.do("export")))
        told = column(spacing=0)
        told.setContentsMargins(16, 8, 16, 0)
        told.addWidget(self.notice)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addLayout(head)
        layout.addWidget(line())
        layout.addLayout(told)
        layout.addWidget(self.pages, 1)

    # ---- deeds

    def do(self, deed: str) -> None:
        """Do something by its word."""
        if deed == "discard":
            self.model.discard()
        elif deed == "markdown":
            self.as_text.toggle()
        else:
            makers = {
                "save": self._save,
                "picture": self._choose_picture,
                "import": self._choose_import,
                "export": self._choose_export,
            }
            self.tasks.start(makers[deed], name=f"character.{deed}")

    async def _save(self) -> None:
        self.notice.clear()
        await self.model.save(over_file=self.model.conflict)

    async def _choose_picture(self) -> None:
        path = await choose_file(self.window(), tr("Choose a picture"), filters=[tr(FILE_FILTER)])
        if path is not None:
            await self.model.put_picture(await asyncio.to_thread(picture_png, path))

    async def _choose_import(self) -> None:
        path = await choose_file(self.window(), tr("Import a card"), filters=[tr(CARD_FILTER)])
        if path is not None:
            await self.import_card(path)

    async def _choose_export(self) -> None:
        suggest = f"{self.model.familiar}.png"
        filters = [tr(one) for one in FILTERS]
        path = await choose_file(self.window(), tr("Export the card"), mode="save", suggest=suggest, filters=filters)
        if path is not None:
            await self.export_card(named(path))

    async def export_card(self, path: Path) -> None:
        """Write the card as it is shown here, with picture and lorebook. Raises UserError, OutsideError."""
        model = self.model
        await asyncio.to_thread(export_card, model.profile, model.familiar, model.draft, path)
        self.context.tell(tr("Exported to {file}.", file=path.name))

    async def import_card(self, path: Path) -> None:
        """Read a card and show what it would change."""
        parts = self.context.parts
        if parts is None:
            raise UserError(tr("Cards can't be imported here."), tr("Use the command line: familiar import."))
        if not self.model.loaded:
            await self.model.load()
        found = await self.model.read_import(path, parts.read_card)
        side = self.context.side_view
        shown = ImportView(
            self.theme, found, lambda picture, lore: self._use_import(found, picture, lore), side.close_view
        )
        side.show_widget(tr("Import a card"), shown)

    def _use_import(self, found: Import, picture: bool, lorebook: bool) -> None:
        self.context.side_view.close_view()
        self.tasks.start(
            lambda: self.model.use_import(found, picture=picture, lorebook=lorebook), name="character.use_import"
        )

    def _find(self) -> None:
        if self.as_text.isChecked():
            text = self.finder.text()
            if not self.raw.find(text):
                self.raw.moveCursor(self.raw.textCursor().MoveOperation.Start)
                self.raw.find(text)
        elif not self.form.find(self.finder.text()):
            self.context.tell(tr("Nothing found."))

    # ---- showing

    def _heard(self, what: str) -> None:
        if what == "card":
            self.form.show_card()
            self._show_raw()
            self._show_face()
        if what in ("card", "state"):
            self._show_state()
            self._soon.start()
        if what == "tokens":
            self.form.show_tokens()
            tokens = self.model.total_tokens
            words = ntr("{n} token in every prompt", "{n} tokens in every prompt", tokens)
            self.total.set_text(words if self.model.exact else f"≈ {words}")

    def _show_state(self) -> None:
        changed = self.model.changed
        self.state.setText(tr("Not saved") if changed and not self.model.conflict else "")
        self.save.setEnabled(changed)
        self.drop.setVisible(changed)
        if self.model.conflict:
            text = tr(
                "character.md was changed outside this window while something was typed here. Save keeps this version."
            )
            self.notice.tell(text, "warning", step=tr("Use the file"), run=self._use_file)
        self.name.setText(self.model.draft.name or str(self.model.familiar))

    def _use_file(self) -> None:
        self.tasks.start(self.model.use_file, name="character.use_file")

    def _show_face(self) -> None:
        path = self.model.picture()
        picture = read_picture(path) if path is not None else None
        drawn = avatar(self.theme, self.model.draft.name, picture, side=32, scale=self.devicePixelRatioF())
        self.face.setIcon(drawn)
        self.face.setIconSize(drawn.deviceIndependentSize().toSize())

    def _toggle_raw(self, on: bool) -> None:
        self.as_text.setToolTip(tr("Show the form") if on else tr("Show as Markdown"))
        if on:
            self._show_raw()
        else:
            self.form.show_card()
        self.pages.setCurrentIndex(1 if on else 0)

    def _show_raw(self) -> None:
        text = self.model.markdown()
        if self.raw.toPlainText() != text:
            self._quiet = True
            self.raw.setPlainText(text)
            self._quiet = False

    def _raw_typed(self) -> None:
        if not self._quiet and self.as_text.isChecked():
            self.model.put_markdown(self.raw.toPlainText())

    def _restyle(self) -> None:
        self.raw.setFont(self.theme.font("code"))
        self._show_face()

    def _show_error(self, error: FamiliarError, again) -> None:
        if not self.model.conflict:
            self.notice.show_error(error, again)


class CharacterPanel:
    """Implements `kit.panel.Panel`. What was typed and not saved stays; it is stored when the vault is closed."""

    id = "character"
    title = tr_later("Character")
    icon = "character"

    def __init__(self, services: Services, context: PanelContext) -> None:
        self._services, self._context = services, context
        self.widget = FamiliarViews(services, context, self._make, begin=self._begin)
        self.widget.show_familiar(context.familiar)

    @property
    def view(self) -> CharacterView:
        """The view of the familiar that is shown."""
        return self.widget.current

    def _make(self, familiar: FamiliarId) -> CharacterView:
        return CharacterView(CharacterModel(self._services, self._context.gate, familiar), self._context)

    def _begin(self, view: CharacterView) -> None:
        view.tasks.start(view.model.load, name="character.load")

    def actions(self) -> Sequence[Action]:
        def deed(name: str, title: str, shortcut: str = "", icon: str = "") -> Action:
            run, group = lambda: self.view.do(name), tr(self.title)
            return Action(f"character.{name}", title, run, shortcut=shortcut, icon=icon, group=group)

        return (
            deed("save", tr("Save the card"), "Ctrl+S", "save"),
            deed("discard", tr("Drop changes to the card")),
            deed("markdown", tr("Show the card as Markdown"), icon="file"),
            deed("picture", tr("Change the picture…"), icon="user"),
            deed("import", tr("Import a card…"), icon="folder"),
        )

    def palette_entries(self) -> Sequence[Action]:
        words = tr("save card png json charx markdown file")
        run = lambda: self.view.do("export")  # noqa: E731
        return (
            Action("character.export", tr("Export the card…"), run, icon="save", group=tr(self.title), words=words),
        )

    def activate(self) -> None:
        view = self.view
        view.tasks.start(view.model.check_file, name="character.check")

    def find(self) -> None:
        self.view.finder.show()
        self.view.finder.setFocus()

    def show_place(self, key: str) -> None:
        """Go to a field, or look at a card that is to be imported."""
        if key.startswith(IMPORT):
            view, path = self.view, Path(key.removeprefix(IMPORT))
            view.tasks.start(lambda: view.import_card(path), name="character.import")
        elif key in self.view.form.fields:
            self.view.form.fields[key].edit.setFocus()

    async def close(self) -> None:
        for view in self.widget:
            if view.model.changed and not view.model.conflict:
                await _save_quietly(view)
            await view.tasks.cancel()


async def _save_quietly(view: CharacterView) -> None:
    """Store what was typed before the vault closes; a card that can't be stored stays as the file has it."""
    try:
        await view.model.save()
    except FamiliarError as error:
        view.notice.show_error(error)
