"""A search index that is built up to its first commit and goes on only when it is let."""

from __future__ import annotations

import threading

from familiar_app.store.index.text_index import Searcher, TextIndex


class HeldIndex(TextIndex):
    """Commits `first` times at once, and later ones when `go` is set."""

    def __init__(self, first: int, go: threading.Event) -> None:
        super().__init__(heap_bytes=15_000_000)
        self._left, self._go = first, go

    def commit(self) -> Searcher:
        if self._left <= 0 and not self._go.wait(30):
            raise RuntimeError
        self._left -= 1
        return super().commit()
