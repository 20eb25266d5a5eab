"""Bringing in a chat of another program: what is seen in the file, who is guessed to be who, what is stored."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from familiar_app.domain.errors import BadInputError, UserError
from familiar_app.domain.ids import OWNER, ChannelKey, ego_key
from familiar_app.domain.turn import Turn
from familiar_app.ui.chat import bring_word
from familiar_app.ui.chat.bringing import Bringing, Choice, Seen, Speaker
from familiar_app.ui.chat.cast import Cast, guessed
from tests.unit.ui.chat.stage import MIRA, Stage


def tavern(folder: Path, *, character: str = "Mira", user: str = "Jo", lines: int = 4) -> Path:
    path = folder / "Mira - 2024.jsonl"
    said = [{"user_name": user, "character_name": character, "create_date": "2024-05-01T10:00:00Z"}]
    said += [
        {
            "name": user if number % 2 == 0 else character,
            "is_user": number % 2 == 0,
            "mes": f"line {number}",
            "send_date": f"2024-05-0{1 + number % 3}T10:00:00Z",
        }
        for number in range(lines)
    ]
    path.write_text("\n".join(json.dumps(one) for one in said), encoding="utf-8")
    return path


def discord(folder: Path) -> Path:
    def message(number: int, author: str, name: str, *, bot: bool = False) -> dict[str, Any]:
        who = {"id": author, "name": name, "nickname": name, "isBot": bot}
        when = f"2024-05-01T10:0{number}:00Z"
        return {"id": str(100 + number), "type": "Default", "timestamp": when, "content": f"m{number}", "author": who}

    path = folder / "general.json"
    messages = [message(1, "7", "Ann"), message(2, "900", "Lamp", bot=True), message(3, "8", "Ben")]
    whole = {"guild": {"id": "1", "name": "G"}, "channel": {"id": "10", "name": "general"}, "messages": messages}
    path.write_text(json.dumps(whole, indent=1), encoding="utf-8")
    return path


def lines(folder: Path, *turns: dict[str, Any], name: str = "chat.jsonl") -> Path:
    path = folder / name
    path.write_text("\n".join(json.dumps(one) for one in turns), encoding="utf-8")
    return path


def turn(role: str, content: str, author: dict[str, Any] | None = None, **more: Any) -> dict[str, Any]:
    return {"channel": "local:old", "role": role, "content": content, "at": "2024-05-01T12:00:00Z", **more} | (
        {"author": author} if author else {}
    )


def bringing(stage: Stage, path: Path) -> Bringing:
    return Bringing(stage.vault, MIRA, "Mira", path)


async def stored(stage: Stage, key: str) -> list[Turn]:
    found = await stage.vault.channels.find(ChannelKey(key), familiar=MIRA if key.startswith("local:") else None)
    assert found is not None
    return await stage.vault.turns.page(found.id)


def told(turns: list[Turn]) -> list[tuple[str, str | None, str]]:
    return [(one.role.value, one.author.key if one.author else None, one.content) for one in turns]


async def looked(work: Bringing) -> Seen:
    return await work.look(lambda _: None)


async def test_a_look_tells_what_is_in_the_file_and_writes_nothing(stage: Stage, tmp_path: Path) -> None:
    seen = await looked(bringing(stage, tavern(tmp_path)))
    assert dict(bring_word.facts(seen, stage.clock.now().tzinfo)) == {
        "Format": "SillyTavern",
        "Messages": "4",
        "People": "Jo, Mira",
        "Days": "1 May 2024 to 3 May 2024",
    }
    assert await stage.vault.turns.count() == 0


async def test_what_was_looked_at_is_stored_as_it_was_cast(stage: Stage, tmp_path: Path) -> None:
    work = bringing(stage, discord(tmp_path))
    seen = await looked(work)
    channel = await stage.channel("local:old", "Old days")
    report = await work.run(Choice(Cast(frozenset(["discord:900"]), "discord:7"), channel.key), lambda *_: None)
    assert report.taken == 3
    turns = await stored(stage, "local:old")
    assert told(turns) == [
        ("user", OWNER, "m1"),
        ("assistant", ego_key(MIRA), "m2"),
        ("user", "discord:8", "m3"),
    ]
    assert {one.guild for one in turns} == {None}
    assert [one.name for one in seen.by_turns()] == ["Ann", "Lamp", "Ben"]
    found = await stage.vault.channels.find(channel.key, familiar=MIRA)
    assert found is not None
    assert found.title == "Old days"


async def test_the_same_file_comes_in_once(stage: Stage, tmp_path: Path) -> None:
    path = lines(tmp_path, turn("user", "Hi", {"key": "local:ann", "name": "Ann"}), turn("assistant", "Hello"))
    choice = Choice(Cast(frozenset(["role:assistant"]), "local:ann"))
    for already in (0, 2):
        work = bringing(stage, path)
        await looked(work)
        report = await work.run(choice, lambda *_: None)
        assert (report.taken, report.already_there) == (2 - already, already)


async def test_a_chat_of_others_makes_nobody_the_owner_or_the_familiar(stage: Stage, tmp_path: Path) -> None:
    work = bringing(stage, tavern(tmp_path, character="Tom", user="Eve"))
    seen = await looked(work)
    await work.run(Choice(Cast(), ChannelKey("local:tale")), lambda *_: None)
    assert {one[:2] for one in told(await stored(stage, "local:tale"))} == {
        ("user", "import:eve"),
        ("user", "import:tom"),
    }
    assert seen.turns == 4


async def test_lines_that_cannot_be_read_are_named_and_left_out(stage: Stage, tmp_path: Path) -> None:
    path = lines(tmp_path, turn("user", "Hi"), {"role": "user"}, turn("user", "Again", odd=1))
    work = bringing(stage, path)
    seen = await looked(work)
    said = list(bring_word.warnings(seen.read))
    assert said[0] == "1 line cannot be read and is left out:"
    assert "line 2" in said[1]
    assert said[2] == "Lost: 1 × unknown key odd"
    assert (await work.run(Choice(Cast()), lambda *_: None)).taken == 2


@pytest.mark.parametrize(
    ("name", "text", "words"),
    [
        ("book.json", json.dumps({"entries": {"0": {"key": ["a"], "content": "b", "uid": 0}}}), "a lorebook"),
        ("card.md", "# Mira\n", "a character card"),
        ("empty.jsonl", "", "empty"),
        ("list.jsonl", "[1, 2]\n", "no format"),
    ],
)
async def test_what_is_no_chat_is_named(stage: Stage, tmp_path: Path, name: str, text: str, words: str) -> None:
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    with pytest.raises((UserError, BadInputError), match=words):
        await looked(bringing(stage, path))


async def test_a_look_that_nobody_waits_for_ends(stage: Stage, tmp_path: Path) -> None:
    begun = asyncio.Event()
    work = bringing(stage, tavern(tmp_path, lines=40_000))
    looking = asyncio.ensure_future(work.look(lambda _: begun.set()))
    await begun.wait()
    looking.cancel()
    with pytest.raises(asyncio.CancelledError):
        await looking


def speakers(*known: tuple[str, str, int, bool]) -> list[Speaker]:
    return [Speaker(key, name, 5, own, bot) for key, name, own, bot in known]


@pytest.mark.parametrize(
    ("known", "own", "owner"),
    [
        ([("owner", "Eve", 0, False), ("import:tom", "Tom", 5, False)], {"import:tom"}, "owner"),
        ([("discord:1", "Ann", 0, False), ("discord:2", "Mira", 0, False)], {"discord:2"}, "discord:1"),
        ([("discord:1", "Jo", 0, False), ("discord:2", "Bot", 0, True), ("discord:3", "Ben", 0, False)],
         {"discord:2"}, "discord:1"),
        ([("discord:1", "Ann", 0, False), ("discord:2", "Jo", 0, False)], {"discord:1"}, "discord:2"),
        ([("discord:1", "Ann", 0, False), ("discord:2", "Ben", 0, False)], set(), None),
        ([("ego:mira", "Mira", 3, False), ("role:assistant", "", 2, False), ("x:1", "Jo", 0, False)],
         {"ego:mira", "role:assistant"}, "x:1"),
    ],
)  # fmt: skip
def test_who_is_guessed_to_be_who(known: list[Any], own: set[str], owner: str | None) -> None:
    made = [(OWNER if key == "owner" else key, name, mine, bot) for key, name, mine, bot in known]
    guess = guessed(speakers(*made), familiar="mira", owner="Jo")
    assert (guess.familiar, guess.owner) == (frozenset(own), OWNER if owner == "owner" else owner)


def test_many_people_are_counted_rather_than_named() -> None:
    seen = Seen("jsonl", speakers={str(one): Speaker(str(one), f"P{one}", 9 - one) for one in range(6)})
    assert bring_word.people(seen) == "P0, P1, P2, P3 and 2 others"
