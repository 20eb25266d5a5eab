"""Lorebooks in the prompt: what comes in, where it stands, what stays, and what the trace tells."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from familiar_app.context.assembler import PromptRequest
from familiar_app.context.lore_shelf import LoreShelf
from familiar_app.domain.ids import ChannelId, ChannelKey, FamiliarId
from familiar_app.domain.lorebook.entry import BoundBooks, LoreBook, LoreEntry, LoreRole, Position
from familiar_app.domain.lorebook.timer import Timers
from tests.doubles.talk import ANN, GENERAL, LOCAL, FakeModel

HERE = PromptRequest(LOCAL)
DRAGON = LoreEntry(uid=0, keys=("dragon",), content="Dragons fear {{char}}, not {{User}}.{{// a note}}")
ELF = LoreEntry(uid=1, keys=("elf",), content="Elves sing.", order=200)


class FakeLorebooks:
    """One book that tests exchange."""

    def __init__(self, *entries: LoreEntry, **settings: Any) -> None:
        self.put(*entries, **settings)
        self.channels: list[ChannelKey] = []

    def put(self, *entries: LoreEntry, **settings: Any) -> None:
        self.book = LoreBook(name="north", entries=entries, **settings)
        self.revision = repr(self.book)

    async def read(self, channel: ChannelKey) -> LoreShelf:
        self.channels.append(channel)
        return LoreShelf(BoundBooks(character=(self.book,)), self.revision, ({"file": "lorebook.toml"},))


class FakeTimers:
    def __init__(self) -> None:
        self.rows: dict[tuple[str, int], Timers] = {}

    async def get(self, familiar: FamiliarId, channel: ChannelId) -> Timers:
        return self.rows.get((familiar, channel), Timers())

    async def set(self, familiar: FamiliarId, channel: ChannelId, timers: Timers) -> None:
        self.rows[familiar, channel] = timers


@pytest.fixture
def timers(vault) -> FakeTimers:
    vault.lore_timers = FakeTimers()
    return vault.lore_timers


async def test_section_stands_behind_the_card_with_its_names_filled_in(make, vault, timers) -> None:
    vault.turns.add(ANN, "A Dragon, and an elf!")
    prompt = await make(lorebooks=FakeLorebooks(DRAGON, ELF)).assemble(HERE)
    system = prompt.request.messages[0].content
    assert system.endswith("\n\n## Lorebook\n\nDragons fear Mira, not Ann.\nElves sing.")
    story = prompt.trace.lorebook
    assert story is not None
    assert story["activated"] == ["elf", "dragon"]
    assert [(one["entry"], one["verdict"], one["reason"]) for one in story["verdicts"]] == [
        ("elf", "in", "key"),
        ("dragon", "in", "key"),
    ]
    assert story["files"] == [{"file": "lorebook.toml"}]


async def test_nothing_said_nothing_shown(make, vault, timers) -> None:
    vault.turns.add(ANN, "Hello")
    prompt = await make(lorebooks=FakeLorebooks(DRAGON)).assemble(HERE)
    assert "Lorebook" not in prompt.request.messages[0].content
    assert prompt.trace.lorebook["verdicts"][0]["reason"] == "no-match"
    alone = await make("[context]\nprompt_layers = ['recent_history']", lorebooks=FakeLorebooks(DRAGON)).assemble(HERE)
    assert alone.trace.lorebook is None


async def test_key_changes_with_the_file_and_with_what_matched(make, vault, timers) -> None:
    books = FakeLorebooks(DRAGON, ELF)
    assembler = make(lorebooks=books)
    vault.turns.add(ANN, "A dragon")

    async def layer() -> tuple[str, bool]:
        found = next(one for one in (await assembler.assemble(HERE)).trace.layers if one.name == "lorebook")
        return found.key, found.cached

    first, _ = await layer()
    vault.turns.add(ANN, "Nothing new")
    assert await layer() == (first, True)
    vault.turns.add(ANN, "An elf")
    second, cached = await layer()
    assert (second != first, cached) == (True, False)
    books.put(DRAGON, ELF, replace(ELF, uid=2, keys=("troll",)))
    third, _ = await layer()
    assert third not in (first, second)


async def test_only_the_window_is_searched_unless_an_entry_looks_further(make, vault, timers) -> None:
    vault.turns.add(ANN, "A dragon and an elf")
    for number in range(3):
        vault.turns.add(ANN, f"Word {number}")
    far = replace(ELF, scan_depth=4)
    prompt = await make("[lorebook]\nrecent_window = 3", lorebooks=FakeLorebooks(DRAGON, far)).assemble(HERE)
    assert prompt.trace.lorebook["activated"] == ["elf"]


async def test_entries_and_tokens_are_limited(make, vault, timers) -> None:
    vault.turns.add(ANN, "A dragon and an elf")
    few = await make("[budget.text]\nmax_lorebook_entries = 1", lorebooks=FakeLorebooks(DRAGON, ELF)).assemble(HERE)
    assert few.trace.lorebook["activated"] == ["elf"]
    long = replace(ELF, content="la " * 400)
    tight = await make("[budget.text]\nlorebook_tokens = 60", lorebooks=FakeLorebooks(DRAGON, long)).assemble(HERE)
    story = tight.trace.lorebook
    assert (story["activated"], story["overflowed"]) == ([], True)
    # Four characters are a token here; what decides was counted by the model, not guessed.
    refused = next(one for one in story["verdicts"] if one["entry"] == "elf")
    assert refused["detail"]["total"] == 301
    off = await make("[budget.text]\nlorebook_tokens = 0", lorebooks=FakeLorebooks(DRAGON)).assemble(HERE)
    assert off.trace.lorebook["activated"] == []


async def test_entries_at_a_depth_stand_among_the_turns(make, vault, timers) -> None:
    for text in ("A dragon", None, "And then?"):
        vault.turns.add(ANN if text else None, text or "It slept.")
    at = {"position": Position.AT_DEPTH, "keys": ("dragon",)}
    books = FakeLorebooks(
        LoreEntry(uid=0, content="Deep.", depth=99, **at),
        LoreEntry(uid=1, content="Middle.", depth=1, **at),
        LoreEntry(uid=2, content="I felt small.", depth=2, role=LoreRole.ASSISTANT, **at),
        LoreEntry(uid=3, content="Now.", depth=0, role=LoreRole.ASSISTANT, **at),
        LoreEntry(uid=4, content="Never.", keys=("dragon",), position=Position.OUTLET, outlet_name="x"),
    )
    prompt = await make(lorebooks=books).assemble(HERE)
    assert [(message.role, message.content.split("\n\n(It is")[0]) for message in prompt.request.messages[1:]] == [
        ("user", "(Deep.)\n[2024-05-01 12:30 Ann] A dragon"),
        ("assistant", "I felt small.\n\nIt slept."),
        ("user", "(Middle.)\n[12:32 Ann] And then?\n(Now.)"),
    ]
    assert {one["uid"]: one["shown"] for one in prompt.trace.lorebook["places"]} == {
        0: "turns", 1: "turns", 2: "turns", 3: "turns", 4: None
    }  # fmt: skip
    inserted = [part for part in prompt.trace.messages if part.layer == "lorebook"]
    assert len(inserted) == 4


async def test_what_does_not_fit_the_model_is_told(make, vault, timers) -> None:
    vault.turns.add(ANN, "A dragon")
    deep = LoreEntry(uid=0, keys=("dragon",), content="word " * 500, position=Position.AT_DEPTH, depth=0)
    model = FakeModel(context_tokens=600)
    prompt = await make(model=model, lorebooks=FakeLorebooks(deep)).assemble(HERE)
    layer = next(one for one in prompt.trace.layers if one.name == "lorebook")
    assert [one.what for one in layer.left_out] == ["entries among the turns"]
    assert prompt.trace.tokens + prompt.trace.answer_tokens <= 600


async def test_sticky_entries_stay_for_their_messages(make, vault, timers) -> None:
    sticky = replace(DRAGON, sticky=3)
    assembler = make("[lorebook]\nrecent_window = 1", lorebooks=FakeLorebooks(sticky))

    async def active() -> bool:
        return bool((await assembler.assemble(HERE)).trace.lorebook["activated"])

    vault.turns.add(ANN, "A dragon")
    assert await active()
    assert timers.rows["mira", LOCAL.id].sticky["north.0"].end == 4
    found = []
    for _ in range(4):
        vault.turns.add(ANN, "And?")
        found.append(await active())
    assert found == [True, True, False, False]


async def test_looking_and_going_back_leave_no_timers(make, vault, timers) -> None:
    assembler = make(lorebooks=FakeLorebooks(replace(DRAGON, sticky=3)))
    first = vault.turns.add(ANN, "A dragon")
    await assembler.assemble(PromptRequest(LOCAL, pending="A dragon again"))
    vault.turns.add(None, "Where?")
    vault.turns.add(ANN, "There")
    await assembler.assemble(PromptRequest(LOCAL, until=first.id))
    assert timers.rows == {}
    await assembler.assemble(HERE)
    assert list(timers.rows) == [("mira", LOCAL.id)]
    assert timers.rows["mira", LOCAL.id].sticky["north.0"].start == 3


async def test_an_answer_made_again_is_another_trigger(make, vault, timers) -> None:
    asked = vault.turns.add(ANN, "A dragon")
    again = replace(DRAGON, triggers=("regenerate",))
    assembler = make(lorebooks=FakeLorebooks(again))
    assert (await assembler.assemble(PromptRequest(LOCAL, until=asked.id))).trace.lorebook["activated"] == []
    vault.turns.add(None, "Where?", answers=asked.id)
    assert (await assembler.assemble(PromptRequest(LOCAL, until=asked.id))).trace.lorebook["activated"] == ["dragon"]


async def test_chance_is_asked_once_and_recorded(make, vault, timers) -> None:
    rolls = iter((0.3, 0.7, 0.9))
    maybe = [replace(DRAGON, uid=n, comment=f"n{n}", probability=50) for n in range(2)]
    vault.turns.add(ANN, "A dragon")
    prompt = await make(lorebooks=FakeLorebooks(*maybe), chance=lambda: next(rolls)).assemble(HERE)
    assert prompt.trace.lorebook["rolls"] == [0.3, 0.7]
    assert prompt.trace.lorebook["activated"] == ["n0"]


async def test_rules_can_be_those_of_sillytavern(make, vault, timers) -> None:
    vault.turns.add(ANN, "/home/us")
    path = FakeLorebooks(LoreEntry(uid=0, keys=("/home/us",), content="x"))
    assert (await make(lorebooks=path).assemble(HERE)).trace.lorebook["activated"] == ["/home/us"]
    other = await make('[lorebook]\nrules = "st-1.18"', lorebooks=path).assemble(HERE)
    assert (other.trace.lorebook["rules"], other.trace.lorebook["activated"]) == ("st-1.18", ["/home/us"])
    vault.turns.add(ANN, "HOME", channel=GENERAL)
    assert (await make(lorebooks=path).assemble(PromptRequest(GENERAL))).trace.lorebook["activated"] == []
    assert path.channels[-1] == GENERAL.key


async def test_a_huge_book_leaves_a_trace_of_bounded_size(make, vault, timers) -> None:
    entries = [LoreEntry(uid=n, keys=(f"key{n}",), content=f"Text {n}.") for n in range(2000)]
    vault.turns.add(ANN, "key7 and key1999")
    story = (await make(lorebooks=FakeLorebooks(*entries)).assemble(HERE)).trace.lorebook
    assert sorted(story["activated"]) == ["key1999", "key7"]
    assert {one["entry"] for one in story["verdicts"]} == {"key7", "key1999"}
    assert story["unexplained"] == 1998
