"""What the Timeline costs with 100,000 facts about 2,000 people: opening it, a step of the slider, its memory.

Work is timed in processor time of the thread that does it, so that a busy machine does not matter.
Run with `-s` to see the figures.
"""

from __future__ import annotations

import asyncio
import random
import statistics
import time
import tracemalloc
from pathlib import Path

import pytest
from PySide6.QtGui import QPixmap
from PySide6.QtWidgets import QApplication

from familiar_app.bootstrap.loop import run
from familiar_app.domain.clock import FixedClock
from familiar_app.store.fact_span import read_spans, read_wording
from familiar_app.store.moment import to_micros
from familiar_app.ui.kit.theme import Theme
from familiar_app.ui.timeline.prepare import Filter, prepare
from familiar_app.ui.timeline.span_index import Moment
from tests.benchmarks.pace import Pace
from tests.ui.timeline_scene import MIRA, NOW, TimelineScene, day, fill_vault, new_vault

pytestmark = [pytest.mark.slow, pytest.mark.qt_log_ignore("This plugin does not support")]

FACTS, PEOPLE = 100_000, 2_000
STEP_MS, OPEN_MS, MEMORY_MB = 16.0, 300.0, 100.0


def p95(seconds: list[float]) -> float:
    return statistics.quantiles(seconds, n=20)[-1] * 1e3


@pytest.fixture
def theme(qapp: QApplication) -> Theme:
    return Theme(qapp, mode="light")


def painted(scene: TimelineScene) -> None:
    """Paint all that a step changes, as the window would."""
    picture = QPixmap(scene.window.size())
    for part in (scene.view.canvas.viewport(), scene.view.axis, scene.view.overview, scene.view.beliefs.viewport()):
        part.render(picture)


async def steps(scene: TimelineScene, name: str, moments: list[Moment]) -> float:
    """Go to each moment twice from the one before; the quicker time counts, since others use the processor too."""
    times, before = [], scene.model.moment
    for moment in moments:
        tries = []
        for _ in range(2):
            scene.model.go(before)
            started = time.thread_time()
            scene.model.go(moment)
            painted(scene)
            tries.append(time.thread_time() - started)
            await asyncio.sleep(0)
        times.append(min(tries))
        before = moment
    print(f"{name}: median {statistics.median(times) * 1e3:.1f} ms, p95 {p95(times):.1f} ms")  # noqa: T201
    return p95(times)


def test_a_step_of_the_slider_is_painted_within_a_frame(tmp_path: Path, theme: Theme, pace: Pace) -> None:
    async def main() -> dict[str, float]:
        clock = FixedClock(NOW)
        vault = await new_vault(tmp_path, clock)
        await fill_vault(vault, FACTS, PEOPLE)
        scene = TimelineScene(vault, clock, theme)
        try:
            await scene.ready()
            dice, found = random.Random(3), {}
            instants = [to_micros(day(-dice.uniform(0, 1500))) for _ in range(80)]
            found["jumps, linked"] = await steps(scene, "jumps, linked", [Moment(one, one) for one in instants])
            fixed = to_micros(day(-300))
            apart = [Moment(one, fixed) for one in instants]
            found["jumps, apart"] = await steps(scene, "jumps, apart", apart)
            near = [to_micros(day(-400 + n / 4)) for n in range(80)]
            found["dragging"] = await steps(scene, "dragging", [Moment(one, one) for one in near])
            for lane in range(6):
                scene.model.toggle_lane(lane)
            found["open lanes"] = await steps(scene, "open lanes", [Moment(one, one) for one in near])
            scene.model.zoom(0.05, to_micros(day(-390)))
            found["zoomed in"] = await steps(scene, "zoomed in", [Moment(one, one) for one in near])
            found["change to change"] = await steps(scene, "change to change", changes(scene))
        finally:
            await scene.close()
        return found

    found = run(main(), app=QApplication.instance())
    assert max(found.values()) <= pace.allow(STEP_MS), found


def changes(scene: TimelineScene) -> list[Moment]:
    """Return what the arrow key leads to, sixty times."""
    found = []
    for _ in range(60):
        scene.model.step(1)
        found.append(scene.model.moment)
    scene.model.go(Moment(to_micros(day(-400)), to_micros(day(-400))))
    return found


def test_it_opens_quickly_and_stays_small(tmp_path: Path, theme: Theme, pace: Pace) -> None:
    async def main() -> tuple[float, float, float]:
        clock = FixedClock(NOW)
        vault = await new_vault(tmp_path, clock)
        await fill_vault(vault, FACTS, PEOPLE)

        def read(connection) -> tuple[float, float]:
            started = time.thread_time()
            spans = read_spans(connection, MIRA)
            first = time.thread_time()
            prepare(spans, (), Filter(), "world")
            return first - started, time.thread_time() - first

        await vault._opened.engine.read(read)
        costs = [await vault._opened.engine.read(read) for _ in range(5)]
        reading, preparing = (min(one) * 1e3 for one in zip(*costs, strict=True))
        tracemalloc.start()
        before = tracemalloc.get_traced_memory()[0]
        spans = await vault.facts.spans(MIRA)
        wording = await vault._opened.engine.read(lambda connection: read_wording(connection, MIRA))
        kept = prepare(spans, wording.texts, Filter(), "world")
        held = (tracemalloc.get_traced_memory()[0] - before) / 1e6
        tracemalloc.stop()
        assert len(kept.index.spans) == len(wording.texts) == FACTS
        scene = TimelineScene(vault, clock, theme)
        try:
            await scene.ready()
            started = time.thread_time()
            painted(scene)
            painting = (time.thread_time() - started) * 1e3
        finally:
            await scene.close()
        print(  # noqa: T201
            f"\nreading {reading:.0f} ms, preparing {preparing:.0f} ms, first picture {painting:.0f} ms; {held:.0f} MB"
        )
        return reading + preparing + painting, held, painting

    opening, held, _ = run(main(), app=QApplication.instance())
    assert opening <= pace.allow(OPEN_MS)
    assert held <= MEMORY_MB
