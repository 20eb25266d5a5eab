"""Keeps what is known about the entries up to date: what is odd about them, and how often each stood in a prompt."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping

from familiar_app.domain.lorebook.entry import EntryKey, LoreBook
from familiar_app.domain.lorebook.lint import Found, Linter, LintTerms
from familiar_app.domain.lorebook.rules import rules_named
from familiar_app.ui.lorebook.listing import Use
from familiar_app.ui.lorebook.merge import Uid
from familiar_app.ui.lorebook.model import LorebookModel
from familiar_app.ui.lorebook.tester import TrialModel
from familiar_app.ui.lorebook.trial import Question

TakeUses = Callable[[], Awaitable[Mapping[EntryKey, Use]]]


class Inspection:
    """Works for one book. `take_uses` reads the counts of the familiar."""

    def __init__(self, model: LorebookModel, tester: TrialModel, take_uses: TakeUses) -> None:
        self._model, self._tester, self._take_uses = model, tester, take_uses
        self._linter = Linter()

    def forget(self) -> None:
        """Look at every entry anew next time, since tokens or settings are others now."""
        self._linter = Linter()

    async def look(self) -> None:
        """Look for what is odd, in a thread."""
        book = self._model.book
        found = await asyncio.to_thread(self._lint, book)
        if self._model.book is book:
            self._model.put_warnings(found)

    def _lint(self, book: LoreBook) -> Found:
        terms = self._tester.terms()
        room = terms.room_tokens if not book.token_budget else min(terms.room_tokens, book.token_budget)
        settings = Question(book, (), terms).settings()
        rules = rules_named(terms.chosen.rules)
        return self._linter.run(book, LintTerms(settings, rules, room, self._tester.tokens_of))

    async def count_uses(self) -> None:
        """Read how often the entries stood in a prompt."""
        found = await self._take_uses()
        model = self._model
        book, stem = model.book.name, model.file.path.stem
        uses: dict[Uid, Use] = {}
        for key, use in found.items():
            # Where books share a name, traces tell them apart by what binds them and by their file.
            if key.book == book or (key.book.startswith(f"{book} (") and key.book.endswith(f": {stem})")):
                uses[key.uid] = use
        self._model.put_uses(
            {one.uid: uses[model.file_uid(one.uid)] for one in model.book.entries if model.file_uid(one.uid) in uses}
        )
