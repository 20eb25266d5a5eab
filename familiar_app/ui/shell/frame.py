"""Everything inside the window while a vault is open: rail, panels, side view, status bar, working together."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeyEvent, QResizeEvent
from PySide6.QtWidgets import QStackedWidget, QWidget

from familiar_app.domain.ids import FamiliarId
from familiar_app.domain.text import tr
from familiar_app.ui.kit.action import ActionRegistry
from familiar_app.ui.kit.notice import Notice, UndoBar
from familiar_app.ui.kit.panel import HasFoot, HasKeys, OffRail, Panel, PanelContext, Place
from familiar_app.ui.kit.parts import WindowParts
from familiar_app.ui.kit.status import StatusModel
from familiar_app.ui.kit.task import Tasks
from familiar_app.ui.shell.arrangement import arrange
from familiar_app.ui.shell.binding import KeyBinding
from familiar_app.ui.shell.command import shell_actions
from familiar_app.ui.shell.fact_finder import FactFinder
from familiar_app.ui.shell.familiar_switch import FamiliarSwitch
from familiar_app.ui.shell.field_undo import FieldUndo
from familiar_app.ui.shell.history import History
from familiar_app.ui.shell.kept_settings import KeptSettings
from familiar_app.ui.shell.key_list import KeyList
from familiar_app.ui.shell.local_only_switch import LocalOnlySwitch
from familiar_app.ui.shell.looks import Looks
from familiar_app.ui.shell.palette import Palette
from familiar_app.ui.shell.rail import Rail, RailEntry
from familiar_app.ui.shell.side_splitter import SideSplitter
from familiar_app.ui.shell.side_view import SideView
from familiar_app.ui.shell.status_bar import StatusBar
from familiar_app.ui.shell.undoing import Undoing

if TYPE_CHECKING:
    from familiar_app.services import Services

SEARCH = "search"
HELP = "help"


class Frame(QWidget):
    """Built for one open vault and thrown away when it is closed.

    `add_wanted` asks for the wizard that adds a familiar; `familiar_shown` carries the name for the window's title;
    `back_wanted` carries the backup that somebody wants to go back to; `erase_wanted` the id of the familiar that is to
    be erased, "" for everything.
    """

    add_wanted = Signal()
    familiar_shown = Signal(str)
    back_wanted = Signal(object)
    erase_wanted = Signal(str)

    def __init__(
        self,
        parts: WindowParts,
        services: Services,
        *,
        familiar: str,
        lock: Callable[[], object],
        close_vault: Callable[[], object],
    ) -> None:
        super().__init__()
        self._parts, self._services = parts, services
        theme = parts.theme
        self.status = StatusModel()
        self.actions_registry = ActionRegistry()
        self._history = History()
        self._panels: dict[str, Panel] = {}
        self._current = ""
        self.notice = Notice(theme)
        self._tasks = Tasks(parts.tasks, self, self.notice.show_error)
        self._rail = Rail(theme, lambda _button: self.choose_familiar())
        self.side_view = SideView(theme)
        self._bar = self._make_bar(lock)
        self._stack = QStackedWidget()
        self._splitter = SideSplitter(theme, self._stack, self.side_view)
        self.side_view.closed.connect(self.focus_panel)
        arrange(self, rail=self._rail, middle=self._splitter, notice=self.notice, bar=self._bar)
        self._undo_bar = UndoBar(theme, self)
        self._undoing = Undoing(self._undo_bar, self._bar.tell)
        self._palette = Palette(theme, self.actions_registry, self)
        self.context = self._make_context(FamiliarId(familiar))
        self._local_only = LocalOnlySwitch(parts.gate, services, self.context, self._tasks, tell=self._bar.tell)
        self._kept = KeptSettings(services.profile, self._tasks, self.context.settings_changed.emit)
        self._facts = FactFinder(services, self.context, self._palette, self.actions_registry, self._tasks)
        self._switch = self._make_switch()
        self._build_panels()
        self.context.familiar_changed.connect(lambda _familiar: self._activate())
        entries = [(panel.id, tr(panel.title), panel.icon) for panel in self._on_rail()]
        looks = Looks(theme, self._kept, self._bar.tell)
        shell = shell_actions(self, entries, looks, lock=lock, close_vault=close_vault, leave=parts.request_quit)
        self.actions_registry.offer("shell", shell)
        self._keys = KeyBinding(self.actions_registry, self)
        self._field_undo = FieldUndo(self)
        self._rail.chosen.connect(self.show_panel)
        self._switch.show()

    def _make_bar(self, lock: Callable[[], object]) -> StatusBar:
        return StatusBar(
            self._parts.theme,
            self.status,
            lock=lock,
            local_only=lambda shield: self._local_only.open_sheet(shield),
            show_model=lambda: self.go_to("settings", "model"),
            show_memory=lambda: self.show_panel("upkeep"),
            show_discord=lambda: self.show_panel("discord"),
            show_backups=lambda: self.show_panel("backups"),
        )

    def _make_switch(self) -> FamiliarSwitch:
        return FamiliarSwitch(
            self._services,
            self.context,
            self._rail.familiar,
            self.notice,
            self._tasks,
            add=self.add_familiar,
            shown=self.familiar_shown.emit,
            switched=self._switched,
        )

    def start(self) -> None:
        """Show the first panel."""
        if self._panels:
            self.show_panel(next(iter(self._panels)))

    async def close_panels(self) -> None:
        """Let every panel store what it holds; the frame is of no use afterwards."""
        self.setEnabled(False)
        self._palette.close_palette()
        self.side_view.close_view()
        await self._kept.write()
        await self._tasks.cancel()
        for panel in self._panels.values():
            await panel.close()

    @property
    def familiar_name(self) -> str:
        """The name of the familiar that is shown."""
        return self._switch.name

    @property
    def side_width(self) -> int:
        return self._splitter.side_width

    def set_side_width(self, width: int) -> None:
        self._splitter.set_side_width(width)

    def panel(self, name: str) -> Panel | None:
        """Return a panel by its id, None where it is not offered."""
        return self._panels.get(name)

    # What the actions do

    def show_panel(self, panel: str) -> None:
        self.go_to(panel, "")

    def go_to(self, panel: str, key: str) -> None:
        """Show a panel, at a place of its own where `key` is not empty."""
        if panel not in self._panels:
            return
        self._select(panel)
        if key:
            self._panels[panel].show_place(key)
        self._history.visit(Place(panel, key, tr(self._panels[panel].title)))

    def open_palette(self) -> None:
        for panel in self._panels.values():
            self.actions_registry.offer(f"entries.{panel.id}", panel.palette_entries())
        self.actions_registry.offer("acts", self._undoing.actions())
        self._palette.open_palette()

    def find(self) -> None:
        self._panels[self._current].find()

    def go_back(self) -> None:
        self._revisit(self._history.back())

    def go_forward(self) -> None:
        self._revisit(self._history.forward())

    def can_go_back(self) -> bool:
        return self._history.can_go_back

    def can_go_forward(self) -> bool:
        return self._history.can_go_forward

    def show_keys(self) -> None:
        panel = self._panels.get(self._current)
        more = panel.keys() if isinstance(panel, HasKeys) else {}
        self.side_view.show_widget(tr("All keys"), KeyList(self.actions_registry.all(), more))

    def show_help(self) -> None:
        """Open the manual at the page of the panel that is shown."""
        self.go_to(HELP, f"panel:{self._current}")

    def can_help(self) -> bool:
        return HELP in self._panels

    def search_everything(self) -> None:
        self.show_panel(SEARCH)

    def can_search(self) -> bool:
        return SEARCH in self._panels

    def undo(self) -> None:
        self._undoing.undo()

    def can_undo(self) -> bool:
        return self._undoing.can_undo

    def redo(self) -> None:
        self._undoing.redo()

    def can_redo(self) -> bool:
        return self._undoing.can_redo

    def toggle_local_only(self) -> None:
        self._local_only.toggle()

    def choose_familiar(self) -> None:
        self._switch.open_menu()

    def add_familiar(self) -> None:
        self.add_wanted.emit()

    def switch_familiar(self, familiar: str) -> None:
        """Show another familiar of this vault."""
        self._switch.switch(familiar)

    # Events

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape and self.side_view.is_open():
            self.side_view.close_view()
        else:
            super().keyPressEvent(event)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._undo_bar.lift = self._bar.height()
        self._undo_bar.place()
        self._palette.place()

    # Building

    def _make_context(self, familiar: FamiliarId) -> PanelContext:
        parts = self._parts
        context = PanelContext(
            theme=parts.theme,
            tasks=parts.tasks,
            status=self.status,
            side_view=self.side_view,
            familiar=familiar,
            gate=parts.gate,
            window=self,
            parts=parts,
        )
        context.visit = self._history.visit
        context.go_to = self.go_to
        context.has_panel = self._panels.__contains__
        context.go_back = self.go_back
        context.go_back_to = self.back_wanted.emit
        context.erase = self.erase_wanted.emit
        context.offer_undo = self._offer_undo
        context.tell = self._bar.tell
        context.actions_changed = self._offer_panel
        context.badge = self._rail.set_badge
        return context

    def _build_panels(self) -> None:
        for factory in self._parts.panels:
            panel = factory(self._services, self.context)
            self._panels[panel.id] = panel
            self._stack.addWidget(panel.widget)
        self._rail.set_entries([RailEntry(panel.id, tr(panel.title), panel.icon) for panel in self._on_rail()])

    def _on_rail(self) -> list[Panel]:
        return [panel for panel in self._panels.values() if not (isinstance(panel, OffRail) and panel.off_rail)]

    # Panels

    def _select(self, panel: str) -> None:
        if panel == self._current:
            self._panels[panel].activate()
            return
        self._current = panel
        self.side_view.close_view()
        self._stack.setCurrentWidget(self._panels[panel].widget)
        self._rail.select(panel)
        shown = self._panels[panel]
        self._undo_bar.stand_above(shown.foot if isinstance(shown, HasFoot) else None)
        self._offer_panel(panel)
        self._panels[panel].activate()

    def _activate(self) -> None:
        """Put the focus where work begins."""
        if self._current:
            self._panels[self._current].activate()

    def _offer_panel(self, panel: str) -> None:
        if panel == self._current:
            self.actions_registry.offer("panel", self._panels[panel].actions())

    def _offer_undo(self, text: str, undo: Callable[[], object], redo: Callable[[], object] | None = None, /) -> None:
        panel = self._panels.get(self._current)
        self._undo_bar.stand_above(panel.foot if isinstance(panel, HasFoot) else None)
        self._undoing.offer(text, undo, redo)

    def _revisit(self, place: Place | None) -> None:
        if place is None:
            return
        self._select(place.panel)
        if place.key:
            self._panels[place.panel].show_place(place.key)

    def focus_panel(self) -> None:
        """Give the panel the focus, unless a part of it has it."""
        if self._current and not self._panels[self._current].widget.isAncestorOf(self.focusWidget() or self):
            self._panels[self._current].activate()

    def _switched(self) -> None:
        self._kept.save("last_familiar", str(self.context.familiar))
        self.side_view.close_view()
