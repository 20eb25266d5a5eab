"""How fast lorebooks are evaluated. Processor time counts, so that a busy machine does not matter.

Run with `-s` to see the figures.
"""

from __future__ import annotations

import random
import string
import time

import pytest

from familiar_app.domain.lorebook.case import count_words
from familiar_app.domain.lorebook.engine import LoreEngine
from familiar_app.domain.lorebook.entry import BoundBooks, LoreBook, LoreEntry
from familiar_app.domain.lorebook.scene import LoreSettings, Scene
from tests.benchmarks.pace import Pace

pytestmark = pytest.mark.slow


def words(dice: random.Random, count: int) -> list[str]:
    return ["".join(dice.choices(string.ascii_lowercase, k=dice.randint(4, 10))) for _ in range(count)]


def engine_of(
    entries: int, dice: random.Random, *, depth: int, content: str = "word " * 30
) -> tuple[LoreEngine, list[str]]:
    keys = words(dice, entries * 3)
    book = LoreBook(
        name="G",
        entries=tuple(
            LoreEntry(uid=n, keys=tuple(keys[3 * n : 3 * n + 3]), content=content, match_whole_words=True)
            for n in range(entries)
        ),
    )
    return LoreEngine(BoundBooks(everywhere=(book,)), LoreSettings(depth=depth, recursive=True)), keys


def timed_ms(engine: LoreEngine, messages: tuple[str, ...]) -> tuple[float, int]:
    started = time.process_time()
    found = engine.activate(Scene(messages=messages), chance=random.random, count_tokens=count_words)
    return (time.process_time() - started) * 1000, len(found.accepted)


DECORATED = "@@depth 3\n@@role user\n@@exclude_keys zebra, quagga\n@@additional_keys a, e\n@@what\n" + "word " * 30


@pytest.mark.parametrize("content", ["word " * 30, DECORATED], ids=["plain", "decorated"])
def test_five_thousand_entries_over_two_hundred_messages(content: str, pace: Pace) -> None:
    dice = random.Random(5)
    engine, keys = engine_of(5000, dice, depth=200, content=content)
    vocabulary = words(dice, 5000)
    chat = [" ".join(["a", *dice.choices(vocabulary, k=40), *dice.choices(keys, k=n % 2)]) for n in range(300)]
    cold, _ = timed_ms(engine, tuple(chat[:200]))
    runs = sorted(timed_ms(engine, tuple(chat[n : 200 + n]))[0] for n in range(1, 100))
    print(f"\ncold {cold:.1f} ms, warm median {runs[49]:.1f} ms, p95 {runs[94]:.1f} ms")  # noqa: T201
    assert timed_ms(engine, tuple(chat[:200]))[1] > 50
    assert runs[94] <= pace.allow(20)


def test_a_thousand_entries_over_half_a_megabyte(pace: Pace) -> None:
    dice = random.Random(6)
    engine, keys = engine_of(1000, dice, depth=1000)
    vocabulary = words(dice, 5000)
    chat = tuple(" ".join([*dice.choices(vocabulary, k=72), keys[n]]) for n in range(1000))
    size = sum(map(len, chat))
    cold, _ = timed_ms(engine, chat)
    warm = min(timed_ms(engine, chat)[0] for _ in range(5))
    print(f"\n{size} characters: cold {cold:.1f} ms, warm {warm:.1f} ms")  # noqa: T201
    assert size > 560_000
    assert warm <= pace.allow(50)
    assert warm < cold * 2


def test_the_work_grows_with_what_is_new_not_with_the_chat(pace: Pace) -> None:
    dice = random.Random(7)
    engine, _ = engine_of(2000, dice, depth=2)
    vocabulary = words(dice, 3000)
    chat = [" ".join(dice.choices(vocabulary, k=40)) for _ in range(4000)]
    short = min(timed_ms(engine, tuple(chat[:40]))[0] for _ in range(9))
    long = min(timed_ms(engine, tuple(chat))[0] for _ in range(9))
    print(f"\n40 messages {short:.2f} ms, 4000 messages {long:.2f} ms")  # noqa: T201
    assert long < short * 5 + pace.allow(1)
