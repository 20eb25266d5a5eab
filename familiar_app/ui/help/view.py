"""The help: the pages, or what was found in them, at the left; the page at the right."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import Qt, QUrl, Signal
from PySide6.QtGui import QDesktopServices, QKeyEvent
from PySide6.QtWidgets import QListWidget, QListWidgetItem, QSplitter, QWidget

from familiar_app.domain.text import language, tr
from familiar_app.ui.help.browser import PageBrowser
from familiar_app.ui.help.manual import CONTENTS, Hit
from familiar_app.ui.help.model import HelpModel
from familiar_app.ui.kit.button import icon_button
from familiar_app.ui.kit.field import SearchField
from familiar_app.ui.kit.header import PanelHeader
from familiar_app.ui.kit.icon import follow
from familiar_app.ui.kit.label import column, label, surface
from familiar_app.ui.kit.notice import Notice
from familiar_app.ui.kit.panel import PanelContext, Place

LIST_WIDTH = 230


class PageList(QListWidget):
    """The pages, or the hits. `opened` carries the key of the one that was clicked or opened by Return."""

    opened = Signal(str)

    def __init__(self) -> None:
        super().__init__()
        self.setWordWrap(True)
        self.setTextElideMode(Qt.TextElideMode.ElideNone)
        self.setResizeMode(QListWidget.ResizeMode.Adjust)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setVerticalScrollMode(QListWidget.ScrollMode.ScrollPerPixel)
        self.setSpacing(1)
        self.itemClicked.connect(lambda item: self.opened.emit(item.data(Qt.ItemDataRole.UserRole)))

    def fill(self, rows: list[tuple[str, str, str]]) -> None:
        """Show rows of a key, a text and a tool tip."""
        self.clear()
        for key, text, tip in rows:
            item = QListWidgetItem(text)
            item.setData(Qt.ItemDataRole.UserRole, key)
            item.setToolTip(tip)
            self.addItem(item)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        item = self.currentItem()
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and item is not None:
            self.opened.emit(item.data(Qt.ItemDataRole.UserRole))
        else:
            super().keyPressEvent(event)

    def choose(self, key: str) -> None:
        """Mark the row of a key, or none."""
        rows = [self.item(at).data(Qt.ItemDataRole.UserRole) for at in range(self.count())]
        self.setCurrentRow(rows.index(key) if key in rows else -1)


class HelpView(QWidget):
    """Shows a HelpModel and tells the window where one is, for back and forward."""

    def __init__(self, model: HelpModel, context: PanelContext, folder: Path) -> None:
        super().__init__()
        self.model, self.context = model, context
        surface(self, 1)
        self.setAccessibleName(tr("Help"))
        self.browser = PageBrowser(context.theme, folder)
        self.list = PageList()
        self.said = label("", "quiet", wrap=True)
        self._build()
        self.browser.followed.connect(self.follow_link)
        self.list.opened.connect(self.open)
        model.watch(self._heard)
        follow(context.theme, self, self._size)
        self._show_list()

    def open(self, key: str) -> None:
        """Show a page and remember it for the way back."""
        if self.model.show(key):
            page = self.model.page
            title = tr("Help: {page}", page=page.title) if page is not None else tr("Help")
            self.context.visit(Place("help", self.model.spot.key, title))

    def follow_link(self, link: str) -> None:
        spot = self.model.follow(link)
        if spot is not None:
            self.open(spot.key)
        elif link.startswith("https://"):
            if not QDesktopServices.openUrl(QUrl(link)):
                self.context.tell(tr("No browser could be opened. The address is {link}", link=link))
        else:
            self.context.tell(tr("That is a file of the source, and not part of the manual."))

    def show_current(self) -> None:
        """Let the page be read with the keyboard."""
        self.browser.setFocus()

    def begin_search(self) -> None:
        self.field.setFocus()
        self.field.selectAll()

    def _build(self) -> None:
        theme = self.context.theme
        header = PanelHeader(theme, tr("Help"))
        header.add(icon_button(theme, "chevron_left", tr("Back"), lambda: self.context.go_back(), shortcut="Alt+Left"))
        header.add(icon_button(theme, "lorebook", tr("All pages"), self._show_contents))
        self.field = SearchField(theme, tr("Search the manual"))
        self.field.setMinimumWidth(theme.px(230))
        self.field.textChanged.connect(self.model.search)
        self.field.next_wanted.connect(self._open_first)
        self.field.given_up.connect(self.browser.setFocus)
        header.add_end(self.field)
        self._left = surface(QWidget(), 2)
        left = column(margins=8, spacing=4)
        left.addWidget(self.said)
        left.addWidget(self.list, 1)
        if language() != "en":
            left.addWidget(label(tr("The manual is written in English."), "quiet", wrap=True))
        self._left.setLayout(left)
        self._panes = QSplitter(Qt.Orientation.Horizontal)
        self._panes.setChildrenCollapsible(False)
        self._panes.setHandleWidth(1)
        self._panes.addWidget(self._left)
        self._panes.addWidget(self.browser)
        self._panes.setStretchFactor(1, 1)
        layout = column(spacing=0)
        layout.addWidget(header)
        self.notice = Notice(theme)
        layout.addWidget(self.notice)
        layout.addWidget(self._panes, 1)
        self.setLayout(layout)
        self._size()

    def _size(self) -> None:
        width = self.context.theme.px(LIST_WIDTH)
        self._left.setMinimumWidth(width * 2 // 3)
        self._panes.setSizes([width, max(width, self.width() - width)])

    def _heard(self, what: str) -> None:
        if what == "page":
            if self.model.page is None:
                return
            words = self.model.query.split() if self.model.searching else []
            self.browser.show_page(self.model.page, self.model.spot.anchor, words)
            if not self.model.searching:
                self.list.choose(self.model.spot.page)
        else:
            self._show_list()

    def _show_list(self) -> None:
        model = self.model
        if model.searching:
            self.list.setAccessibleName(tr("Places found"))
            self.list.fill([(hit.spot.key, _hit_text(hit), hit.snippet) for hit in model.hits])
            self.said.setText("" if model.hits else tr("No page has all these words. Fewer words find more."))
        else:
            self.list.setAccessibleName(tr("Pages of the manual"))
            self.list.fill([(page.id, page.title, page.title) for page in model.manual.contents])
            self.list.choose(model.spot.page)
            self.said.setText("")
        self.said.setVisible(bool(self.said.text()))

    def _show_contents(self) -> None:
        self.field.clear()
        self.open(CONTENTS)

    def _open_first(self) -> None:
        if self.model.hits:
            self.list.setCurrentRow(0)
            self.open(self.model.hits[0].spot.key)


def _hit_text(hit: Hit) -> str:
    title = hit.page.title
    return title if hit.section.heading == title else f"{title}: {hit.section.heading}"
