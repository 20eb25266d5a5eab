"""The script of a long evening: what everybody does, and beside it why it is answered, with what, and what is kept.

Twelve people, two bots, a proxy, a thread, a forum and three breaks, through the real client library. The table is read
from top to bottom; each row is over before the next one begins.
"""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any

from familiar_app.discord_link.incoming import channel_key
from familiar_app.discord_link.journal import Fate
from familiar_app.discord_link.speak_rule import Why
from familiar_app.domain.chat import ChatRequest
from familiar_app.domain.turn import Turn
from familiar_app.projectors.port import Desk
from familiar_app.projectors.runner import Projectors
from tests.doubles.discord.deed import speak_through_proxy
from tests.doubles.discord.world import FIRST_PERSON, GUILD
from tests.doubles.talk import MIRA, make_config
from tests.doubles.waiting import until_told
from tests.e2e.discord.stage import GENERAL, Stage
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
    await until_gone(evening, *names)


async def until_gone(evening: Evening, *names: str) -> None:
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
    await resumed(evening, 2)
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


async def resumed(evening: Evening, times: int) -> None:
    """Wait until what was said meanwhile is answered over a whole connection, before that breaks in turn."""
    on = evening.on
    await on.scene.until(lambda: on.discord.gateway.resumed == times and on.link.status.state == "connected")


async def cut(evening: Evening) -> None:
    await resumed(evening, 1)
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
    Done("miss a message", lambda evening: until_gone(evening, "bees")),
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
