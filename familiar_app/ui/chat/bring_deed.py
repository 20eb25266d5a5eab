"""What the person does to bring in a chat of another program: a file, a look at it, the choices, and the report."""

from __future__ import annotations

import asyncio
from abc import abstractmethod
from collections.abc import Awaitable
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from familiar_app.domain.ids import ChannelId, ChannelKey, is_local, is_of_discord
from familiar_app.domain.text import tr
from familiar_app.interchange.turn_import import ImportReport
from familiar_app.ui.chat import bring_word
from familiar_app.ui.chat.bring_view import KEEP, NEW, BringQuestion, BringReport, Busy, Decided, Target
from familiar_app.ui.chat.bringing import Bringing, Choice, Seen
from familiar_app.ui.chat.cast import guessed
from familiar_app.ui.chat.channel_list import TITLE_CHARS, clean_title
from familiar_app.ui.kit.channel_title import channel_title
from familiar_app.ui.kit.dialog import choose_file, shown

if TYPE_CHECKING:
    from familiar_app.ui.chat.model import ChatModel
    from familiar_app.ui.chat.view import ChatView

T = TypeVar("T")


class BringDeeds:
    """The part of the deeds that brings in what was said elsewhere."""

    _view: ChatView
    _model: ChatModel

    @abstractmethod
    async def _open(self, channel: ChannelId) -> None: ...

    async def _bring_in(self) -> None:
        filters = [tr(one) for one in bring_word.FILTERS]
        path = await choose_file(self._view.window(), tr("Bring in a chat"), filters=filters)
        if path is not None:
            await self.bring_in(path)

    async def bring_in(self, path: Path) -> None:
        """Look into a file, ask, and store what is in it. Raises UserError, OutsideError."""
        model = self._model
        work = Bringing(model.vault, model.familiar, model.hosted.name, path, model.zone)
        seen = await self._looked_into(work)
        if seen is None:
            return
        question = self._question(seen, path)
        await shown(question)
        if question.chosen != "bring":
            return
        decided = question.decided
        choice = await self._choice(decided)
        try:
            report, done = await self._brought(work, choice)
        finally:
            # Also where it failed: what came before is there, maybe in a channel of its own.
            await model.channels.load()
        await self._tell_outcome(report, done, choice.channel)

    async def _looked_into(self, work: Bringing) -> Seen | None:
        busy = _Stoppable(self._view, tr("Looking into {file}", file=work.path.name), bring_word.looked(0))
        return await busy.through(work.look(lambda turns: busy.tell(None, bring_word.looked(turns))))

    def _question(self, seen: Seen, path: Path) -> BringQuestion:
        model = self._model
        return BringQuestion(
            self._view.window(),
            seen,
            bring_word.facts(seen, model.zone),
            guessed(seen.by_turns(), familiar=model.hosted.name, owner=model.owner_name),
            self._targets(seen),
            familiar=model.hosted.name,
            suggest=(next(iter(seen.channels.values())) or path.stem)[:TITLE_CHARS],
        )

    def _targets(self, seen: Seen) -> list[Target]:
        """Return where it may go: where the file says, into a new channel, or into one that is there."""
        after = tr("The messages are put behind those that are there.")
        channels = [one for one in self._model.channels.summaries if is_local(one.channel.key)]
        known = [Target(one.channel.key, channel_title(one.channel), after if one.turns else "") for one in channels]
        elsewhere = all(is_of_discord(key) for key in seen.channels)
        kept = Target(KEEP, _kept(seen), tr("It can be read here; one writes to it on Discord.") if elsewhere else "")
        return [kept, Target(NEW, tr("A new channel")), *known]

    async def _choice(self, decided: Decided) -> Choice:
        if decided.place == KEEP:
            return Choice(decided.cast)
        if decided.place == NEW:
            title = clean_title(decided.name)
            return Choice(decided.cast, await self._model.channels.free_key(title), title)
        return Choice(decided.cast, ChannelKey(decided.place))

    async def _brought(self, work: Bringing, choice: Choice) -> tuple[ImportReport | None, int]:
        """Return the report, None where the person stopped it, and how many messages were worked on."""
        busy = _Stoppable(self._view, tr("Bringing in {file}", file=work.path.name), bring_word.stored("read", 0, None))
        done = 0

        def progress(step: str, count: int, total: int | None) -> None:
            nonlocal done
            done = count if step == "stored" else 0
            busy.tell(count / total if total else None, bring_word.stored(step, count, total))

        return await busy.through(work.run(choice, progress)), done

    async def _tell_outcome(self, report: ImportReport | None, done: int, channel: ChannelKey | None) -> None:
        view, model = self._view, self._model
        keys = report.channels if report is not None else []
        wanted = channel or (keys[0] if keys else None)
        found = next((one for one in model.channels.summaries if one.channel.key == wanted), None)
        if report is None:
            lines, more = [bring_word.stopped(done)], []
        else:
            lines, more = list(bring_word.outcome(report)), list(bring_word.warnings(report.read))
        if done and (report is None or report.taken):
            lines.append(tr("It is remembered like what was said here once it has been read; Upkeep tells how far."))
        told = BringReport(view.window(), tr("Chat brought in"), lines, more, show=found is not None and done > 0)
        await shown(told)
        if found is not None and told.chosen == "show":
            await self._open(found.channel.id)
        elif model.open is not None and model.open.channel.key == wanted:
            await self._open(model.open.channel.id)


def _kept(seen: Seen) -> str:
    titles = [title for title in seen.channels.values() if title]
    if len(seen.channels) > 1:
        return tr("The {n} channels that the file names", n=len(seen.channels))
    if seen.format == "sillytavern-chat":
        return tr("A channel of its own ({name})", name=titles[0] if titles else seen.format)
    name = titles[0] if titles else next(iter(seen.channels)).partition(":")[2]
    return tr("The channel it is from ({name})", name=name)


class _Stoppable:
    """Work that the person can stop, with the dialog that tells how far it is."""

    def __init__(self, view: ChatView, title: str, text: str) -> None:
        self._task: asyncio.Future | None = None
        self._stopped = False
        self._busy = Busy(view.window(), title, text, self._stop)
        self._over = False

    def tell(self, share: float | None, text: str) -> None:
        """Show how far it is."""
        if not self._over:
            self._busy.bar.set_progress(share, text)

    async def through(self, work: Awaitable[T]) -> T | None:
        """Await the work; None where the person stopped it."""
        task = asyncio.ensure_future(work)
        self._task = task
        self._busy.begin()
        try:
            return await task
        except asyncio.CancelledError:
            if not self._stopped:
                raise
            return None
        finally:
            self._over = True
            self._busy.end()

    def _stop(self) -> None:
        self._stopped = True
        if self._task is not None:
            self._task.cancel()
