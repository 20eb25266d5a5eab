"""What most panels do: one view for each familiar, made when it is first shown and kept while the vault is open."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Generic, TypeVar

from PySide6.QtWidgets import QStackedWidget, QWidget

from familiar_app.domain.ids import FamiliarId
from familiar_app.ui.kit.panel import PanelContext

if TYPE_CHECKING:
    from familiar_app.services import Services

View = TypeVar("View", bound=QWidget)


class FamiliarViews(QStackedWidget, Generic[View]):
    """Shows the view of the familiar that the window shows.

    `make` builds a view. `begin` is called with each new one, once it stands in the stack, to load what it shows;
    `shown` whenever another view has come to the front.
    """

    def __init__(
        self,
        services: Services,
        context: PanelContext,
        make: Callable[[FamiliarId], View],
        *,
        begin: Callable[[View], object],
        shown: Callable[[View], object] = lambda _view: None,
    ) -> None:
        super().__init__()
        self._services, self._context = services, context
        self._make, self._begin, self._shown = make, begin, shown
        self._views: dict[FamiliarId, View] = {}
        context.familiar_changed.connect(self.show_familiar)

    @property
    def current(self) -> View:
        """The view that is shown."""
        return self.currentWidget()

    @property
    def view(self) -> View:
        """The view of the familiar that the window shows; made now where it was not asked for before."""
        if self.current is None:
            self.show_familiar(self._context.familiar)
        return self.current

    def __iter__(self) -> Iterator[View]:
        return iter(list(self._views.values()))

    def of(self, familiar: str) -> View | None:
        """Return the view of a familiar, None where it was not shown yet."""
        return self._views.get(FamiliarId(familiar))

    def show_familiar(self, familiar: str) -> None:
        """Bring the view of a familiar to the front; one that is not there is passed over."""
        chosen = FamiliarId(familiar)
        if chosen not in self._services.familiars:
            return
        if chosen not in self._views:
            view = self._views[chosen] = self._make(chosen)
            self.addWidget(view)
            self._begin(view)
        self.setCurrentWidget(self._views[chosen])
        self._shown(self._views[chosen])

    def renew(self, familiar: str, put_away: Callable[[View], object] = lambda _view: None) -> bool:
        """Build the view of a familiar anew, whose settings are others now. False where it was not shown yet.

        `put_away` ends what the old one does beside its tasks.
        """
        old = self.drop(familiar)
        if old is None:
            return False
        if self._context.familiar == familiar:
            self.show_familiar(familiar)
        put_away(old)
        old.tasks.cancel_soon()
        old.deleteLater()
        return True

    def drop(self, familiar: str) -> View | None:
        """Take the view of a familiar out and return it, to be closed by the caller."""
        view = self._views.pop(FamiliarId(familiar), None)
        if view is not None:
            self.removeWidget(view)
        return view
