"""Runs the engine over a text: which entries fire, in which order, at what cost, and why the others do not."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

from familiar_app.context.lore_note import note_text
from familiar_app.domain.card import CharacterCard, fill_placeholders
from familiar_app.domain.lorebook.activation import Activation
from familiar_app.domain.lorebook.case_write import case_of
from familiar_app.domain.lorebook.decoration import decorated
from familiar_app.domain.lorebook.engine import LoreEngine
from familiar_app.domain.lorebook.entry import BoundBooks, LoreBook, LoreEntry
from familiar_app.domain.lorebook.rules import FIXED, rules_named
from familiar_app.domain.lorebook.scene import LoreSettings, Scene
from familiar_app.domain.lorebook.sentence import near, sentence
from familiar_app.domain.lorebook.setting import lore_settings
from familiar_app.domain.lorebook.verdict import Outcome, Reason
from familiar_app.domain.lorebook.window import PassState
from familiar_app.domain.settings import LorebookSettings
from familiar_app.domain.text import ntr, tr
from familiar_app.ui.lorebook.merge import Uid

Count = Callable[[str], int]
EVEN_CHANCE = 0.5


@dataclass(frozen=True, slots=True)
class Hit:
    """Where a key was found: a message, counted from the oldest, and the span in it."""

    message: int
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Verdict:
    """What became of one entry, and in which pass."""

    uid: Uid
    name: str
    fires: bool
    near: bool
    reason: Reason
    why: str
    tokens: int = 0
    number: int = 1
    hit: Hit | None = None


@dataclass(frozen=True, slots=True)
class Pass:
    """One pass of the engine: what it looked at in words, which entries came in, and which nearly did."""

    number: int
    over: str
    came: tuple[Verdict, ...]
    nearly: tuple[Verdict, ...]


@dataclass(frozen=True, slots=True)
class Run:
    """What one evaluation was made from and what came of it, for a case file."""

    question: Question
    scene: Scene
    activation: Activation

    def case(self, title: str) -> dict[str, Any]:
        """Return the case, as `familiar lore test --case` takes it."""
        question, terms = self.question, self.question.terms
        macros = {"char": terms.card.name, "user": terms.user}
        rules = rules_named(terms.chosen.rules)
        books = question.books()
        return case_of(books, question.settings(), rules, self.scene, self.activation, title=title, macros=macros)


@dataclass(frozen=True, slots=True)
class Trial:
    """The outcome of one test. `fired` is in the order of the prompt; `matching` are the form's keys that match."""

    fired: tuple[Verdict, ...] = ()
    nearly: tuple[Verdict, ...] = ()
    by_uid: dict[Uid, Verdict] = field(default_factory=dict)
    budget_tokens: int = 0
    used_tokens: int = 0
    overflowed: bool = False
    passes: tuple[Pass, ...] = ()
    run: Run | None = field(default=None, repr=False)
    matching: frozenset[str] = frozenset()


NOTHING = Trial()


@dataclass(frozen=True, slots=True)
class Terms:
    """What holds for every test of a familiar: its settings, the room in its prompts, its card."""

    chosen: LorebookSettings
    room_tokens: int
    most_entries: int
    card: CharacterCard = field(default_factory=CharacterCard)
    user: str = "You"

    def expand(self, text: str) -> str:
        """Fill in the names."""
        return fill_placeholders(text, char=self.card.name, user=self.user)


@dataclass(frozen=True, slots=True)
class Question:
    """What is tested: the book, the messages (oldest first), and the entry whose keys the form shows."""

    book: LoreBook
    messages: tuple[str, ...]
    terms: Terms
    shown: LoreEntry | None = None

    def books(self) -> BoundBooks:
        """Return the book as the engine takes it."""
        return BoundBooks(character=(self.book,))

    def settings(self) -> LoreSettings:
        """Return the settings of the engine."""
        return lore_settings(self.terms.chosen, [self.book], max_entries=self.terms.most_entries)

    def scene(self, room_tokens: int) -> Scene:
        """Return the moment that is tested."""
        card, chosen = self.terms.card, self.terms.chosen
        said = note_text(chosen.note, self.terms.expand)
        return Scene(
            messages=self.messages,
            injections=(said,) if said and chosen.note.searched else (),
            sources={
                "persona_description": chosen.owner_description,
                "character_description": card.description,
                "character_personality": card.personality,
                "scenario": card.scenario,
                "creator_notes": card.creator_notes,
            },
            character=card.name,
            character_tags=frozenset(card.tags),
            note_inserted=bool(said) or chosen.rules == FIXED.name,
            prompt_tokens=room_tokens,
            expand=self.terms.expand,
            dry_run=True,
        )


class Trials:
    """Keeps the engine of the last book, for the next keystroke. `run` blocks; call it in a thread."""

    def __init__(self) -> None:
        self._engine: tuple[LoreBook, LoreSettings, str, LoreEngine] | None = None
        self._busy = threading.Lock()

    def run(self, question: Question, count: Count, wanted: Callable[[], bool] = lambda: True) -> Trial:
        """Evaluate once, if it is still `wanted` when its turn comes. Chance is even, so that answers stay the same."""
        with self._busy:
            if not wanted():
                return NOTHING
            engine = self._engine_for(question)
            scene = question.scene(question.terms.room_tokens)
            activation = engine.activate(scene, chance=lambda: EVEN_CHANCE, count_tokens=count)
            by_uid, passes = _verdicts(activation, count)
        order = [one.uid for one in _in_prompt_order(activation)]
        return Trial(
            fired=tuple(by_uid[uid] for uid in order if by_uid[uid].fires),
            nearly=tuple(one for one in by_uid.values() if one.near),
            by_uid=by_uid,
            budget_tokens=activation.budget_tokens,
            used_tokens=activation.used_tokens,
            overflowed=activation.overflowed,
            passes=passes,
            run=Run(question, scene, activation),
            matching=_matching_keys(question),
        )

    def _engine_for(self, question: Question) -> LoreEngine:
        known, settings, rules = self._engine, question.settings(), question.terms.chosen.rules
        if known is None or known[0] is not question.book or known[1:3] != (settings, rules):
            engine = LoreEngine(question.books(), settings, rules_named(rules))
            known = (question.book, settings, rules, engine)
            self._engine = known
        return known[3]


def _in_prompt_order(activation: Activation) -> list[LoreEntry]:
    """Return the accepted entries, highest order first."""
    entries = [one.candidate.entry for one in activation.accepted]
    return sorted(entries, key=lambda one: -one.order)


def _verdicts(activation: Activation, count: Count) -> tuple[dict[Uid, Verdict], tuple[Pass, ...]]:
    """Return what became of each entry in the end, and pass by pass."""
    tokens = {one.candidate.entry.uid: count(f"{one.content}\n") for one in activation.accepted}
    came_in = {one.candidate.entry.uid: one.number for one in activation.accepted}
    chosen: dict[Uid, Verdict] = {}
    came: dict[int, list[Verdict]] = {}
    nearly: dict[int, list[Verdict]] = {}
    for one in activation.verdicts():
        outcome, uid = one.outcome, one.key.uid
        made = Verdict(
            uid,
            one.name,
            outcome.accepted,
            near(outcome),
            outcome.reason,
            sentence(outcome),
            tokens.get(uid, 0),
            one.number,
            _hit(outcome),
        )
        known = chosen.get(uid)
        if known is None or not known.fires or outcome.reason is Reason.NOT_INSERTED:
            chosen[uid] = made
        if came_in.get(uid) == one.number and outcome.accepted:
            came.setdefault(one.number, []).append(made)
        elif made.near:
            nearly.setdefault(one.number, []).append(made)
    states = [record.state for record in activation.passes]
    passes = (
        Pass(one.number, _over(one), tuple(came.get(one.number, ())), tuple(nearly.get(one.number, ())))
        for one in states
    )
    return chosen, tuple(passes)


def _over(state: PassState) -> str:
    """Say what a pass looks at."""
    if state.number == 1:
        return tr("the messages")
    if state.recursing and state.level > 1:
        return tr("entries that are in, level {level}", level=state.level)
    if state.recursing:
        return tr("entries that are in")
    return ntr("older messages too, {n} back", "older messages too, {n} back", state.depth)


def _hit(outcome: Outcome) -> Hit | None:
    place = outcome.detail if outcome.detail.get("where") else outcome.detail.get("nearest") or {}
    if place.get("where") != "message" or "start" not in place:
        return None
    return Hit(place["index"], place["start"], place["end"])


def _matching_keys(question: Question) -> frozenset[str]:
    """Return which keys of the shown entry are in the text, each looked for by itself."""
    if question.shown is None:
        return frozenset()
    rules = rules_named(question.terms.chosen.rules)
    entry = decorated(question.shown, rules)
    keys = list(dict.fromkeys([*entry.keys, *entry.secondary_keys]))
    alone = replace(
        LoreEntry(uid=0),
        case_sensitive=entry.case_sensitive,
        match_whole_words=entry.match_whole_words,
        use_regex=entry.use_regex,
        scan_depth=entry.scan_depth,
    )
    probes = tuple(replace(alone, uid=number, keys=(key,)) for number, key in enumerate(keys))
    book = replace(question.book, entries=probes, folders=())
    settings = replace(question.settings(), max_entries=0, recursive=False, max_passes=1, min_activations=0)
    engine = LoreEngine(BoundBooks(character=(book,)), settings, rules)
    scene = question.scene(1_000_000_000)
    fired = engine.activate(scene, chance=lambda: 0.0, count_tokens=lambda _text: 0).accepted
    return frozenset(keys[int(one.candidate.entry.uid)] for one in fired)
