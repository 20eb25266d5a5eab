"""Whatever happened since, a prompt made again is the one that was sent."""

from __future__ import annotations

from contextlib import suppress
from datetime import timedelta
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from familiar_app.conversation.event import ReplyStored
from familiar_app.conversation.exchange import Conversation
from familiar_app.conversation.inspector import Inspector
from familiar_app.domain.errors import UserError
from familiar_app.domain.fact import FactId
from familiar_app.domain.ids import OWNER, TraceId, TurnId
from familiar_app.domain.kept_answer import KeptAnswer
from familiar_app.domain.projection import Dossier, NewAnswer, NewReflection, Summary
from familiar_app.domain.trace import messages_as_sent
from familiar_app.store.memory_writer import MemoryWriter
from tests.doubles.talk import ANN, BEN, MIRA, FakeModel, make_config
from tests.doubles.waiting import in_step
from tests.unit.context.hearing import Hearing, hearing

SETTINGS = "[budget.text]\nrecent_history_tokens = 160\nhistory_step_turns = 2\nmax_rag_items = 3\n"
SAID = ("The rabbit sleeps.", "Is the rabbit grey?", "Rain again.", "I moved to Ghent.", "Where is Ben?")


class Life:
    """A conversation in which things happen, a minute apart."""

    def __init__(self, scene: Hearing) -> None:
        self.scene, self.vault, self.main = scene, scene.vault, scene.places["main"]
        model, config = FakeModel(deltas=["Aye, so it is."]), make_config(SETTINGS)
        assembler = scene.use(SETTINGS, model=model)
        self.talk = Conversation(MIRA, "Mira", config, self.vault, model, assembler, scene.clock)
        self.inspector = Inspector(MIRA, config, self.vault, model, assembler)
        self.sent: dict[TraceId, Any] = {}
        self.facts: list[FactId] = []
        self.turns: list[TurnId] = []

    async def do(self, act: str, number: int) -> None:
        self.scene.clock.instant += timedelta(minutes=1)
        text = SAID[number % len(SAID)]
        turn = self.turns[number % len(self.turns)] if self.turns else None
        fact = self.facts[number % len(self.facts)] if self.facts else None
        match act:
            case "say":
                await self.exchange(self.talk.say(self.main, text, ANN))
            case "again" if turn is not None:
                await self.exchange(self.talk.regenerate(turn))
            case "other says":
                await self.scene.say(text, BEN, "main" if number % 2 else "general")
            case "edit" if turn is not None:
                await self.vault.turns.revise(turn, f"{text} ({number})")
            case "hide" if turn is not None:
                await self.vault.turns.hide([turn])
            case "show" if turn is not None:
                await self.vault.turns.unhide([turn])
            case "learn":
                source = await self.scene.say(text)
                self.facts.append((await self.scene.learn(f"{text} Truly, {number}.", source)).id)
            case "retire" if fact is not None:
                with suppress(UserError):
                    await self.vault.facts.retire_by_owner(fact)
            case "restore" if fact is not None:
                # Not where it is believed anyway, or another one says the same by now.
                with suppress(UserError):
                    await self.vault.facts.restore_by_owner(fact)
            case "distil" if turn is not None:
                await self.distil(turn, f"{text} {number}")

    async def exchange(self, events: Any) -> None:
        await in_step(self.vault)
        # A message that was taken out cannot be answered again.
        last: object = None
        with suppress(UserError):
            last = [event async for event in events][-1]
        if last is None:
            return
        assert isinstance(last, ReplyStored)
        trace = await self.vault.traces.get(last.trace_id)
        assert trace is not None
        assert trace.turn_id is not None
        self.sent[last.trace_id] = trace
        self.turns.append(TurnId(trace.turn_id))
        self.scene.clock.instant += timedelta(seconds=1)

    async def distil(self, turn: TurnId, text: str) -> None:
        now = self.scene.clock.now()
        thought = NewReflection(MIRA, text, self.main.id, (turn,), tuple(self.facts[:1]), turn, 0)
        last = max(self.facts, default=FactId(0))
        answer = NewAnswer("people_dossier", 1, MIRA, 1, last, "fake", KeptAnswer(text).encode(), now, scope=OWNER)

        def write(writer: MemoryWriter) -> None:
            # As the projectors do: the answer is kept beside what is made of it.
            writer.record_answer(answer)
            writer.put_dossier(Dossier(MIRA, OWNER, text, last, now))
            writer.add_summary(Summary(MIRA, self.main.id, text, turn, now))
            writer.add_reflection(thought, now)

        await self.vault.projections.write(write)


ACTS = ("say", "say", "again", "other says", "edit", "hide", "show", "learn", "learn", "retire", "restore", "distil")


@pytest.mark.slow
# A failing example is told as it was found: to make it smaller would take minutes.
@settings(max_examples=25, deadline=None, phases=[Phase.explicit, Phase.reuse, Phase.generate])
@given(st.lists(st.tuples(st.sampled_from(ACTS), st.integers(0, 7)), min_size=3, max_size=16))
async def test_every_prompt_can_be_made_again_at_its_own_moment(acts: list[tuple[str, int]]) -> None:
    with TemporaryDirectory() as folder:
        async with hearing(Path(folder) / "vault.db") as scene:
            life = Life(scene)
            await life.do("say", 0)
            for act, number in acts:
                await life.do(act, number)
            await in_step(life.vault)
            for number, told in life.sent.items():
                again = (await life.inspector.again(number)).trace
                assert _plain(again) == _plain(told)


def _plain(trace: Any) -> list[tuple[str, str]]:
    return [(message.role, message.content) for message in messages_as_sent(trace.messages)]
