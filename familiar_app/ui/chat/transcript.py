"""The open channel as the transcript shows it: the held turns as rows, with what is being written and what went wrong.

Holds no widget. Reading goes page by page through `Window`; writing goes straight to the vault and is shown after it
is stored.
"""

from __future__ import annotations

from datetime import date, datetime, time, tzinfo

from familiar_app.domain.clock import Clock, local_time
from familiar_app.domain.ids import OWNER, TurnId, is_local
from familiar_app.domain.saved_memory.notice import Visibility
from familiar_app.domain.text import tr
from familiar_app.domain.turn import Channel, Role, Turn
from familiar_app.store.vault import Vault
from familiar_app.ui.chat.calendar import Calendar
from familiar_app.ui.chat.memory_note import MemoryNote, is_note, note_of
from familiar_app.ui.chat.reply import LiveReply
from familiar_app.ui.chat.row import Row, RowKey, build_rows, turn_key
from familiar_app.ui.chat.window import Window

MOST_UNREAD = 2000


class Transcript:
    """One open channel. `rows` is rebuilt by `arrange`; `unread_from` is the turn above which the mark stands."""

    def __init__(self, vault: Vault, channel: Channel, *, clock: Clock, zone: tzinfo, familiar_name: str) -> None:
        self._vault = vault
        self._clock = clock
        self.channel = channel
        self.zone = zone
        self.familiar_name = familiar_name
        self.window = Window(vault.turns, channel.id)
        self.calendar = Calendar()
        self.unread_from: TurnId | None = None
        self.notices: Visibility = "minimal"
        self.taken_back: set[TurnId] = set()
        self.rows: list[Row] = []
        self.newer = 0

    async def open(self, *, unread: int = 0, at: TurnId | None = None) -> RowKey | None:
        """Read the first page: at a turn, at the first unread one, else at the end. Returns the row to show on top."""
        if at is not None and await self.window.open_at(at):
            return self.key_of(at)
        await self.window.open_end()
        if unread > 0:
            self.unread_from = await self._first_unread(unread)
            if self.unread_from is not None:
                if self.window.find(self.unread_from) is None:
                    await self.window.open_at(self.unread_from)
                return ("unread", "mark")
        return None

    async def _first_unread(self, unread: int) -> TurnId | None:
        """Walk back from the end; None where more wait than anybody wants to scroll through."""
        if unread > MOST_UNREAD:
            return None
        held = self.window.turns
        if unread <= len(held):
            return held[-unread].id
        missing, first = unread - len(held), held[0].id if held else None
        while missing > 0 and first is not None:
            older = await self._vault.turns.page(self.channel.id, before=first, limit=min(200, missing))
            if not older:
                break
            first, missing = older[0].id, missing - len(older)
        return first

    async def load_days(self) -> None:
        """Read the days of the channel, for marks and for going to a date."""
        self.calendar.fill(await self._vault.turns.days(self.channel.id, zone=str(getattr(self.zone, "key", "UTC"))))

    async def go_to(self, turn: TurnId) -> RowKey | None:
        """Hold the surroundings of a turn and return its row; None where it is not to be seen."""
        if self.window.find(turn) is None and not await self.window.open_at(turn):
            return None
        return self.key_of(turn)

    async def go_to_place(self, place: float) -> RowKey | None:
        """Hold what lies at a place of the channel (0 its beginning, 1 its end)."""
        if place >= 1.0:
            await self.window.open_end()
            return None
        near = self.calendar.near(place, newest=self.newest)
        if near is None:
            return None
        found = await self._vault.turns.page(self.channel.id, after=TurnId(near - 1), limit=1)
        return await self.go_to(found[0].id) if found else None

    async def go_to_day(self, day: date) -> RowKey | None:
        """Hold the first turn of a day, or the next one after it."""
        found = await self._vault.turns.first_at(self.channel.id, datetime.combine(day, time(), self.zone))
        return await self.go_to(found) if found is not None else None

    async def refresh(self) -> int:
        """Take in turns that were stored elsewhere; returns how many are new here."""
        if not self.window.at_end:
            return 0
        if not self.window.turns:
            await self.window.open_end()
            return len(self.window.turns)
        before, missed = self.window.turns[-1].id, await self.window.missed()
        while await self.window.more_after() and not self.window.at_end:
            pass
        return max(sum(turn.id > before for turn in self.window.turns), missed)

    def heard(self, turn: Turn) -> None:
        """Show a turn that was just stored; where the end is not held, count it as waiting below."""
        if turn.active and turn.alternatives == 1:
            self.calendar.add(turn.id, local_time(turn.at, self.zone).date())
        if not self.window.append(turn):
            self.newer += 1

    @property
    def newest(self) -> TurnId | None:
        """Return the newest turn that is held."""
        return self.window.turns[-1].id if self.window.turns else None

    def key_of(self, turn: TurnId) -> RowKey | None:
        """Return the row that shows a held turn."""
        found = self.window.find(turn)
        return turn_key(found) if found else None

    def row(self, key: RowKey) -> Row | None:
        """Return a row by its key."""
        return next((row for row in self.rows if row.key == key), None)

    def last_turn(self) -> Turn | None:
        """Return the last turn of the channel that somebody said, where the end is held."""
        said = (one for one in reversed(self.window.turns) if not is_note(one))
        return next(said, None) if self.window.at_end else None

    def note_of(self, turn: Turn) -> MemoryNote | None:
        """Return the line about what a memory tool did."""
        return note_of(turn, self.notices, char=self.familiar_name)

    def last_own(self) -> Turn | None:
        """Return the owner's newest turn that is held."""
        own = (one for one in reversed(self.window.turns) if one.author and one.author.key == OWNER)
        return next((one for one in own if not one.deleted), None)

    def last_answer(self) -> Turn | None:
        """Return the familiar's answer at the end of the channel."""
        last = self.last_turn()
        return last if last is not None and last.role is Role.ASSISTANT else None

    def is_greeting(self, turn: Turn | None) -> bool:
        """Tell whether a turn opens a conversation that nobody has answered yet."""
        alone = len(self.window.turns) == 1 and self.window.at_start and self.window.at_end
        return turn is not None and alone and turn.role is Role.ASSISTANT and turn.answers is None

    def arrange(self, reply: LiveReply | None) -> None:
        """Build the rows anew."""
        rows = build_rows(
            self.window.turns,
            zone=self.zone,
            today=local_time(self._clock.now(), self.zone).date(),
            familiar_name=self.familiar_name,
            owner_key=OWNER,
            unread_from=self.unread_from,
            at_end=self.window.at_end,
            note=self.note_of,
            taken_back=self.taken_back,
        )
        if self.window.at_end:
            self._add_reply(rows, reply)
        self.rows = rows

    def _add_reply(self, rows: list[Row], reply: LiveReply | None) -> None:
        if reply is not None and (not reply.over or reply.state == "failed"):
            self._add_live(rows, reply)
        elif reply is not None and reply.state == "silent":
            label = reply.why_silent or tr("{name} chose to say nothing.", name=self.familiar_name)
            rows.append(Row(("silent", 0), "silent", ("silent", label), label=label))
        elif self._waits(rows) and (reply is None or reply.state == "stopped"):
            rows.append(Row(("unanswered", 0), "unanswered", ("unanswered",), label=tr("This has no answer yet.")))

    def _waits(self, rows: list[Row]) -> bool:
        """Tell whether the owner said the last word in a channel of the window."""
        said = next((row for row in reversed(rows) if row.kind != "memory"), None)
        return said is not None and said.own and is_local(self.channel.key)

    def grow(self, reply: LiveReply) -> None:
        """Show more text of the reply, without touching any other row."""
        if self.rows and self.rows[-1].kind == "live" and self.rows[-1].key == reply.key:
            self.rows[-1] = self._live_row(reply)
        else:
            self.arrange(reply)

    def _live_row(self, reply: LiveReply) -> Row:
        version = (id(reply), len(reply.text), reply.state)
        return Row(reply.key, "live", version, text=reply.text, name=self.familiar_name, head=True)

    def _add_live(self, rows: list[Row], reply: LiveReply) -> None:
        key = reply.key
        if reply.state == "failed":
            error = reply.error
            rows.append(
                Row(
                    ("failure", 0),
                    "failure",
                    (id(reply),),
                    label=error.message if error else tr("The reply failed."),
                    next_step=error.next_step if error else "",
                    retryable=True,
                )
            )
            return
        if reply.answers is None:
            return
        rows[:] = [row for row in rows if row.key != key]
        rows.append(self._live_row(reply))


def holds_whole_channel(window: Window) -> bool:
    """Tell whether a slice is the whole channel, so that its pixels are the channel's."""
    return window.at_start and window.at_end
