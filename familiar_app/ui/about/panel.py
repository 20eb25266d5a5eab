"""The page about the program, as a panel that the rail does not list: the settings and the palette lead to it."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QModelIndex, QUrl, qVersion
from PySide6.QtGui import QDesktopServices, QGuiApplication
from PySide6.QtWidgets import QGridLayout, QStackedWidget, QWidget

from familiar_app.domain.errors import OutsideError
from familiar_app.domain.text import tr, tr_later
from familiar_app.ui.about.libraries import LibraryTable, licence_page
from familiar_app.ui.about.model import UPDATES, AboutModel
from familiar_app.ui.kit.action import Action
from familiar_app.ui.kit.button import button
from familiar_app.ui.kit.empty_state import EmptyState
from familiar_app.ui.kit.field import SearchField
from familiar_app.ui.kit.flow import FlowLayout
from familiar_app.ui.kit.header import PanelHeader
from familiar_app.ui.kit.icon import follow
from familiar_app.ui.kit.label import ElidedLabel, clear_layout, column, label, surface
from familiar_app.ui.kit.notice import Notice
from familiar_app.ui.kit.panel import PanelContext
from familiar_app.ui.kit.table import Table
from familiar_app.ui.kit.task import Tasks

if TYPE_CHECKING:
    from familiar_app.services import Services

WIDTHS = (220, 120)


def create_about_panel(services: Services, context: PanelContext) -> AboutPanel:
    """Make the page for an open vault; a PanelFactory."""
    if context.parts is None:
        raise OutsideError(tr("The page about the program needs the parts of the window."))
    return AboutPanel(context, AboutModel(services, context.parts.desktop), services)


class AboutPanel:
    """Implements `kit.panel.Panel` and `OffRail`."""

    id = "about"
    title = tr_later("About Familiar")
    icon = "info"
    off_rail = True

    def __init__(self, context: PanelContext, model: AboutModel, services: Services) -> None:
        self._context, self.model, self._profile = context, model, services.profile
        self.notice = Notice(context.theme)
        self.widget = surface(QWidget(), 1)
        self.widget.setAccessibleName(tr(self.title))
        self._tasks = Tasks(context.tasks, self.widget, self.notice.show_error)
        self._build()
        follow(context.theme, self.widget, self._size_columns)

    def actions(self) -> Sequence[Action]:
        return (Action("about.copy", tr("Copy diagnostics"), self.copy, "Ctrl+Shift+C", "copy", tr("About")),)

    def palette_entries(self) -> Sequence[Action]:
        show = partial(self._context.go_to, self.id, "")
        return (
            Action("about.show", tr(self.title), show, icon=self.icon, group=tr("About"), words=tr("version licences")),
        )

    def activate(self) -> None:
        self._tasks.start(self._load, name="about.load", replace=True)
        self.copy_button.setFocus()

    def find(self) -> None:
        self._search.setFocus()
        self._search.selectAll()

    def show_place(self, key: str) -> None:
        """There are no places within."""

    async def close(self) -> None:
        await self._tasks.cancel()

    def copy(self) -> None:
        """Put the diagnostics on the clipboard."""
        self._tasks.start(self._copy, name="about.copy")

    # Building

    def _build(self) -> None:
        theme = self._context.theme
        header = PanelHeader(theme, tr(self.title))
        self._search = SearchField(theme, tr("Search libraries"))
        self._search.setMinimumWidth(theme.px(250))
        self._search.textChanged.connect(self._narrow)
        header.add_end(self._search)
        self._facts = QGridLayout()
        self._facts.setColumnStretch(1, 1)
        self._facts.setHorizontalSpacing(16)
        self._facts.setVerticalSpacing(4)
        self.copy_button = button(tr("Copy diagnostics"), self.copy)
        buttons = QWidget()
        flow = FlowLayout(buttons, spacing=8)
        for one in (
            self.copy_button,
            button(tr("Open the profile's folder"), lambda: self._open(self._profile.root)),
            button(tr("Open the log's folder"), lambda: self._open(self._profile.log_dir)),
        ):
            flow.addWidget(one)
        inside = column(spacing=12)
        inside.setContentsMargins(16, 12, 16, 0)
        inside.addWidget(self.notice)
        inside.addLayout(self._facts)
        inside.addWidget(label(tr(UPDATES), "quiet", wrap=True))
        inside.addWidget(buttons)
        inside.addWidget(label(tr("Libraries and their licences"), "heading"))
        layout = column(spacing=0)
        layout.addWidget(header)
        layout.addLayout(inside)
        layout.addSpacing(8)
        layout.addWidget(self._make_list(), 1)
        self.widget.setLayout(layout)
        self._show_facts()

    def _make_list(self) -> QWidget:
        theme = self._context.theme
        self._rows = LibraryTable(theme, self.model)
        self.table = Table(theme, tr("Libraries"))
        self.table.setModel(self._rows)
        self.table.opened.connect(self._show_licence)
        self.table.clicked.connect(self._show_licence)
        self._size_columns()
        self._stack = QStackedWidget()
        self._stack.addWidget(self.table)
        self._stack.addWidget(
            EmptyState(theme, "search", tr("No library fits"), tr("Search by a name, or by a licence."))
        )
        return self._stack

    def _show_facts(self) -> None:
        clear_layout(self._facts)
        for row, (name, value) in enumerate(self.model.facts(qVersion())):
            self._facts.addWidget(label(name, "quiet"), row, 0)
            self._facts.addWidget(ElidedLabel(value), row, 1)

    def _size_columns(self) -> None:
        for number, width in enumerate(WIDTHS):
            self.table.setColumnWidth(number, self._context.theme.px(width))

    # What happens

    async def _load(self) -> None:
        await self.model.load()
        self._show_facts()
        self._rows.renew()

    def _narrow(self, query: str) -> None:
        self.model.query = query
        self._rows.renew()
        self._stack.setCurrentIndex(0 if self.model.shown or self.model.build is None else 1)

    def _show_licence(self, index: QModelIndex) -> None:
        shown = self.model.shown
        if index.row() < len(shown):
            one = shown[index.row()]
            self._context.side_view.show_widget(one.name, licence_page(self._context.theme, one))

    async def _copy(self) -> None:
        await self.model.load()
        QGuiApplication.clipboard().setText(await self.model.diagnostics(qVersion()))
        self._context.tell(tr("The diagnostics are copied. They hold no names and no words."))

    def _open(self, folder: Path) -> None:
        self.notice.clear()
        if not QDesktopServices.openUrl(QUrl.fromLocalFile(str(folder))):
            step = tr("Open {folder} yourself.", folder=folder)
            self.notice.show_error(OutsideError(tr("The system could not open the folder."), step))
