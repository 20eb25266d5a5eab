"""A busy evening on Discord, and how soon a familiar with a long memory begins to answer. `-s` shows the numbers.

The client library is the real one; Discord is make-believe, on the same loop, so that what the loop is held by includes
it. FAMILIAR_BENCHMARK_TURNS sets how long the memory is (100,000 turns by default).
"""

from __future__ import annotations

import asyncio
import gc
import os
import statistics
import sys
import time
from collections import Counter
from collections.abc import AsyncGenerator, Iterator
from pathlib import Path
from typing import Any

import pytest

from familiar_app.bootstrap.window import spare_collector
from familiar_app.context.prompt import PromptRequest
from familiar_app.discord_link.incoming import channel_key
from familiar_app.domain.chat import ChatEvent, ChatRequest
from familiar_app.domain.ids import ChannelKey
from familiar_app.domain.turn import Channel, Role
from tests.benchmarks.pace import Pace
from tests.benchmarks.recall_corpus import cues, speakers, talk
from tests.doubles.talk import MIRA
from tests.doubles.waiting import until_told
from tests.e2e.discord.stage import GENERAL, SERVER, Stage, stage

pytestmark = [pytest.mark.slow, pytest.mark.timeout(3600)]

AMBIENT = '[discord]\nmode = "ambient"\nbuttons = false\n'
CHANNELS, MESSAGES, EVENING_S = 50, 10_000, 600.0
WAVE, EVERY = 250, 100
HELD_MS, GROWTH_MB = 50.0, 100.0
TURNS = int(os.environ.get("FAMILIAR_BENCHMARK_TURNS", "100000"))
QUESTIONS = 40
MOST_PROMPTS = 6.0


class Held:
    """The longest processor time that the loop's thread spent between two looks of a task that looks all the time."""

    def __init__(self) -> None:
        self.longest_ms: list[float] = []
        self._task = asyncio.ensure_future(self._look())

    async def _look(self) -> None:
        before = time.thread_time()
        while True:
            await asyncio.sleep(0.002)
            now = time.thread_time()
            self.longest_ms.append((now - before) * 1000)
            before = now

    async def stop(self) -> float:
        self._task.cancel()
        await asyncio.wait([self._task])
        return max(self.longest_ms)


def resident_mb() -> float:
    """Return how much memory the process has now, 0 where the system does not tell."""
    if sys.platform != "linux":
        return 0.0
    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 1e6


@pytest.fixture(autouse=True)
def thawed() -> Iterator[None]:
    yield
    gc.unfreeze()


def let_go(on: Stage) -> None:
    """Let the make-believe Discord keep nothing of what was said; it is not what is measured."""
    on.discord.world.messages.clear()
    on.discord.rest.asked.clear()
    on.model.requests.clear()
    for session in on.discord.gateway.sessions.values():
        session.sent[:] = [{}] * len(session.sent)


async def many_channels(on: Stage) -> list[str]:
    names = [f"room {number}" for number in range(CHANNELS)]
    for name in names:
        number = on.scene.open_channel(name)
        await on.vault.channels.ensure(channel_key(number), familiar=MIRA, title=name, guild=SERVER)
    for number in range(40):
        on.scene.join(f"P{number}")
    return names


async def evening(on: Stage, names: list[str]) -> list[float]:
    """Say everything, as fast as it is taken in. Returns the memory after each tenth."""
    grown = []
    for start in range(0, MESSAGES, WAVE):
        for number in range(start, start + WAVE):
            to_mira = number % EVERY == 0
            text = f"@Mira what of {number}?" if to_mira else f"remark {number} " * 4
            await on.scene.write(f"P{number % 40}", text, channel=names[number % CHANNELS])
            await asyncio.sleep(0)

        async def taken_in(upto: int = start + WAVE) -> bool:
            return await on.vault.turns.count() - len(on.discord.rest.sent) >= upto

        await until_told(taken_in, patience_s=600)
        let_go(on)
        if (start + WAVE) % (MESSAGES // 10) == 0:
            grown.append(resident_mb())
    return grown


async def test_ten_minutes_of_a_busy_server(tmp_path: Path, pace: Pace) -> None:
    async with stage(tmp_path, AMBIENT) as on:
        names = await many_channels(on)
        on.model.lines = {"what of": "Nothing at all.", "": "<silent>"}
        async with on.connected():
            spare_collector()  # as the program does when it opens its window
            held, began = Held(), time.perf_counter()
            grown = await evening(on, names)
            took_s = time.perf_counter() - began
            longest_ms = await held.stop()
            await on.scene.until(lambda: not on.link.journal.answering, "for the last answers")
        heard, asked = await heard_and_asked(on, names)
    growth = grown[-1] - grown[1]
    print(  # noqa: T201
        f"\n{MESSAGES} messages in {took_s:.1f} s ({MESSAGES / took_s:.0f}/s, {EVENING_S / took_s:.1f} times as fast as"
        f" said); the loop held {longest_ms:.1f} ms at most; memory {grown[0]:.0f} MB, later {growth:+.1f} MB"
    )
    assert heard == Counter(range(MESSAGES))
    assert asked == Counter(range(0, MESSAGES, EVERY))
    assert took_s < pace.allow(EVENING_S)
    assert longest_ms < pace.allow(HELD_MS)
    assert growth < GROWTH_MB


async def heard_and_asked(on: Stage, names: list[str]) -> tuple[Counter[int], Counter[int]]:
    """Return how often the vault has each message, and how often each question has an answer that was sent."""
    heard: Counter[int] = Counter()
    asked: Counter[int] = Counter()
    for name in names:
        channel = await on.vault.channels.find(channel_key(on.scene.channels[name]))
        assert channel is not None
        turns = {turn.id: turn for turn in await on.vault.turns.page(channel.id, limit=2 * MESSAGES)}
        numbers = {one.id: int(one.content.strip("?").split()[-1]) for one in turns.values() if one.role is Role.USER}
        heard.update(numbers.values())
        asked.update(
            numbers[one.answers]
            for one in turns.values()
            if one.role is Role.ASSISTANT and one.answers is not None and one.message_id is not None
        )
    return heard, asked


class FirstLook:
    """Notes when the model is asked."""

    def __init__(self, model: Any) -> None:
        self.at: list[float] = []
        self._stream = model.stream

    async def stream(self, request: ChatRequest) -> AsyncGenerator[ChatEvent, None]:
        self.at.append(time.perf_counter())
        async for event in self._stream(request):
            yield event


async def long_memory(on: Stage) -> Channel:
    general = await on.vault.channels.find(ChannelKey(GENERAL))
    assert general is not None
    other = await on.vault.channels.ensure(channel_key(77), familiar=MIRA, title="other", guild=SERVER)
    for chunk in talk(TURNS, [general.id, other.id], speakers(40)):
        await on.vault.turns.append_many(chunk)
    on.vault.index.start(on.tasks)
    assert (await on.vault.index.ready()).state == "ready"
    return general


async def test_an_answer_begins_soon_after_the_question_with_a_long_memory(tmp_path: Path) -> None:
    async with stage(tmp_path, AMBIENT) as on:
        general = await long_memory(on)
        look = FirstLook(on.model)
        on.model.stream = look.stream  # type: ignore[method-assign]
        on.model.context_tokens = 16_384
        whole, alone = [], []
        async with on.connected():
            spare_collector()
            for number, text in enumerate(cues(QUESTIONS, speakers(40))):
                asked, began = len(look.at), time.perf_counter()
                await on.scene.write("Ann", f"@Mira {text}")
                await on.scene.until(lambda asked=asked: len(look.at) > asked, "for the question to the model")
                whole.append((look.at[-1] - began) * 1000)
                await on.scene.replies(number + 1)
                await on.scene.until(lambda: not on.link.journal.answering, "for the end of the answer")
                began = time.perf_counter()
                await on.link.conversation.assembler.assemble(PromptRequest(general, pending=f"And {text}"))
                alone.append((time.perf_counter() - began) * 1000)
    ratio = statistics.median(whole) / statistics.median(alone)
    late, late_alone = (statistics.quantiles(times, n=20)[-1] for times in (whole, alone))
    print(  # noqa: T201
        f"\n{TURNS} turns: from the gateway to the model {statistics.median(whole):.1f} ms (p95 {late:.1f}), one prompt"
        f" alone {statistics.median(alone):.1f} ms (p95 {late_alone:.1f}), {ratio:.1f} times as long"
    )
    assert ratio < MOST_PROMPTS
