"""Runs search and replace for one lorebook: the side view's questions go to a thread, and its answer is one step."""

from __future__ import annotations

import asyncio

from familiar_app.domain.text import ntr, tr
from familiar_app.ui.kit.panel import PanelContext
from familiar_app.ui.kit.task import Tasks
from familiar_app.ui.lorebook.merge import Uid
from familiar_app.ui.lorebook.model import LorebookModel
from familiar_app.ui.lorebook.replace_view import ReplaceView
from familiar_app.ui.lorebook.replacing import Plan, Wanted, plan
from familiar_app.ui.lorebook.word import as_sentence


class Replacer:
    """Works for one view."""

    def __init__(self, model: LorebookModel, context: PanelContext, tasks: Tasks) -> None:
        self._model, self._context, self._tasks = model, context, tasks
        self.shown: ReplaceView | None = None

    def show(self) -> None:
        """Open search and replace; where several entries are chosen it begins with them."""
        scope = "selected" if len(self._model.selected) > 1 else "all"
        made = ReplaceView(scope, self._look, self._use, self._choose)
        self.shown = made
        self._context.side_view.show_widget(tr("Search and replace"), made, closed=self._closed)
        made.find.setText(self._model.filter)
        made.find.setFocus()

    def _closed(self) -> None:
        self.shown = None

    def _look(self, wanted: Wanted, scope: str) -> None:
        self._tasks.start(lambda: self._plan(wanted, scope), name="lorebook.replace", replace=True)

    async def _plan(self, wanted: Wanted, scope: str) -> None:
        model = self._model
        chosen = set(model.selected)
        entries = {
            "all": model.book.entries,
            "rows": model.rows(),
            "selected": [one for one in model.book.entries if one.uid in chosen],
        }[scope]
        found = await asyncio.to_thread(plan, list(entries), wanted)
        if self.shown is not None:
            self.shown.show_plan(found)

    def _use(self, found: Plan) -> None:
        # Where an entry was changed since, what was listed is not true any more.
        fresh = {uid: new for uid, (old, new) in found.changes.items() if self._model.entry(uid) == old}
        count = len(fresh)
        step = self._model.change_each(fresh, ntr("Replaced in {n} entry", "Replaced in {n} entries", count))
        if step is not None:
            self._context.offer_undo(as_sentence(step.title), lambda: self._model.revert(step))
        if self.shown is not None:
            self.shown.ask()

    def _choose(self, uid: Uid) -> None:
        if self._model.entry(uid) is not None:
            self._model.select([uid], uid)
