"""A long evening on Discord by a script: what everybody did, against the log, the vault and what was sent."""

from __future__ import annotations

from pathlib import Path

import discord
import pytest

from familiar_app.discord_link.incoming import channel_key
from familiar_app.discord_link.speak_rule import Why
from familiar_app.domain.ids import PersonKey
from familiar_app.domain.turn import Role
from tests.doubles.discord.world import pinged
from tests.doubles.talk import MIRA
from tests.e2e.discord.long_evening import (
    BOTS,
    EVENING,
    FACTS,
    FORUM,
    KEPT,
    NOWHERE,
    PEOPLE,
    PINGS,
    ROBO,
    ROWS,
    SCRUBBED,
    SHOUT,
    STORY,
    TOML,
    Evening,
    Said,
)
from tests.e2e.discord.stage import SERVER, Stage, stage


async def at_once(*_: object, **__: object) -> None:
    """Identify again without the library's five seconds."""


@pytest.mark.slow
async def test_the_long_evening(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(discord.Client, "before_identify_hook", at_once)
    async with stage(tmp_path, TOML) as on:
        await set_up(on)
        evening = Evening(on)
        async with on.connected():
            for row in EVENING:
                await (evening.say(row) if isinstance(row, Said) else row.deed(evening))
            check_reasons(evening)
            check_sent(evening)
            await check_kept(evening)
            await check_facts(evening)
        assert (on.discord.gateway.identified, on.discord.gateway.resumed) == (2, 2)
        assert await on.vault.verify() == []


async def set_up(on: Stage) -> None:
    # However slow the machine is, a message is still young when its copy comes.
    on.link.listener.now_s = lambda: 0.0
    for name in PEOPLE[2:]:
        on.scene.join(name)
    for name in BOTS:
        on.scene.join(name, bot=True)
    assert on.scene.people["Robo"].id == ROBO
    for name in ("library", "attic"):
        on.scene.open_channel(name)
    on.scene.channels["market"] = int(on.discord.world.add_channel("market", kind=FORUM)["id"])
    for name in ("library", "market"):
        await on.vault.channels.ensure(channel_key(on.scene.channels[name]), familiar=MIRA, title=name, guild=SERVER)


def check_reasons(evening: Evening) -> None:
    noted = [(one.author, one.why, one.fate) for one in evening.on.link.journal.entries]
    names = {"Ann": iter(["Ann", "Annie"])}
    expected = [(next(names[row.who]) if row.who in names else row.who, row.why, row.fate) for row in ROWS]
    assert noted == expected


def check_sent(evening: Evening) -> None:
    ids = {name: str(person.id) for name, person in evening.scene.people.items()}
    for row in ROWS:
        sent = evening.answered[row.name]
        assert len(sent) == (4 if row.name == "story" else 1 if row.answer else 0), row.name
        assert set().union(*map(pinged, sent)) == {ids[name] for name in PINGS.get(row.name, ())}, row.name
        assert [one["channel_id"] for one in sent] == [str(evening.scene.channels.get(row.where))] * len(sent)
        if row.answer not in ("", STORY, SHOUT):
            assert [one["content"] for one in sent] == [row.answer.replace("[@Ann]", f"<@{ids['Ann']}>")]
    told = evening.answered["story"]
    assert all(one["content"].count("```") % 2 == 0 and len(one["content"]) <= 2000 for one in told)
    shown = "".join(one["content"] for one in told) + "".join(file.decode() for file in told[3]["files"].values())
    assert len(STORY) > 9000
    assert all(f"print({number}, {line})" in shown for number in range(10) for line in range(75))
    assert len(evening.on.discord.rest.sent) == sum(map(len, evening.answered.values()))


async def check_kept(evening: Evening) -> None:
    for row in ROWS:
        turn = await evening.turn(row.name)
        if row.kept == NOWHERE:
            assert turn is None, row.name
            continue
        assert turn is not None, row.name
        assert (turn.content, turn.deleted) == (
            ("", True) if row.kept == SCRUBBED else (row.text if row.kept == KEPT else row.kept, False)
        )
        assert turn.role is (Role.SYSTEM if row.why is Why.SYSTEM else Role.USER)
        assert turn.author is not None
        if row.name == "song":
            assert (turn.author.name, turn.author.key.partition(":")[0]) == ("Wren", "proxy")
        else:
            assert turn.author.key == f"discord:{evening.scene.people[row.who].id}"
            assert turn.author.bot == (row.who in BOTS)
        shown = [one for one in await evening.on.vault.turns.answers(turn.id) if not one.hidden and not one.deleted]
        assert [one.content for one in shown] == ([row.answer] if row.answer else []), row.name
    home = await evening.turn("home")
    assert home is not None
    wordings = await evening.on.vault.turns.revisions(home.id)
    assert [one.content for one in wordings] == ["I moved to Rome", "I moved to Lisbon"]
    ann = await evening.on.vault.people.get(PersonKey(f"discord:{evening.scene.people['Ann'].id}"))
    assert ann is not None
    assert [one.name for one in ann.names if one.kind == "nickname"] == ["Annie"]
    kept = b"".join(path.read_bytes() for path in evening.on.vault.path.parent.iterdir() if path.is_file())
    assert b"0123" not in kept


async def check_facts(evening: Evening) -> None:
    facts = await evening.on.vault.facts.page(MIRA)
    believed = {(fact.text, *(one.key for one in fact.subjects)) for fact in facts}
    keys = {name: f"discord:{person.id}" for name, person in evening.scene.people.items()}
    assert believed == {(text, keys[who]) for text, who, stays in FACTS.values() if stays}
    assert "So did I" not in "".join(evening.noting.prompts("rich_note"))
