"""A long evening by a script: what everybody does, and beside it why each message is answered, how, and what stays.

Twelve people, two bots, a proxy, a thread, a forum and three breaks, through the real client library. The table is read
from top to bottom; each row is over before the next one begins.
"""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import discord
import pytest

from familiar_app.discord_link.incoming import channel_key
from familiar_app.discord_link.journal import Fate
from familiar_app.discord_link.speak_rule import Why
from familiar_app.domain.chat import ChatRequest
from familiar_app.domain.ids import PersonKey
from familiar_app.domain.turn import Role, Turn
from familiar_app.projectors.port import Desk
from familiar_app.projectors.runner import Projectors
from tests.doubles.discord.deed import speak_through_proxy
from tests.doubles.discord.world import FIRST_PERSON, GUILD, pinged
from tests.doubles.talk import MIRA, make_config
from tests.doubles.waiting import until_told
from tests.e2e.discord.stage import GENERAL, SERVER, Stage, stage
from tests.unit.projectors.scene import ToldModel, note

PEOPLE = ("Ann", "Ben", "Cy", "Dee", "Eli", "Fay", "Gus", "Hal", "Ivy", "Jo", "Kim", "Lou")
BOTS = ("Robo", "Beep")
ROBO = FIRST_PERSON + 1 + len(PEOPLE)
FORUM = 15
TOML = f'''
[discord]
mode = "ambient"
bots = [{ROBO}]
buttons = false

[channels."{GENERAL}"]
mode = "mentions"
'''
STORY = "\n\n".join(
    f"Chapter {number}.\n\n```lua\n" + "\n".join(f"print({number}, {line})" for line in range(75)) + "\n```"
    for number in range(10)
)
SHOUT = f"@everyone @here <@&{GUILD}> [@Ben] <@{FIRST_PERSON + 5}> see <@!{FIRST_PERSON + 6}>"
KEPT, SCRUBBED, NOWHERE = "as it was said", "without its words", "not at all"


@dataclass(frozen=True)
class Said:
    """A message, why it is answered or not, with what, and how the vault keeps it in the end."""

    name: str
    who: str
    where: str
    text: str
    why: Why
    answer: str = ""
    kept: str = KEPT
    fate: Fate | None = None
    unseen: bool = False
    more: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Done:
    """Something else that somebody does, or that happens."""

    what: str
    deed: Callable[[Evening], Awaitable[object]]


@dataclass
class Evening:
    """What is going on: the numbers of what was said, by the names of the rows."""

    on: Stage
    numbers: dict[str, int] = field(default_factory=dict)
    answered: dict[str, list[dict[str, Any]]] = field(default_factory=dict)
    noting: ToldModel = field(default_factory=ToldModel)

    @property
    def scene(self) -> Any:
        return self.on.scene

    async def say(self, row: Said) -> None:
        """Let a row happen, and wait until all that is to come of it has come."""
        on, journal, sent = self.on, self.on.link.journal, len(self.on.discord.rest.sent)
        on.model.lines = {row.text.rpartition("@Mira ")[2]: row.answer or "Never asked for."}
        noted = len(journal.entries)
        if row.where == "in private":
            self.numbers[row.name] = await self.scene.whisper(row.who, row.text)
        else:
            options = {**row.more, "unseen": row.unseen}
            if isinstance(options.get("answers"), str):
                options["answers"] = int(self.answered[options["answers"]][0]["id"])
            self.numbers[row.name] = await self.scene.write(row.who, row.text, channel=row.where, **options)
        await self.scene.until(lambda: len(journal.entries) > noted, f"for {row.name}")
        ends = row.answer or row.fate is Fate.FAILED
        await self.scene.until(lambda: not ends or journal.entries[-1].fate is not None, f"for an end of {row.name}")
        self.answered[row.name] = on.discord.rest.sent[sent:]

    async def note_facts(self) -> None:
        """Let everything that was said so far be read for facts, by a model that finds those of `FACTS`."""
        self.noting.tell("rich_note", *[found_in] * 20)
        desk = Desk(MIRA, "Mira", self.on.vault, self.noting, make_config(), self.on.link.clock)
        (outcome,) = await Projectors(desk).run(["rich_note"], until_idle=True)
        assert outcome.error is None

    async def believed(self) -> set[str]:
        return {fact.text for fact in await self.on.vault.facts.page(MIRA)}

    async def turn(self, name: str) -> Turn | None:
        """Return the turn of a row, None where nothing was kept."""
        row = next(one for one in ROWS if one.name == name)
        key = channel_key(self.scene.channels[f"dm {row.who}" if row.where == "in private" else row.where])
        channel = await self.on.vault.channels.find(key)
        return None if channel is None else await self.on.vault.messages.find(channel.id, str(self.numbers[name]))


async def believe(evening: Evening) -> None:
    assert await evening.believed() == {"Ben keeps bees.", "Kim lives in Rome.", "Lou's number is 0123."}


async def edit(evening: Evening) -> None:
    await evening.scene.edit(evening.numbers["home"], "I moved to Lisbon")
    await evening.on.until_said(lambda said: "Kim: I moved to Lisbon" in said)


async def scrub(evening: Evening, *names: str) -> None:
    await evening.scene.delete(*(evening.numbers[name] for name in names))

    async def gone() -> bool:
        return all([(turn := await evening.turn(name)) is not None and turn.deleted for name in names])

    await until_told(gone)


async def proxy(evening: Evening) -> None:
    """Repeat a message under another name and let the original vanish, as PluralKit does."""
    original = evening.numbers["song"]
    evening.numbers["song"] = await speak_through_proxy(evening.scene, "Wren", "@Mira a song")
    await evening.scene.delete(original)
    await evening.on.until_said(lambda said: "Wren: @Mira a song" in said)


async def leave_dead(evening: Evening) -> None:
    """Break the connection for good, and let something happen that nobody is told of."""
    gateway = evening.on.discord.gateway
    gateway.cut_all()
    gateway.forget_sessions()
    await evening.scene.delete(evening.numbers["bees"], unseen=True)


async def silence(evening: Evening) -> None:
    evening.on.discord.world.silenced.add(evening.scene.channels["general"])


async def let_speak(evening: Evening) -> None:
    evening.on.discord.world.silenced.clear()
    general = evening.on.discord.world.channels[evening.scene.channels["general"]]
    await evening.on.discord.gateway.tell("CHANNEL_UPDATE", general)


async def cut(evening: Evening) -> None:
    evening.on.discord.gateway.cut_all()


async def rename(evening: Evening) -> None:
    evening.scene.rename("Ann", "Annie")


YES, SENT = Why.ADDRESSED, Fate.SENT
EVENING: list[Said | Done] = [
    Said("hello", "Ann", "general", "@Mira good evening", YES, "Good evening, [@Ann]!", fate=SENT),
    Said("bees", "Ben", "general", "I keep bees", Why.UNADDRESSED, kept=SCRUBBED),
    Said("moon", "Cy", "general", "@everyone look at the moon", Why.UNADDRESSED),
    Said("doubt", "Dee", "general", "@Ben is that so?", Why.OTHERS),
    Said("attic", "Eli", "attic", "@Mira up here", Why.NOT_SUBSCRIBED, kept=NOWHERE),
    Said("psst", "Fay", "in private", "psst", Why.DIRECT_OFF, kept=NOWHERE),
    Said("robot", "Robo", "general", "@Mira beep", YES, "Hello, machine.", fate=SENT),
    Said("other robot", "Beep", "general", "@Mira beep beep", Why.BOT),
    Said("joined", "Jo", "general", "", Why.SYSTEM, kept="Jo joined the server.", more={"type": 7}),
    Done("begin a thread", lambda evening: evening.scene.open_thread("side talk")),
    Said("thread", "Gus", "side talk", "@Mira in here?", YES, "In here too.", fate=SENT),
    Done("post in the forum", lambda evening: evening.scene.open_thread("lamp oil", under="market")),
    Said("price", "Hal", "lamp oil", "@Mira what does it cost?", YES, "Two coins.", fate=SENT),
    Said("tide", "Ivy", "library", "I wonder about the tide", Why.AMBIENT, "It turns at nine.", fate=SENT),
    Said("home", "Kim", "general", "I moved to Rome", Why.UNADDRESSED, kept="I moved to Lisbon"),
    Said("number", "Lou", "general", "My number is 0123", Why.UNADDRESSED, kept=SCRUBBED),
    Done("note facts", Evening.note_facts),
    Done("believe them", believe),
    Done("edit", edit),
    Done("delete", lambda evening: scrub(evening, "number")),
    Done("rename", rename),
    Done("be asked to reconnect", lambda evening: evening.on.discord.gateway.ask_to_reconnect()),
    Said("still", "Ann", "general", "@Mira still there?", YES, "Always.", fate=SENT),
    Done("break", cut),
    Said("now", "Ben", "general", "@Mira and now?", YES, "Now too.", fate=SENT),
    Said("song", "Cy", "general", "w: @Mira a song", YES, "La la.", kept="@Mira a song", fate=SENT),
    Done("speak through a proxy", proxy),
    Said("story", "Dee", "general", "@Mira tell the story", YES, STORY, fate=SENT),
    Said("shout", "Eli", "general", "@Mira ping everybody", YES, SHOUT, fate=SENT),
    Said("thanks", "Fay", "general", "I like that", YES, "Thank you.", fate=SENT, more={"answers": "hello"}),
    Done("lose the right to write", silence),
    Said("hush", "Gus", "general", "@Mira hush?", YES, fate=Fate.FAILED),
    Done("get it back", let_speak),
    Said("again", "Hal", "general", "@Mira again?", YES, "Again.", fate=SENT),
    Done("break for good", leave_dead),
    Said("missed", "Ivy", "general", "@Mira did you miss me?", YES, "I heard you.", fate=SENT, unseen=True),
    Said("first", "Jo", "general", "I said too much", Why.UNADDRESSED, kept=SCRUBBED),
    Said("second", "Lou", "general", "So did I", Why.UNADDRESSED, kept=SCRUBBED),
    Done("delete in bulk", lambda evening: scrub(evening, "first", "second")),
    Done("note facts again", Evening.note_facts),
]
ROWS = [row for row in EVENING if isinstance(row, Said)]

# Who is pinged by the answers; by all others nobody.
PINGS = {"hello": {"Ann"}, "shout": {"Ben"}}
# What the model that reads makes of a remark: the fact, whom it is about, and whether it is believed in the end.
FACTS = {
    "I keep bees": ("Ben keeps bees.", "Ben", False),
    "I moved to Rome": ("Kim lives in Rome.", "Kim", False),
    "I moved to Lisbon": ("Kim lives in Lisbon.", "Kim", True),
    "I like that": ("Fay likes stories.", "Fay", True),
    "My number is 0123": ("Lou's number is 0123.", "Lou", False),
    "So did I": ("Lou talks a lot.", "Lou", False),
}


def found_in(request: ChatRequest) -> list[dict[str, Any]]:
    lines = re.findall(r"^\[T#(\d+) [^\]\n]*\((discord:\d+)\)\] (.*)$", request.messages[-1].content, re.MULTILINE)
    return [note(FACTS[text][0], int(turn), about=[key]) for turn, key, text in lines if text in FACTS]


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
