"""What goes on behind a lorebook's view, each in its time: reading, saving, testing, counting, looking for oddities."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QWidget

from familiar_app.ui.kit.task import ShowError, Tasks
from familiar_app.ui.lorebook.inspection import Inspection
from familiar_app.ui.lorebook.model import LorebookModel
from familiar_app.ui.lorebook.tester import TrialModel

SAVE_AFTER_MS = 300
TEST_AFTER_MS = 60
TEST_AFTER_EDIT_MS = 250
COUNT_AFTER_MS = 400
LINT_AFTER_MS = 300
FIND_AFTER_MS = 300
LOOK_EVERY_MS = 1500
RECOUNT_EVERY_MS = 4000
Find = Callable[[], Awaitable[None]]


class BookWork:
    """Works for one view, `owner`. `show_save_error` shows what kept a change out of the file."""

    def __init__(
        self,
        owner: QWidget,
        model: LorebookModel,
        tester: TrialModel,
        inspection: Inspection,
        tasks: Tasks,
        show_save_error: ShowError,
    ) -> None:
        self._owner, self.model, self.tester, self.inspection, self.tasks = owner, model, tester, inspection, tasks
        self._show_save_error = show_save_error
        self.find: Find | None = None
        """Looks for what is searched in the other lorebooks."""
        self.renamed: Callable[[str, str], Awaitable[None]] | None = None
        """Hears the old and the new name, once the file has it."""
        self.known: Callable[[], object] = lambda: None
        """Hears, some time after an edit, that other entries may be there."""
        self._named = ""
        self._timers: list[QTimer] = []
        self.save_soon = self._timer(SAVE_AFTER_MS, self.save)
        self._test_soon = self._timer(TEST_AFTER_MS, self.test)
        self._count_soon = self._timer(COUNT_AFTER_MS, self.count_tokens)
        self.find_soon = self._timer(FIND_AFTER_MS, self.find_elsewhere)
        self.inspect_soon = self._timer(LINT_AFTER_MS, self.inspect)
        self._look = self._timer(LOOK_EVERY_MS, self.look_at_file, repeat=True)
        self._recount = self._timer(RECOUNT_EVERY_MS, self._count_seen, repeat=True)
        model.wants_save = self.save_soon.start

    def _timer(self, after_ms: int, run: Callable[[], object], *, repeat: bool = False) -> QTimer:
        timer = QTimer(self._owner)
        timer.setSingleShot(not repeat)
        timer.setInterval(after_ms)
        timer.timeout.connect(run)
        self._timers.append(timer)
        return timer

    async def load(self) -> None:
        """Read the file, and begin to watch it. Raises BadInputError, OutsideError."""
        await self.model.load()
        self._named = self.model.base.name
        self._look.start()
        self._recount.start()
        self.count_tokens()
        self.test_soon()
        self.inspect()
        self.count_uses()

    def edited(self) -> None:
        """Something was changed: all that follows from it comes once typing pauses."""
        self._count_soon.start()
        self.inspect_soon.start()
        self._test_soon.start(TEST_AFTER_EDIT_MS)

    def save(self) -> None:
        """Bring the file up to date now."""
        self.tasks.start(self._save, name="lorebook.save", show_error=self._show_save_error)

    async def _save(self) -> None:
        await self.model.save()
        name = self.model.base.name
        if name != self._named and not self.model.unsaved:
            old, self._named = self._named, name
            if self.renamed is not None:
                await self.renamed(old, name)

    def look_at_file(self) -> None:
        """Look whether somebody else changed the file; only while the panel is seen."""
        if self._owner.isVisible() and self.model.loaded:
            self.tasks.start(self.model.check_file, name="lorebook.look")

    def test_soon(self) -> None:
        """Test once typing pauses."""
        self._test_soon.start(TEST_AFTER_MS)

    def test(self) -> None:
        """Test now."""
        if self.model.loaded:
            self.tasks.start(self._test, name="lorebook.test", replace=True)

    async def _test(self) -> None:
        await self.tester.run(self.model.book, self.model.entry(self.model.current))

    def count_tokens(self) -> None:
        """Have the model count what it has not counted yet."""
        self.tasks.start(lambda: self.tester.count(self.model.book.entries), name="lorebook.count", replace=True)

    def inspect(self) -> None:
        """Look for what is odd about the entries."""
        self.known()
        if self.model.loaded:
            self.tasks.start(self.inspection.look, name="lorebook.lint", replace=True)

    def inspect_anew(self) -> None:
        """Look at every entry anew, soon, since tokens or settings are others now."""
        self.inspection.forget()
        self.inspect_soon.start()

    def count_uses(self) -> None:
        """Read how often the entries stood in a prompt."""
        if self.model.loaded:
            self.tasks.start(self.inspection.count_uses, name="lorebook.uses", replace=True)

    def _count_seen(self) -> None:
        """Count anew while the panel is seen: another channel may be answered meanwhile."""
        if self._owner.isVisible():
            self.count_uses()

    def find_elsewhere(self) -> None:
        """Look for what is searched in the other lorebooks too."""
        if self.find is not None:
            self.tasks.start(self.find, name="lorebook.elsewhere", replace=True)

    def let_go(self) -> None:
        """End what runs; the file is not there any more."""
        self._stop_timers()
        self.tasks.cancel_soon()

    async def close(self) -> None:
        """End what runs, and wait for it."""
        self._stop_timers()
        await self.tasks.cancel()
        # What was ending may have begun to wait for something again.
        self._stop_timers()

    def _stop_timers(self) -> None:
        for timer in self._timers:
            timer.stop()
