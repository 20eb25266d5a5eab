"""Import and export: chooses files, shows what would happen in the side view, and does it."""

from __future__ import annotations

import asyncio
from pathlib import Path

from PySide6.QtWidgets import QWidget

from familiar_app.domain.text import ntr, tr
from familiar_app.ui.kit.dialog import choose_file
from familiar_app.ui.kit.panel import PanelContext
from familiar_app.ui.kit.task import Tasks
from familiar_app.ui.lorebook.model import LorebookModel
from familiar_app.ui.lorebook.side import ExportView, ImportView
from familiar_app.ui.lorebook.transfer import FILE_FILTER, Found, export, export_losses, read_import, write_case
from familiar_app.ui.lorebook.trial import Run


class Exchange:
    """Works for one view, `owner`. Nothing is stored before the person has seen the report."""

    def __init__(self, owner: QWidget, model: LorebookModel, context: PanelContext, tasks: Tasks) -> None:
        self._owner, self._model, self._context, self._tasks = owner, model, context, tasks
        self._shown: ExportView | None = None

    async def choose(self) -> None:
        """Have a file chosen and show what it would bring."""
        path = await choose_file(self._owner.window(), tr("Import a lorebook"), filters=[tr(FILE_FILTER)])
        if path is not None:
            await self.import_file(path)

    async def import_file(self, path: Path) -> None:
        """Read a book and show what it would bring. Raises BadInputError, OutsideError."""
        found = await asyncio.to_thread(read_import, path)
        side = self._context.side_view
        here = len(self._model.book.entries)
        shown = ImportView(found, here, lambda replace_all: self._use(found, replace_all=replace_all), side.close_view)
        side.show_widget(tr("Import a lorebook"), shown)
        (shown.merge if shown.merge.isEnabled() else shown.report).setFocus()

    def _use(self, found: Found, *, replace_all: bool) -> None:
        self._context.side_view.close_view()
        step, count = self._model.bring_in(found.book, replace_all=replace_all)
        if step is None or (not count and not replace_all):
            self._context.tell(tr("All of it is here already."))
            return
        told = _imported(count, len(found.book.entries) - count)
        self._context.offer_undo(told, lambda: self._model.revert(step))

    async def show_formats(self) -> None:
        """Show the formats, and for the chosen one what does not survive."""
        made = ExportView(self._look, self._save_as)
        self._shown = made
        self._context.side_view.show_widget(tr("Export the lorebook"), made, closed=self._closed)
        made.formats.setFocus()
        self._look(made.format)

    def _closed(self) -> None:
        self._shown = None

    def _look(self, format_name: str) -> None:
        self._tasks.start(lambda: self._find_losses(format_name), name="lorebook.losses", replace=True)

    async def _find_losses(self, format_name: str) -> None:
        lines = await asyncio.to_thread(export_losses, self._model.book, format_name)
        if self._shown is not None:
            self._shown.show_losses(format_name, lines)

    def _save_as(self, format_name: str, ending: str) -> None:
        async def work() -> None:
            suggest = f"{self._model.book.name or 'lorebook'}{ending}"
            path = await choose_file(self._owner.window(), tr("Export the lorebook"), mode="save", suggest=suggest)
            if path is not None:
                await self.export_file(path if path.suffix else path.with_suffix(ending), format_name)

        self._tasks.start(work, name="lorebook.export_file")

    async def save_case(self, run: Run) -> None:
        """Have a file chosen and write what was tried out. Raises OutsideError."""
        path = await choose_file(self._owner.window(), tr("Save as a case"), mode="save", suggest="case.json")
        if path is not None:
            await self.write_case(path if path.suffix else path.with_suffix(".json"), run)

    async def write_case(self, path: Path, run: Run) -> None:
        """Write a case that `familiar lore test --case` repeats. Raises OutsideError."""
        await asyncio.to_thread(write_case, run, path, self._model.book.name)
        self._context.tell(tr("Saved as {file}.", file=path.name))

    async def export_file(self, path: Path, format_name: str) -> None:
        """Write the book to a file in another format. Raises UserError, OutsideError."""
        await asyncio.to_thread(export, self._model.book, path, format_name)
        self._context.side_view.close_view()
        self._context.tell(tr("Exported to {file}.", file=path.name))


def _imported(count: int, left: int) -> str:
    if not left:
        return ntr("{n} entry imported.", "{n} entries imported.", count)
    return ntr(
        "{n} entry imported; {left} were here already.",
        "{n} entries imported; {left} were here already.",
        count,
        left=left,
    )
