"""The runner: names, one failure that stays its own, back-off, pauses, status, the end of a task."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator

import pytest

from familiar_app.domain.errors import BadInputError, BugError, UnscriptedError
from familiar_app.domain.task import TaskRegistry
from familiar_app.projectors import loop, registry, runner
from familiar_app.projectors.loop import ProjectorLoop, pause_after
from familiar_app.projectors.port import IDLE, Desk, Progress, Tick
from familiar_app.projectors.registry import known_projectors, register_projector, unregister_projector
from familiar_app.projectors.runner import Projectors
from familiar_app.store.memory_writer import MemoryWriter
from tests.doubles.waiting import until, until_told
from tests.unit.projectors.scene import ANN, MIRA, Scene, lost, make_config, note


@pytest.fixture(autouse=True)
def short_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(runner, "FIRST_RETRY_S", 0.001)


def active(*names: str) -> str:
    return f"[providers.memory]\nprojectors = [{', '.join(repr(name) for name in names)}]"


class Own:
    """A projector from outside that works in ticks, as told."""

    name = "own"
    interval_s = 0.01

    def __init__(self, *ticks: Tick | Exception) -> None:
        self.ticks = list(ticks)
        self.calls = 0

    async def tick(self, *, flush: bool) -> Tick:
        self.calls += 1
        done = self.ticks.pop(0) if self.ticks else IDLE
        if isinstance(done, Exception):
            raise done
        return done

    async def replay(self) -> None:
        return

    async def progress(self) -> Progress:
        return Progress(5, 2)

    def empty(self, writer: MemoryWriter, *, fresh: bool) -> None:
        return


@pytest.fixture
def own() -> Iterator[Own]:
    made = Own()
    register_projector("own", lambda desk: ProjectorLoop(made, desk))
    yield made
    unregister_projector("own")


def test_an_unknown_name_stops_the_load_and_lists_the_known(scene: Scene) -> None:
    scene.config = make_config(active("rich_note", "rich_notes"))
    with pytest.raises(BadInputError) as caught:
        Projectors(scene.desk)
    assert caught.value.field == "providers.memory.projectors"
    assert "'rich_notes'" in str(caught.value)
    assert "Did you mean rich_note?" in caught.value.next_step
    assert ", ".join(known_projectors()) in caught.value.next_step
    scene.config = make_config(active("rich_note", "rich_note"))
    with pytest.raises(BadInputError, match="twice"):
        Projectors(scene.desk)


async def test_an_empty_list_turns_projection_off_and_reading_goes_on(scene: Scene) -> None:
    await scene.vault.facts.add_by_owner(MIRA, "Ann sings.")
    scene.config = make_config(active())
    projectors = Projectors(scene.desk)
    assert (projectors.names, await projectors.status()) == ((), [])
    assert await projectors.run(until_idle=True) == []
    assert await scene.texts() == ["Ann sings."]


async def test_a_registered_projector_runs_among_the_others(scene: Scene, own: Own) -> None:
    scene.config = make_config(active("own", "rich_note"))
    own.ticks = [Tick(worked=True, more=True), Tick(worked=True)]
    projectors = Projectors(scene.desk)
    assert projectors.names == ("rich_note", "own")
    outcomes = await projectors.run(until_idle=True)
    assert [(one.name, one.ticks, one.error) for one in outcomes] == [("rich_note", 0, None), ("own", 2, None)]
    with pytest.raises(BugError, match="already"):
        register_projector("own", lambda desk: ProjectorLoop(own, desk))


async def test_an_installed_projector_is_found_by_its_entry_point(
    scene: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Entry:
        name = "graph"

        def load(self) -> object:
            raise ImportError

    monkeypatch.setattr(registry, "_installed", lambda: {"graph": Entry()})
    assert "graph" in known_projectors()
    scene.config = make_config(active("graph"))
    with pytest.raises(Exception, match="graph is installed but cannot be loaded"):
        Projectors(scene.desk)


async def test_one_projectors_failure_stays_its_own(scene: Scene, own: Own) -> None:
    own.ticks = [ValueError("a secret"), Tick(worked=True)]
    scene.config = make_config(active("rich_note", "own"))
    turn = await scene.say("I sing.")
    scene.later(minutes=5)
    scene.model.tell("rich_note", [note("Ann sings.", turn, about=[ANN.key])])
    failures: list[BaseException] = []
    tasks = TaskRegistry(lambda _name, error: failures.append(error))
    projectors = Projectors(scene.desk)
    projectors.start(tasks, owner=scene)
    await until(lambda: own.calls >= 1)
    await until_told(scene.texts)
    status = {one.name: one for one in await projectors.status()}
    assert status["own"].last_error == "A defect in the program (ValueError)."
    assert status["rich_note"].last_error is None
    assert (status["own"].watermark, status["own"].lag) == (5, 2)
    assert (status["rich_note"].lag, status["rich_note"].tokens) == (0, 120)
    calls = own.calls
    projectors.wake("own")
    await until(lambda: own.calls > calls)
    await projectors.stop()
    assert (len(tasks), failures) == (0, [])


async def test_a_paused_projector_rests_until_it_is_told_to_go_on(scene: Scene, own: Own) -> None:
    scene.config = make_config(active("own"))
    own.ticks = [Tick(worked=True)]
    projectors = Projectors(scene.desk)
    await projectors.pause("own", True)
    assert (await projectors.status())[0].paused
    assert await projectors.run(until_idle=True) == []
    tasks = TaskRegistry(lambda _name, _error: None)
    projectors.start(tasks, owner=scene)
    await asyncio.sleep(0.05)
    assert own.calls == 0
    await projectors.pause("own", False)
    await until(lambda: own.calls > 0)
    await projectors.stop()


async def test_errors_that_may_pass_are_tried_again_when_run_to_the_end(scene: Scene) -> None:
    scene.config = make_config(active("rich_note"))
    turn = await scene.say("I sing.")
    scene.model.tell("rich_note", lost(), lost(), [note("Ann sings.", turn)])
    (outcome,) = await Projectors(scene.desk).run(until_idle=True)
    assert (outcome.ticks, outcome.error) == (1, None)
    assert (await Projectors(scene.desk).status())[0].last_error is None


async def test_an_error_that_stays_is_reported_and_nothing_moved(scene: Scene) -> None:
    scene.config = make_config(active("rich_note"))
    await scene.say("I sing.")
    scene.model.tell("rich_note", *(lost() for _ in range(9)))
    (outcome,) = await Projectors(scene.desk).run(until_idle=True)
    assert outcome.error is not None
    assert len(scene.model.requests) == 1 + runner.RETRIES
    (status,) = await Projectors(scene.desk).status()
    assert (status.watermark, status.lag) == (None, 1)
    assert status.last_error == "The model did not answer in time. Try again."
    assert status.last_run_at == scene.clock.now()


async def test_one_run_is_one_tick_each_and_takes_no_small_rest(scene: Scene) -> None:
    scene.config = make_config(active("rich_note"))
    await scene.talk(25)
    scene.model.tell("rich_note", [], [], [])
    projectors = Projectors(scene.desk)
    assert [one.ticks for one in await projectors.run(until_idle=False)] == [1]
    assert [one.ticks for one in await projectors.run(until_idle=True)] == [2]
    assert (await projectors.status())[0].lag == 0


def test_pauses_grow_and_end_growing() -> None:
    assert [pause_after(n) for n in (1, 2, 3)] == [5.0, 10.0, 20.0]
    assert pause_after(50) == loop.LONGEST_PAUSE_S


async def test_two_runners_never_read_the_same_batch_twice(scene: Scene) -> None:
    scene.config = make_config(active("rich_note"))
    await scene.talk(10)
    desk: Desk = scene.desk
    scene.model.tell("rich_note", [note("Ann sings.", 1)], [note("Ann hums.", 1)])
    await asyncio.gather(Projectors(desk).run(until_idle=True), Projectors(desk).run(until_idle=True))
    assert len(await scene.beliefs()) == 1
    assert len(await scene.vault.projections.answers("rich_note", MIRA)) == 1


async def test_the_status_tells_of_an_unanswered_script_in_one_sentence(scene: Scene, own: Own) -> None:
    scene.config = make_config(active("own"))
    own.ticks = [UnscriptedError("No line fits.", "Ann's secret")]
    projectors = Projectors(scene.desk)
    (outcome,) = await projectors.run(until_idle=True)
    assert outcome.error is not None
    assert "Ann's secret" in outcome.error.message, "the command still tells it"
    assert (await projectors.status())[0].last_error == "No line fits."
