"""Random lives of saved memories against a naive model: limits, ownership, lineages, privacy, rebuilds."""

from __future__ import annotations

import asyncio
import tempfile
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from familiar_app.domain.clock import FixedClock
from familiar_app.domain.errors import BadInputError, UserError
from familiar_app.domain.ids import OWNER, ChannelKey, Lineage
from familiar_app.domain.privacy import PrivacyLevel
from familiar_app.domain.saved_memory.keeper import Keeper, Wording
from familiar_app.domain.saved_memory.memory import GLOBAL_LINEAGE, MemoryId, MemoryPlace, Scope
from familiar_app.domain.turn import Author, NewTurn, Role
from familiar_app.store.keys import new_recovery_code
from familiar_app.store.saved_memory import MemoryQuestion
from familiar_app.store.vault import Vault
from tests.unit.conversation.memory_stage import ANN, BEN, LINEAGE, MIRA, NOON, LetterEmbedder, Stage, make_config
from tests.unit.store.vault_maker import CHEAP, PASSPHRASE

LIMIT = 2
DAYS = 5
OTHER = Lineage("other-lineage")
SERVERS = ("discord:100", "discord:200")
PEOPLE = {"Ann": ANN, "Ben": BEN}
# What is said, as it is stored, and under what it counts as the same.
TEXTS = {
    "tea": ("tea", "tea"),
    " Tea. ": ("Tea.", "tea"),
    "{user} sings": ("{user} sings", "{user} sings"),
    "{foo} sings": ("foo sings", "foo sings"),
    "Ben swims": ("Ben swims", "ben swims"),
    "milk": ("milk", "milk"),
    "x" * 1001: (None, None),
}
TABLES = ("saved_memories", "saved_memory_states", "person_privacy")
texts = st.sampled_from(sorted(TEXTS))
lineages = st.sampled_from([LINEAGE, OTHER])
targets = st.sampled_from([*SERVERS, *PEOPLE])
numbers = st.integers(0, 30)


@dataclass
class Row:
    """A memory as the model has it."""

    id: int
    scope: str
    owner: str
    lineage: str
    content: str
    same: str
    created: datetime
    tags: tuple[str, ...] = ()
    manual: bool = False
    used: datetime | None = None
    gone: bool = False

    @property
    def place(self) -> tuple[str, str, str]:
        return self.scope, self.owner, self.lineage


class Life(RuleBasedStateMachine):
    """Does things to a vault and to the model."""

    @initialize()
    def begin(self) -> None:
        self.runner = asyncio.Runner()
        self.folder = tempfile.TemporaryDirectory()
        clock = FixedClock(NOON)
        path = Path(self.folder.name) / "vault.db"
        vault = self.run(Vault.create(path, PASSPHRASE, recovery_code=new_recovery_code(), clock=clock, cost=CHEAP))
        self.stage = Stage(
            vault, clock, make_config(max_server=LIMIT, max_personal=LIMIT, decay_enabled=True, decay_days=DAYS)
        )
        self.stage.embedder = LetterEmbedder()
        self.rows: list[Row] = []
        self.levels: dict[str, PrivacyLevel] = {}
        self.run(self._introduce())

    async def _introduce(self) -> None:
        channel = await self.stage.vault.channels.ensure(ChannelKey("discord:10"), familiar=MIRA, guild=SERVERS[0])
        for name, person in PEOPLE.items():
            assert person.key is not None
            await self.stage.vault.turns.append(
                NewTurn(channel.id, Role.USER, "Hello", NOON, Author(person.key, name, person.username))
            )

    def teardown(self) -> None:
        if hasattr(self, "runner"):
            self.run(self.stage.vault.close())
            self.runner.close()
            self.folder.cleanup()

    def run(self, coroutine: Any) -> Any:
        return self.runner.run(coroutine)

    # What the tools do.

    @rule(text=texts, whom=targets, lineage=lineages)
    def save(self, text: str, whom: str, lineage: Lineage) -> None:
        result = self.run(self._save(text, whom, lineage))
        assert result.status.removeprefix("memory_").removeprefix("save_failed_") == self._model_save(
            text, whom, lineage
        )

    async def _save(self, text: str, whom: str, lineage: Lineage) -> Any:
        if whom in PEOPLE:
            return await self.stage.save(text, whom, lineage=lineage)
        return await self.stage.save(text, server=whom, guild=whom, channel=None, lineage=lineage)

    def _model_save(self, text: str, whom: str, lineage: Lineage) -> str:
        content, same = TEXTS[text]
        if content is None or same is None:
            return "invalid_content"
        scope, owner = _place(whom)
        if self._refused(scope, owner, content):
            return "privacy_restricted"
        for row in self._active((scope, owner, lineage)):
            if row.same == same:
                row.used = self.now
                return "already_saved"
        new = Row(len(self.rows) + 1, scope, owner, lineage, content, same, self.now)
        if self._load(scope, owner, lineage) < LIMIT:
            self.rows.append(new)
            return "saved_successfully"
        victims = [
            row
            for row in self._active((scope, owner, lineage))
            if not row.manual and self.now - (row.used or row.created) > timedelta(days=DAYS)
        ]
        if not victims or self.stage.embedder is None or self.stage.embedder.fails:
            return "limit_exceeded"
        never = [row for row in victims if row.used is None]
        pool = sorted(never, key=lambda row: (row.created, row.id)) or sorted(
            victims, key=lambda row: (row.used, row.created, row.id)
        )
        pool[0].gone = True
        self.rows.append(new)
        return "saved_with_eviction"

    @rule(number=numbers, text=st.one_of(texts, st.just("  ")), whom=targets, lineage=lineages)
    def update(self, number: int, text: str, whom: str, lineage: Lineage) -> None:
        number = self._number(number)
        if number % 3 and number <= len(self.rows):
            # Mostly as it is meant: with the owner that the memory has.
            row = self.rows[number - 1]
            whom = next((name for name, one in PEOPLE.items() if one.key == row.owner), row.owner)
            lineage = lineage if row.lineage == "0" else Lineage(row.lineage)
        if whom in PEOPLE:
            result = self.run(self.stage.update(number, text, whom, lineage=lineage))
        else:
            result = self.run(self.stage.update(number, text, server=whom, channel=None, lineage=lineage))
        end = result.status.removeprefix("memory_").removeprefix("update_failed_")
        assert end == self._model_update(number, text, whom, lineage)

    def _model_update(self, number: int, text: str, whom: str, lineage: Lineage) -> str:
        content, same = ("", "") if not text.strip() else TEXTS[text]
        if content is None or same is None:
            return "invalid_content"
        scope, owner = _place(whom)
        if content and self._refused(scope, owner, content):
            return "privacy_restricted"
        allowed = {(scope, owner, lineage)} | ({(scope, owner, "0")} if scope == "personal" else set())
        row = next((row for row in self.rows if row.id == number and not row.gone and row.place in allowed), None)
        if row is None:
            return "not_found"
        if not content:
            row.gone = True
            return "deleted_successfully"
        row.content, row.same, row.used = content, same, self.now
        return "updated_successfully"

    # What people do.

    @rule(text=texts, whom=targets, everywhere=st.booleans(), tags=st.sampled_from([(), ("sea",)]))
    def add(self, text: str, whom: str, everywhere: bool, tags: tuple[str, ...]) -> None:
        scope, owner = _place(whom)
        lineage = "0" if everywhere else LINEAGE
        done = self._try(
            self.stage.vault.saved_memories.add(self.keeper, _wording(text, (scope, owner, lineage), tags), by=OWNER)
        )
        content, same = TEXTS[text]
        if (
            content is None
            or same is None
            or self._refused(scope, owner, content)
            or (everywhere and scope == "server")
        ):
            assert not done
            return
        known = next((row for row in self._active((scope, owner, lineage)) if row.same == same), None)
        if known is not None:
            known.manual, known.used = True, self.now
            known.tags = tuple(dict.fromkeys((*known.tags, *tags)))
            assert done
            return
        fits = self._load(scope, owner, lineage) < LIMIT
        if fits:
            self.rows.append(Row(len(self.rows) + 1, scope, owner, lineage, content, same, self.now, tags, manual=True))
        assert done == fits

    @rule(number=numbers, text=st.one_of(st.none(), texts))
    def edit(self, number: int, text: str | None) -> None:
        number = self._number(number)
        done = self._try(self.stage.vault.saved_memories.edit(self.keeper, MemoryId(number), by=OWNER, content=text))
        row = self._mine(number, gone=False)
        content, same = (None, None) if text is None else TEXTS[text]
        shown = content if text is not None else (row.content if row else None)
        if row is None or shown is None or self._refused(row.scope, row.owner, shown):
            assert not done
            return
        if content is not None and same is not None:
            row.content, row.same = content, same
        row.manual, row.used = True, self.now
        assert done

    @rule(number=numbers, on=st.booleans())
    def protect(self, number: int, on: bool) -> None:
        number = self._number(number)
        done = self._try(self.stage.vault.saved_memories.protect(self.keeper, MemoryId(number), on, by=OWNER))
        row = self._mine(number, gone=False)
        if row is not None:
            row.manual = on
        assert done == (row is not None)

    @rule(number=numbers)
    def retire(self, number: int) -> None:
        number = self._number(number)
        done = self._try(self.stage.vault.saved_memories.retire(self.keeper, MemoryId(number), by=OWNER))
        row = self._mine(number, gone=False)
        if row is not None:
            row.gone = True
        assert done == (row is not None)

    @rule(number=numbers)
    def restore(self, number: int) -> None:
        number = self._number(number)
        done = self._try(self.stage.vault.saved_memories.restore(self.keeper, MemoryId(number), by=OWNER))
        row = self._mine(number, gone=True)
        allowed = row is not None and not self._refused(row.scope, row.owner, row.content)
        fits = allowed and row is not None and self._load(*row.place) < LIMIT
        if fits and row is not None:
            row.gone = False
        assert done == fits

    @rule(number=numbers, whom=targets, everywhere=st.booleans())
    def move(self, number: int, whom: str, everywhere: bool) -> None:
        number = self._number(number)
        scope, owner = _place(whom)
        lineage = "0" if everywhere else LINEAGE
        place = MemoryPlace(Scope(scope), owner, Lineage(lineage))
        done = self._try(self.stage.vault.saved_memories.move(self.keeper, MemoryId(number), place, by=OWNER))
        row = self._mine(number, gone=False)
        if row is not None and row.place == (scope, owner, lineage):
            assert done
            return
        if row is None or self._refused(scope, owner, row.content) or (everywhere and scope == "server"):
            assert not done
            return
        fits = self._load(scope, owner, lineage, without=row) < LIMIT
        if fits:
            row.scope, row.owner, row.lineage, row.manual, row.used = scope, owner, lineage, True, self.now
        assert done == fits

    @rule(items=st.lists(texts, min_size=1, max_size=4), whom=targets, replacing=st.booleans())
    def bring_in(self, items: list[str], whom: str, replacing: bool) -> None:
        scope, owner = _place(whom)
        place = (scope, owner, str(LINEAGE))
        wordings = [_wording(text, place) for text in items]
        done = self._try(self.stage.vault.saved_memories.bring_in(self.keeper, wordings, replace=replacing, by=OWNER))
        chosen = [TEXTS[text] for text in items]
        if any(content is None or self._refused(scope, owner, content) for content, _ in chosen):
            assert not done
            return
        present = self._active(place)
        gone = present if replacing else []
        known = set() if replacing else {(row.same, row.tags) for row in present}
        fresh = {same: content for content, same in reversed(chosen) if (same, ()) not in known}
        fits = self._load(*place) - len(gone) + len(fresh) <= LIMIT
        assert done == (fits or not fresh)
        if not done:
            return
        for row in gone:
            row.gone = True
        for same in dict.fromkeys(same for _, same in chosen if same in fresh):
            assert same is not None
            content = fresh[same]
            assert content is not None
            self.rows.append(Row(len(self.rows) + 1, *place, content, same, self.now))

    # What happens around.

    @rule(name=st.sampled_from(sorted(PEOPLE)), level=st.sampled_from(list(PrivacyLevel)))
    def set_privacy(self, name: str, level: PrivacyLevel) -> None:
        self.run(self.stage.private(PEOPLE[name], level))
        self.levels[str(PEOPLE[name].key)] = level

    @rule(hours=st.sampled_from([-30, 1, 50, 200]))
    def jump(self, hours: int) -> None:
        self.stage.wait(hours=hours)

    @rule(fails=st.booleans())
    def embedder(self, fails: bool) -> None:
        assert self.stage.embedder is not None
        self.stage.embedder.fails = fails

    @rule(
        how=st.sampled_from(["saved_memories", "saved_memory_states", "person_privacy", "watermarks"]),
        leave=st.booleans(),
    )
    def rebuild(self, how: str, leave: bool) -> None:
        before = self.run(self.stage.dump(*TABLES))
        self.run(self.stage.sql(f"DELETE FROM {how}"))
        if not leave or how != "saved_memories":
            self.run(self.stage.vault.saved_memories.bring_back())
        else:
            # A write brings back what is missing first, also one that is refused.
            self.run(self.stage.vault.saved_memories.reinforce(MIRA, ChannelKey("local:main"), []))
        assert self.run(self.stage.dump(*TABLES)) == before

    # What always holds.

    @invariant()
    def agrees(self) -> None:
        if not hasattr(self, "stage"):
            return
        found: dict[int, Any] = {}
        for lineage in (LINEAGE, OTHER):
            listed = self.run(
                self.stage.vault.saved_memories.list(
                    MemoryQuestion(lineage, include_retired=True, include_private=True)
                )
            )
            assert all(one.place.lineage in (lineage, GLOBAL_LINEAGE) for one in listed)
            found.update({one.id: one for one in listed})
        assert len(found) == len(self.rows)
        for row in self.rows:
            one = found[row.id]
            assert (one.place.scope, one.place.owner, one.place.lineage) == row.place
            assert (one.content, one.tags, one.manually_written) == (row.content, row.tags, row.manual)
            assert (one.created_at, one.last_reinforced_at, one.active) == (row.created, row.used, not row.gone)
        for row in self.rows:
            assert self._load(*row.place) <= LIMIT

    @property
    def now(self) -> datetime:
        return self.stage.clock.now()

    @property
    def keeper(self) -> Keeper:
        return self.stage.keeper

    def _number(self, number: int) -> int:
        """Return the number of a memory, or now and then of none."""
        return 1 + number % (len(self.rows) + 1)

    def _try(self, doing: Any) -> bool:
        try:
            self.run(doing)
        except (UserError, BadInputError):
            return False
        return True

    def _active(self, place: tuple[str, str, str]) -> list[Row]:
        return [row for row in self.rows if row.place == place and not row.gone]

    def _load(self, scope: str, owner: str, lineage: str, without: Row | None = None) -> int:
        rows = [r for r in self.rows if (r.scope, r.owner) == (scope, owner) and not r.gone and r is not without]
        own = sum(row.lineage == lineage for row in rows)
        if scope == "server":
            return own
        shared = sum(row.lineage == "0" for row in rows)
        if lineage != "0":
            return own + shared
        return shared + max(sum(row.lineage == one for row in rows) for one in (LINEAGE, OTHER))

    def _mine(self, number: int, *, gone: bool) -> Row | None:
        return next(
            (row for row in self.rows if row.id == number and row.gone == gone and row.lineage in (LINEAGE, "0")), None
        )

    def _refused(self, scope: str, owner: str, content: str) -> bool:
        private = {key for key, level in self.levels.items() if level is not PrivacyLevel.NONE}
        if scope == "personal":
            return owner in private
        return content == "Ben swims" and str(BEN.key) in private


def _place(whom: str) -> tuple[str, str]:
    return ("personal", str(PEOPLE[whom].key)) if whom in PEOPLE else ("server", whom)


def _wording(text: str, place: tuple[str, str, str], tags: tuple[str, ...] = ()) -> Wording:
    scope, owner, lineage = place
    return Wording(MemoryPlace(Scope(scope), owner, Lineage(lineage)), text, tags)


TestLife = pytest.mark.slow(Life.TestCase)
TestLife.settings = settings(
    max_examples=25, stateful_step_count=30, deadline=None, suppress_health_check=list(HealthCheck)
)
