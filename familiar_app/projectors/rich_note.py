"""`rich_note`: reads the log in batches and notes facts, each with its sources, subjects and dates."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import timedelta
from typing import Any

from familiar_app.domain.alarm import ALARM_MODES
from familiar_app.domain.ids import PersonKey, is_unverified
from familiar_app.domain.note import NoteBatch, notes_of
from familiar_app.domain.projection import Watermark
from familiar_app.domain.turn import Role, Turn
from familiar_app.projectors.asking import Asked, ask_list, fitted, room_for
from familiar_app.projectors.belief import BeliefReplay
from familiar_app.projectors.confidence import confidences_of
from familiar_app.projectors.instruction import instruction
from familiar_app.projectors.line import machine_of, people_lines, turn_line
from familiar_app.projectors.noting import AGAIN, EDIT, FACTS, REST, RICH_NOTE, apply_notes
from familiar_app.projectors.port import IDLE, Desk, Progress, Tick
from familiar_app.projectors.private_name import names_of
from familiar_app.projectors.recording import NOTHING, Piece, position_of, record
from familiar_app.projectors.retiring import FACT_SUPERSEDE
from familiar_app.store.memory_writer import MemoryWriter

VERSION = 1
ACTIVITY_RETURN = "activity_return"
# What was saved on purpose is kept already, and is the familiar's own word.
MEMORY_TOOLS = frozenset(("memory_save", "memory_update"))
SCHEMA: Mapping[str, Any] = {
    "type": "array",
    "items": {
        "type": "object",
        "properties": {
            "text": {"type": "string"},
            "source_turn_ids": {"type": "array", "items": {"type": "integer"}},
            "subject_keys": {"type": "array", "items": {"type": "string"}},
            "valid_from": {"type": ["string", "null"]},
            "valid_to": {"type": ["string", "null"]},
            "importance": {"type": ["integer", "null"]},
        },
        "required": ["text", "source_turn_ids"],
        "additionalProperties": False,
    },
}


class RichNote:
    """Takes one batch a tick; a smaller rest is taken after a quiet time, or on `flush`."""

    name = RICH_NOTE

    def __init__(self, desk: Desk, beliefs: BeliefReplay) -> None:
        self._desk = desk
        self._beliefs = beliefs
        self._settings = desk.config.memory.rich_note

    @property
    def interval_s(self) -> float:
        return self._settings.tick_s

    async def tick(self, *, flush: bool) -> Tick:
        """Note one batch. Raises OutsideError; then nothing has moved."""
        replayed = await self._beliefs.bring_back()
        desk, size = self._desk, self._settings.batch_turns
        position = await position_of(desk, self.name)
        if await self._read_again(position):
            return Tick(worked=True, more=True)
        heard = await desk.vault.projections.heard_after(desk.familiar, position, limit=size)
        turns = (await confidences_of(desk)).first_stretch(heard)
        complete = len(heard) == size or len(turns) < len(heard)
        if not turns or (not complete and not flush and not self._is_quiet(turns)):
            return Tick(worked=bool(replayed)) if replayed else IDLE
        shown = [turn for turn in turns if not _is_passed_over(turn)]
        if shown:
            await self._note(Piece(self.name, VERSION, turns[0].id, turns[-1].id), position, turns, shown)
        else:
            await self._pass(turns[-1].id)
        return Tick(worked=True, more=complete)

    async def replay(self) -> None:
        await self._beliefs.bring_back()

    async def progress(self) -> Progress:
        desk = self._desk
        position = await position_of(desk, self.name)
        lag = await desk.vault.projections.count_heard(desk.familiar, after=position)
        return Progress(position or None, lag)

    def empty(self, writer: MemoryWriter, *, fresh: bool) -> None:
        """Take out every fact. With `fresh`, what was compared and told of the old facts is void as well."""
        familiar = self._desk.familiar
        writer.empty("facts", familiar)
        writer.empty("retirements", familiar)
        if fresh:
            now = self._desk.clock.now()
            for projector in (RICH_NOTE, FACT_SUPERSEDE, "people_dossier"):
                writer.void_answers(projector, familiar, now)
                writer.forget_watermarks(projector, familiar)
            writer.forget_compared(familiar)
            writer.empty("people_dossiers", familiar)
        self._beliefs.forget()

    def _is_quiet(self, turns: Sequence[Turn]) -> bool:
        quiet = timedelta(seconds=self._settings.quiet_s)
        return self._desk.clock.now() - max(turn.arrived_at for turn in turns) >= quiet

    async def _read_again(self, position: int) -> bool:
        """Read the first turn again that was edited after it had been read. False where there is none."""
        before = await position_of(self._desk, self.name, AGAIN)
        for edit in await self._desk.vault.projections.reworded(self._desk.familiar, after=before):
            if edit.id > position:
                # It comes with its batch.
                return False
            if edit.turn is not None and not edit.read and not _is_passed_over(edit.turn):
                piece = Piece(self.name, VERSION, edit.id, edit.id, AGAIN)
                more = {EDIT: edit.act, REST: True} if edit.rest else {EDIT: edit.act}
                await self._note(piece, before, [edit.turn], [edit.turn], more)
                return True
            before = edit.act
            await self._pass(before, AGAIN)
        return False

    async def _note(
        self,
        piece: Piece,
        before: int,
        turns: Sequence[Turn],
        shown: Sequence[Turn],
        more: Mapping[str, Any] = NOTHING,
    ) -> None:
        desk = self._desk
        own = frozenset(turn.id for turn in shown if _is_own(turn, desk))
        private = frozenset(await desk.vault.privacy.levels())
        people = await self._people(turns, shown)
        names = await names_of(desk, private - people.keys())
        machines = {turn.id: key for turn in shown if turn.id not in own and (key := machine_of(turn)) is not None}
        batch = NoteBatch(desk.familiar, tuple(turn.id for turn in shown), own, people, private, names, machines)
        asked = await self._ask(shown, batch)
        rejected = notes_of(asked.value, batch, RICH_NOTE).rejected
        shown_as = {turn.id: turn.revision for turn in shown}
        await record(
            desk,
            piece,
            asked,
            apply_notes,
            before=before,
            basis={**batch.as_basis(), **more},
            rejected=rejected,
            # Where a turn was edited meanwhile, the model is asked again about the newer words.
            still=lambda writer: writer.wordings(shown_as) == shown_as,
        )

    async def _pass(self, position: int, scope: str = "") -> None:
        """Move behind what is not shown to a model at all."""
        mark = Watermark(self.name, self._desk.familiar, position, FACTS, self._desk.clock.now(), scope)
        await self._desk.vault.projections.write(lambda writer: writer.set_watermark(mark))

    async def _ask(self, shown: Sequence[Turn], batch: NoteBatch) -> Asked:
        desk = self._desk
        system = instruction(RICH_NOTE, char=desk.char, ego=batch.ego)
        people = people_lines(batch.people)
        room = await room_for(desk, system, people)
        lines = await fitted(desk, [turn_line(turn, batch.people, desk.ego) for turn in shown], room)
        user = instruction(f"{RICH_NOTE}_input", people=people, turns="\n".join(lines))
        return await ask_list(desk, self.name, system, user, SCHEMA)

    async def _people(self, turns: Sequence[Turn], shown: Sequence[Turn]) -> dict[PersonKey, str]:
        """Return the manifest: who speaks in the batch, who spoke there lately, and the familiar itself."""
        desk = self._desk
        channels = {turn.channel: turn.guild for turn in turns}
        keys = dict.fromkeys(turn.author.key for turn in shown if turn.author is not None)
        most = self._settings.manifest_people
        recent = await desk.vault.projections.recent_speakers(channels, until=turns[-1].id, limit=most + len(keys))
        # A mere name is nobody: nothing can be known about whoever speaks under it.
        known = [key for key in dict.fromkeys((*keys, *recent)) if not is_unverified(key)]
        others = [key for key in known if key != desk.ego][:most]
        guild = next((guild for guild in channels.values() if guild is not None), None)
        names = {key: await desk.vault.people.label(key, guild=guild) for key in others}
        return {**names, desk.ego: desk.char}


def _is_passed_over(turn: Turn) -> bool:
    """Tell whether nothing is ever learned from a turn."""
    tool = turn.role is Role.TOOL and turn.mode in MEMORY_TOOLS
    return tool or turn.mode == ACTIVITY_RETURN or turn.mode in ALARM_MODES


def _is_own(turn: Turn, desk: Desk) -> bool:
    """Tell whether a turn is the familiar's own word: what it said, and what its tools brought it."""
    if turn.role is Role.TOOL:
        return turn.familiar in (None, desk.familiar)
    if turn.author is not None and turn.author.key == desk.ego:
        return True
    return turn.role is Role.ASSISTANT and turn.familiar in (None, desk.familiar)
