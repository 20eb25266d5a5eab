"""Covers what the window shows while it is locked, and shows it again."""

from __future__ import annotations

import logging
from collections.abc import Callable

from PySide6.QtWidgets import QStackedLayout, QWidget

from familiar_app.ui.kit.curtain import curtain
from familiar_app.ui.kit.parts import WindowParts
from familiar_app.ui.shell.locking import close_dialogs
from familiar_app.ui.unlock.cover import CoverScreen

log = logging.getLogger(__name__)


class Covering:
    """One page over the others. `add` puts a page among `pages`; `uncovered` is called when it is gone again."""

    def __init__(
        self,
        parts: WindowParts,
        pages: QStackedLayout,
        *,
        add: Callable[[QWidget], None],
        close_vault: Callable[[], object],
        uncovered: Callable[[QWidget], None],
    ) -> None:
        self._parts, self._pages = parts, pages
        self._add, self._close_vault, self._uncovered = add, close_vault, uncovered
        self._cover: CoverScreen | None = None
        self._behind: QWidget | None = None

    @property
    def on(self) -> bool:
        """Whether the window is covered."""
        return self._cover is not None

    def cover(self) -> None:
        """Hide everything behind the question for the passphrase."""
        behind = self._pages.currentWidget()
        if self.on or behind is None:
            return
        close_dialogs()
        curtain().draw()
        self._cover, self._behind = CoverScreen(self._parts), behind
        self._cover.opened.connect(self._uncover)
        self._cover.close_wanted.connect(self._close_vault)
        self._add(self._cover)
        self._pages.setCurrentWidget(self._cover)
        self._cover.start()
        log.info("the window is locked")

    def forget(self) -> None:
        """The pages go: there is nothing left to cover."""
        self._cover = self._behind = None
        curtain().drop()

    def front(self, page: QWidget) -> QWidget:
        """Return what stands in front when a page comes: the cover, with the page behind it, or the page itself."""
        if self._cover is None:
            return page
        self._behind = page
        return self._cover

    def _uncover(self) -> None:
        cover, behind = self._cover, self._behind
        if cover is not None and behind is not None:
            self._pages.setCurrentWidget(behind)
            self._pages.removeWidget(cover)
            cover.deleteLater()
        self._cover = self._behind = None
        curtain().lift()
        if behind is not None:
            self._uncovered(behind)
