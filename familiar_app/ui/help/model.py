"""What the help shows: a spot of the manual, or what a search found in it. Knows no Qt."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from familiar_app.ui.help.manual import CONTENTS, Hit, Manual, Spot
from familiar_app.ui.help.page import Page
from familiar_app.ui.help.subject import wanted_key


class HelpModel:
    """Empty until `load`, which reads the pages with `read`. Listeners of `watch` hear `page` or `list`."""

    def __init__(self, read: Callable[[], Manual]) -> None:
        self._read = read
        self._listeners: list[Callable[[str], object]] = []
        self.manual = Manual(())
        self.spot = Spot(CONTENTS)
        self.query = ""
        self.hits: list[Hit] = []

    def watch(self, listener: Callable[[str], object]) -> None:
        self._listeners.append(listener)

    async def load(self) -> None:
        """Read the pages; what was asked for meanwhile is shown then."""
        self.manual = await asyncio.to_thread(self._read)
        if self.spot.page not in self.manual.pages:
            self.spot = Spot(CONTENTS)
        self.search(self.query)
        self._tell("page")

    @property
    def page(self) -> Page | None:
        """The page to be shown, None as long as nothing was read."""
        return self.manual.pages.get(self.spot.page)

    @property
    def searching(self) -> bool:
        return bool(self.query.strip())

    def show(self, key: str) -> bool:
        """Go to a page, by its own key or by the panel it is about; tell whether there is such a page."""
        spot = Spot.of(wanted_key(key))
        if self.manual.pages and spot.page not in self.manual.pages:
            return False
        self.spot = spot
        self._tell("page")
        return True

    def follow(self, link: str) -> Spot | None:
        """Return where a link of the page leads within the manual."""
        return self.manual.follow(self.spot.page, link)

    def search(self, query: str) -> None:
        self.query = query
        self.hits = self.manual.search(query)
        self._tell("list")

    def _tell(self, what: str) -> None:
        for listener in self._listeners:
            listener(what)
