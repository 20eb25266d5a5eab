"""What a panel is, and what the shell gives it to work with."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QWidget

from familiar_app.domain.ids import FamiliarId
from familiar_app.domain.task import TaskRegistry
from familiar_app.ui.kit.action import Action
from familiar_app.ui.kit.status import StatusModel
from familiar_app.ui.kit.theme import Theme

if TYPE_CHECKING:
    from familiar_app.services import Gate, Services
    from familiar_app.ui.kit.going_back import BackupChoice
    from familiar_app.ui.kit.parts import WindowParts


@dataclass(frozen=True, slots=True)
class Place:
    """Somewhere the person has been, for back and forward. `key` is the panel's own (a channel's id)."""

    panel: str
    key: str = ""
    title: str = ""


class Panel(Protocol):
    """One entry of the rail. Built once per open vault, after it was opened.

    `actions` are this panel's own, in force while it is shown; `palette_entries` are always found in the command
    palette (channels, people). `show_place` goes back to a place this panel has reported through `context.visit`.
    """

    @property
    def id(self) -> str: ...

    @property
    def title(self) -> str:
        """Its name as the source has it, marked by `tr_later`: the shell translates it."""
        ...

    @property
    def icon(self) -> str: ...

    @property
    def widget(self) -> QWidget: ...

    def actions(self) -> Sequence[Action]: ...

    def palette_entries(self) -> Sequence[Action]: ...

    def activate(self) -> None:
        """The panel has just become visible: refresh, and put the focus where work begins."""
        ...

    def find(self) -> None:
        """Ctrl+F: open this panel's search."""
        ...

    def show_place(self, key: str) -> None: ...

    async def close(self) -> None:
        """The vault is about to be closed: end tasks, store drafts."""
        ...


@runtime_checkable
class HasFoot(Protocol):
    """A panel with something at its lower edge that nothing may float over, such as the field one writes in."""

    @property
    def foot(self) -> QWidget: ...


@runtime_checkable
class HasKeys(Protocol):
    """A panel with keys that only its own widgets know: by heading, pairs of what they do and the key."""

    def keys(self) -> Mapping[str, Sequence[tuple[str, str]]]: ...


@runtime_checkable
class OffRail(Protocol):
    """A panel that has a key of its own and no place in the rail."""

    off_rail: bool


class SideViewPort(Protocol):
    """The one view at the right that all panels share. Esc closes it."""

    def show_widget(self, title: str, widget: QWidget, *, closed: Callable[[], object] | None = None) -> None:
        """Show `widget` (the side view takes it over and deletes it when it is replaced or closed)."""
        ...

    def close_view(self) -> None: ...

    def is_open(self) -> bool: ...


class OfferUndo(Protocol):
    """How an act is made known that can be taken back."""

    def __call__(
        self, text: str, undo: Callable[[], object], redo: Callable[[], object] | None = None, /
    ) -> object: ...


class PanelContext(QObject):
    """The shell as a panel sees it.

    `familiar_changed` tells that the person switched to another familiar; `familiar_reloaded` that the files of one
    were read again (its Hosted is new); `local_only_changed` speaks for itself. `settings_changed` carries the
    ProfileSettings after one of them was changed.
    """

    familiar_changed = Signal(str)
    familiar_reloaded = Signal(str)
    local_only_changed = Signal(bool)
    settings_changed = Signal(object)

    def __init__(
        self,
        *,
        theme: Theme,
        tasks: TaskRegistry,
        status: StatusModel,
        side_view: SideViewPort,
        familiar: FamiliarId,
        gate: Gate | None = None,
        window: QWidget | None = None,
        parts: WindowParts | None = None,
    ) -> None:
        super().__init__()
        self.theme = theme
        self.tasks = tasks
        self.status = status
        self.side_view = side_view
        self.familiar = familiar
        self.gate = gate
        self.window = window
        self.parts = parts
        self.visit: Callable[[Place], object] = lambda _place: None
        """Report where the person is now, for back and forward."""
        self.go_to: Callable[[str, str], object] = lambda _panel, _key: None
        """Show another panel (by id) at a place (by key, may be empty)."""
        self.has_panel: Callable[[str], bool] = lambda _panel: False
        """Tell whether there is a panel of that id to go to."""
        self.go_back: Callable[[], object] = lambda: None
        """Go back to the place before this one."""
        self.go_back_to: Callable[[BackupChoice], object] = lambda _choice: None
        """Put a backup in the place of the profile; the vault is closed for it."""
        self.erase: Callable[[str], object] = lambda _familiar: None
        """Ask whether a familiar (by id) is to be erased, or with "" the whole profile, and do it."""
        self.offer_undo: OfferUndo = lambda _text, _undo, _redo=None: None
        """Show the undo bar: what was done, and what takes it back (starts its own task).

        With `redo`, which does it again in the same way and offers nothing itself, it can also be taken back later, and
        done again after that.
        """
        self.tell: Callable[[str], object] = lambda _text: None
        """Say in the status bar, for a moment, that something was done (`Copied.`)."""
        self.actions_changed: Callable[[str], object] = lambda _panel: None
        """Tell that the actions or palette entries of a panel (by id) are others now."""
        self.badge: Callable[[str, int], object] = lambda _panel, _count: None
        """Show how many things wait in a panel (by id); 0 shows nothing."""


PanelFactory = Callable[["Services", PanelContext], Panel]
Recall = Callable[[str], Awaitable[Any]]
