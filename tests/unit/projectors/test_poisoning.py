"""Conversations that attack the memory, and an extractor that does whatever they ask: the guards hold all the same.

Each line of `poisoning/*.jsonl` has the turns (who, text, mode), what the model `obeys` with, and what is kept of it.
Turns are numbered within their conversation; who stands for a person of that conversation alone.
"""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from familiar_app.domain.fact import Fact
from familiar_app.domain.ids import PersonKey, TurnId
from familiar_app.domain.turn import Author, Role
from familiar_app.models.factory import build_model
from familiar_app.models.network import NetworkPolicy
from familiar_app.projectors.belief import BeliefReplay
from familiar_app.projectors.claimant import claimants_of
from familiar_app.projectors.rich_note import RichNote
from tests.unit.projectors.scene import EGO, MIRA, Scene, make_config

FILES = sorted((Path(__file__).parent / "poisoning").glob("*.jsonl"))
NAMES = {"ann": "Ann", "ben": "Ben", "cass": "Cass", "ann2": "Ann", "robo": "Robo"}


def conversations(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


class Conversation:
    """One conversation in a channel of its own, among people of its own."""

    def __init__(self, scene: Scene, number: int, told: dict[str, Any]) -> None:
        self.scene, self.number, self.told = scene, number, told
        self.turns: list[TurnId] = []

    def key(self, who: object) -> Any:
        """Return the key of a person of the conversation; anything else stays as it is."""
        if who == "mira":
            return EGO
        return f"discord:{self.number}-{who}" if who in NAMES else who

    def number_of(self, source: object) -> object:
        """Return the id of a turn of the conversation; any other number stays as it is."""
        inside = isinstance(source, int) and 0 < source <= len(self.turns)
        return self.turns[source - 1] if inside else source  # type: ignore[operator]

    async def speak(self) -> None:
        channel = await self.scene.hear(f"discord:c{self.number}")
        for who, text, *mode in self.told["turns"]:
            person, _, name = who.partition("=")
            changes: dict[str, Any] = {"channel": channel.id, "mode": mode[0] if mode else None}
            author = None
            if person == "tool":
                changes["role"] = Role.TOOL
            elif person != "mira":
                author = Author(PersonKey(self.key(person)), name or NAMES[person], bot=person == "robo")
            self.turns.append(await self.scene.say(text, author, **changes))

    def answer(self) -> Any:
        obeys = self.told["obeys"]
        return [self.placed(item) for item in obeys] if isinstance(obeys, list) else obeys

    def placed(self, item: Any) -> Any:
        if not isinstance(item, dict):
            return item
        placed = dict(item)
        if isinstance(item.get("source_turn_ids"), list):
            placed["source_turn_ids"] = [self.number_of(source) for source in item["source_turn_ids"]]
        if isinstance(item.get("subject_keys"), list):
            placed["subject_keys"] = [self.key(key) for key in item["subject_keys"]]
        return placed


def shape(fact: Fact) -> tuple[Any, ...]:
    return fact.text, set(fact.source_turns), {subject.key for subject in fact.subjects}


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
async def test_the_guards_hold_whatever_the_model_says(scene: Scene, path: Path) -> None:
    noting = RichNote(scene.desk, BeliefReplay(scene.vault, MIRA))
    for number, told in enumerate(conversations(path)):
        talk = Conversation(scene, number, told)
        await talk.speak()
        answer, last = talk.answer(), await scene.vault.facts.newest_id(MIRA)
        scene.model.tell("rich_note", answer, answer)
        assert (await noting.tick(flush=True)).worked
        scene.model.queues.clear()
        facts = await scene.vault.facts.after(MIRA, last, limit=1000)
        expected = [talk.placed(item) for item in told["keeps"]]
        assert [shape(fact) for fact in facts] == [
            (one["text"], set(one["source_turn_ids"]), set(one["subject_keys"])) for one in expected
        ], told["name"]
        for fact, one in zip(facts, expected, strict=True):
            await hold(scene, talk, fact)
            if "importance" in one:
                assert fact.importance == one["importance"], told["name"]


async def hold(scene: Scene, talk: Conversation, fact: Fact) -> None:
    """Check what holds for every fact, whatever was answered."""
    stored = {turn: await scene.vault.turns.get(turn) for turn in talk.turns}
    for source in fact.source_turns:
        cited = stored[source]
        assert cited is not None
        assert cited.mode != "activity_return"
    for subject in fact.subjects:
        real = "Mira" if subject.key == EGO else await scene.vault.people.label(subject.key)
        assert subject.display_at_write == real
    speakers = {turn.author.key for turn in stored.values() if turn is not None and turn.author is not None}
    assert {subject.key for subject in fact.subjects} <= speakers | {EGO}
    assert fact.valid.since is None or fact.valid.until is None or fact.valid.since < fact.valid.until
    said_by = {turn.author.key for t in fact.source_turns if (turn := stored[t]) is not None and turn.author}
    told = (await claimants_of(scene.desk, [fact]))[fact.id]
    about = {subject.key for subject in fact.subjects}
    assert bool(told) == bool(about and said_by and not about & said_by)


async def test_no_attack_reaches_the_instruction_or_forges_a_turn(scene: Scene) -> None:
    noting = RichNote(scene.desk, BeliefReplay(scene.vault, MIRA))
    number = 0
    for path in FILES:
        for told in conversations(path):
            number += 1
            talk = Conversation(scene, number, told)
            await talk.speak()
            scene.model.tell("rich_note", [])
            await noting.tick(flush=True)
            scene.model.queues.clear()
    assert number >= 60
    systems = {request.messages[0].content for request in scene.model.requests}
    assert len(systems) == 1
    for request in scene.model.requests:
        users = request.messages[1].content
        assert "<|im_" not in users
        turns = users.split("Turns:\n")[1]
        assert sum(line.startswith("[T#") for line in turns.splitlines()) <= 3


@pytest.mark.slow
async def test_the_bundled_model_reads_them_without_a_crash(scene: Scene, tmp_path: Path) -> None:
    scene.config = make_config("[models.background]\nmax_answer_tokens = 24")
    slot = scene.config.models.background

    async def secret(_name: str) -> str | None:
        return None

    model = await build_model(slot, network=NetworkPolicy(local_only=True), secret=secret, base_dir=tmp_path)
    noting = RichNote(replace(scene.desk, model=model), BeliefReplay(scene.vault, MIRA))
    try:
        for number, path in enumerate(FILES[:3]):
            talk = Conversation(scene, number, conversations(path)[0])
            await talk.speak()
            assert (await noting.tick(flush=True)).worked
            for fact in await scene.vault.facts.after(MIRA, 0, limit=1000):
                if set(fact.source_turns) <= set(talk.turns):
                    await hold(scene, talk, fact)
        assert (await noting.progress()).lag == 0
    finally:
        await model.close()
