"""Discord for one familiar: the guide, or how the link stands, where it listens, and what it heard and decided."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import QItemSelectionModel, Qt, QTimer
from PySide6.QtWidgets import QAbstractButton, QApplication, QComboBox, QSplitter, QStackedWidget, QWidget

from familiar_app.domain.text import tr
from familiar_app.ui.discord.act import DiscordActs
from familiar_app.ui.discord.deed import DiscordDeeds
from familiar_app.ui.discord.guide import GuidePage
from familiar_app.ui.discord.model import DiscordModel
from familiar_app.ui.discord.noticed_part import NoticedPart
from familiar_app.ui.discord.place import Row
from familiar_app.ui.discord.side import noticed_page, page_of
from familiar_app.ui.discord.strip import Strip
from familiar_app.ui.discord.tables import PlaceRows, PlaceTable
from familiar_app.ui.discord.trouble import Troubles, apart
from familiar_app.ui.kit.empty_state import EmptyState
from familiar_app.ui.kit.field import SearchField
from familiar_app.ui.kit.header import PanelHeader
from familiar_app.ui.kit.icon import follow
from familiar_app.ui.kit.label import column, line, surface
from familiar_app.ui.kit.notice import Notice
from familiar_app.ui.kit.panel import PanelContext
from familiar_app.ui.kit.side_page import SidePage
from familiar_app.ui.kit.task import Tasks

TICK_MS = 1_000
READ_EVERY_MS = 5_000
DRAW_AFTER_MS = 80


class DiscordView(QWidget):
    """Shows a DiscordModel; every change of a setting is done at once and can be taken back."""

    def __init__(self, model: DiscordModel, context: PanelContext) -> None:
        super().__init__()
        self.model, self.context, self.theme = model, context, context.theme
        surface(self, 1)
        self.setAccessibleName(tr("Discord"))
        self.notice = Notice(self.theme)
        self.tasks = Tasks(context.tasks, self, self.notice.show_error)
        acts = DiscordActs(model, context.gate, context.gate.profile, self._saved)
        self.deeds = DiscordDeeds(self, acts)
        self.troubles = Troubles(self.theme, model, self.deeds)
        self.failed, self.blocked = self.troubles.failed, self.troubles.blocked
        self._renewing = False
        self._shown: tuple[str, object] | None = None
        self._page: SidePage | None = None
        self._build()
        self._tick = self._timer(TICK_MS, self._ticked, single=False)
        # People subscribe and shift its attention on Discord, too.
        self._read = self._timer(READ_EVERY_MS, lambda: self.load() if self.isVisible() else None, single=False)
        self._read.start()
        self._draw_soon = self._timer(DRAW_AFTER_MS, self._draw)
        self._stop = model.listen()
        model.watch(self._heard)
        context.local_only_changed.connect(self._local_only_changed)
        follow(self.theme, self, self._restyle)
        self._draw()

    # ---- building

    def _build(self) -> None:
        header = PanelHeader(self.theme, tr("Discord"))
        self.search = SearchField(self.theme, tr("Search channels"))
        self.search.setMinimumWidth(self.theme.px(110))
        self.search.textChanged.connect(lambda text: self.model.narrow(query=text))
        self.search.given_up.connect(lambda: self.places.setFocus())
        header.add_end(self.search)
        self.strip = Strip(self.theme, self.model, self.deeds)
        self.guide = GuidePage(
            self.theme,
            self.deeds.connect,
            partial(self.deeds.do, "portal"),
            self.leave_guide,
            invitation=self.model.invitation_by,
            open_page=self.deeds.open,
        )
        split = QSplitter(Qt.Orientation.Vertical)
        split.setChildrenCollapsible(False)
        split.addWidget(self._build_places())
        heard = self.heard = NoticedPart(self.theme, self.model)
        heard.chosen.connect(self.show_noticed)
        heard.opened.connect(lambda at: self.deeds.do("turn", heard.rows.rows[at]))
        self.noticed, self.noticed_rows = heard.table, heard.rows
        split.addWidget(heard)
        split.setStretchFactor(0, 3)
        split.setStretchFactor(1, 2)
        split.setSizes([320, 260])
        self.connected = QWidget()
        inside = column(spacing=0)
        inside.addWidget(self.strip)
        inside.addLayout(apart(self.failed, above=4, below=8))
        inside.addWidget(line())
        inside.addWidget(split, 1)
        self.connected.setLayout(inside)
        self.pages = QStackedWidget()
        for page in (self.guide, self.connected):
            self.pages.addWidget(page)
        layout = column(spacing=0)
        layout.addWidget(header)
        layout.addLayout(apart(self.notice, self.blocked))
        layout.addWidget(self.pages, 1)
        self.setLayout(layout)

    def _build_places(self) -> QWidget:
        self.place_rows, self.places = PlaceRows(self.theme, self.model), PlaceTable(self.theme)
        self.places.setModel(self.place_rows)
        self.places.deed.connect(self._key)
        self.places.opened.connect(lambda _index: self.show_row(focus=True))
        self.places.clicked.connect(self._clicked)
        self.places.current_changed.connect(lambda _index: self._side_open() and self.show_row())
        self.nowhere = EmptyState(
            self.theme, "discord", "", "", step=tr("Invite to a server…"), run=partial(self.deeds.do, "open_invitation")
        )
        self.place_pages = QStackedWidget()
        for page in (self.places, self.nowhere):
            self.place_pages.addWidget(page)
        return self.place_pages

    def _timer(self, every_ms: int, run, *, single: bool = True) -> QTimer:
        made = QTimer(self)
        made.setInterval(every_ms)
        made.setSingleShot(single)
        made.timeout.connect(run)
        return made

    # ---- reading and showing

    def load(self) -> None:
        """Read everything anew."""
        self.tasks.start(self.model.load, name="discord.load", replace=True)

    def stop(self) -> None:
        """Listen no more."""
        for timer in (self._tick, self._read, self._draw_soon):
            timer.stop()
        stop, self._stop = self._stop, lambda: None
        stop()
        self.model.unwatch(self._heard)

    def focus(self) -> None:
        """Put the focus where work begins."""
        if self.pages.currentWidget() is self.guide:
            self.guide.field.setFocus()
        elif self.place_pages.currentWidget() is self.places:
            self.places.setFocus()
        else:
            offered = (self.nowhere.button, self.strip.switch_on, self.strip.switch_off)
            next(one for one in offered if one.isVisibleTo(self)).setFocus()

    def show_guide(self, *, renewing: bool) -> None:
        """Show how a bot is made, or ask for another token."""
        self._renewing = renewing
        self._draw()
        self.guide.field.setFocus()

    def leave_guide(self) -> None:
        """Show how the link stands again."""
        self._renewing = False
        self.guide.clear()
        self._draw()
        self.focus()

    def reveal(self, number: int) -> None:
        """Choose a channel by its number and show it at the side."""
        self.search.clear()
        self.model.narrow(query="", only_listening=False)
        self._draw()
        rows = self.place_rows.rows
        at = next((at for at, row in enumerate(rows) if row.place is not None and row.place.number == number), None)
        if at is not None:
            index = self.place_rows.index(at, 0)
            self.places.selectionModel().setCurrentIndex(
                index, QItemSelectionModel.SelectionFlag.ClearAndSelect | QItemSelectionModel.SelectionFlag.Rows
            )
            self.show_row(focus=True)

    def show_row(self, *, focus: bool = False) -> None:
        """Show the chosen server or channel at the side."""
        row = self.current_row
        if row is None:
            return
        self._show_page(row)
        if focus:
            found = next((one for one in self._controls() if one.isEnabled()), self.places)
            found.setFocus()

    def _show_page(self, row: Row) -> None:
        page = page_of(self.model, row, self.deeds.do)
        # The page before it is told that it goes.
        self.context.side_view.show_widget(row.title, page, closed=self._forget_page)
        self._page, self._shown = page, (row.key, self.model.state_of(row))

    def _forget_page(self) -> None:
        self._shown = self._page = None

    def show_noticed(self, at: int) -> None:
        """Show a message that was noticed at the side."""
        if 0 <= at < len(self.noticed_rows.rows):
            page = noticed_page(self.model, self.noticed_rows.rows[at], self.deeds.do)
            self._forget_page()
            self.context.side_view.show_widget(tr("A message"), page)

    def refresh_side(self) -> None:
        """Show the same row at the side again where something of it changed; the focus stays where it was."""
        row = None if self._shown is None else self.model.row(self._shown[0])
        if row is None or self._shown[1] == self.model.state_of(row):
            return
        focused = QApplication.focusWidget()
        name = focused.accessibleName() if focused is not None and self._page.isAncestorOf(focused) else None
        self._show_page(row)
        if name is not None:
            found = next((one for one in self._controls() if one.accessibleName() == name), self.places)
            found.setFocus()

    def _controls(self) -> list[QWidget]:
        """Return what can be changed on the page at the side."""
        return [*self._page.findChildren(QAbstractButton), *self._page.findChildren(QComboBox)]

    @property
    def current_row(self) -> Row | None:
        at = self.places.currentIndex().row()
        return self.place_rows.rows[at] if 0 <= at < len(self.place_rows.rows) else None

    def _side_open(self) -> bool:
        return self.context.side_view.is_open()

    def _key(self, word: str) -> None:
        row = self.current_row
        if row is not None:
            self.deeds.at_row(word, row)

    def _clicked(self, index) -> None:
        """Switch listening where the box was clicked; elsewhere show the row."""
        row = self.current_row
        if index.column() == 1 and row is not None and row.place is not None:
            self.deeds.at_row("listen", row)
        else:
            self.show_row()

    def _saved(self) -> None:
        self.context.familiar_reloaded.emit(str(self.model.familiar))

    def _local_only_changed(self, _on: bool) -> None:
        self._draw()

    def _heard(self, _what: str) -> None:
        if not self._draw_soon.isActive():
            self._draw_soon.start()

    def _draw(self) -> None:
        """Take in what the model has now."""
        if self.model.gone:
            self.stop()
            return
        standing = self.model.standing
        guide = self._renewing or not standing.token
        self.guide.show_for(self.model.name, renewing=self._renewing and standing.token)
        self.pages.setCurrentWidget(self.guide if guide else self.connected)
        self.search.setVisible(not guide)
        self.strip.refresh()
        self.troubles.draw(guide=guide)
        self.place_rows.refresh()
        self.heard.refresh()
        self._draw_empty()
        self.refresh_side()
        (self._tick.start if self.model.ticking else self._tick.stop)()
        self.places.size_columns()

    def _ticked(self) -> None:
        self.strip.show_state()
        if not self.model.ticking:
            self._tick.stop()

    def _draw_empty(self) -> None:
        self.place_pages.setCurrentWidget(self.places if self.model.rows else self.nowhere)
        if not self.model.rows:
            self.nowhere.set_text(*self._nowhere_words())
            self.nowhere.button.setVisible(bool(self.model.invitation) and not self.model.query)

    def _nowhere_words(self) -> tuple[str, str]:
        name = self.model.name
        if self.model.query.strip() or self.model.only_listening:
            return tr("No such channel"), tr("Nothing fits the search, or it listens in none of them.")
        if not self.model.standing.connected and not self.model.standing.servers:
            text = tr("The servers {name} is on are shown once it is connected.", name=name)
            return tr("No server is known yet"), text
        return (
            tr("{name} is on no server yet", name=name),
            tr("Open the invitation in your browser and choose a server that you manage. Its channels appear here."),
        )

    def _restyle(self) -> None:
        for table in (self.places, self.noticed):
            table.size_columns()
        self._draw()
