"""Runs the engine over a text: which entries fire, in which order, at what cost, and why the others do not."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass, field, replace

from familiar_app.domain.card import CharacterCard, fill_placeholders
from familiar_app.domain.lorebook.activation import Activation
from familiar_app.domain.lorebook.engine import LoreEngine
from familiar_app.domain.lorebook.entry import BoundBooks, LoreBook, LoreEntry
from familiar_app.domain.lorebook.rules import rules_named
from familiar_app.domain.lorebook.scene import LoreSettings, Scene
from familiar_app.domain.lorebook.sentence import near, sentence
from familiar_app.domain.lorebook.setting import lore_settings
from familiar_app.domain.lorebook.verdict import Outcome, Reason
from familiar_app.domain.settings import LorebookSettings
from familiar_app.ui.lorebook.merge import Uid

Count = Callable[[str], int]
EVEN_CHANCE = 0.5


@dataclass(frozen=True, slots=True)
class Verdict:
    """What became of one entry."""

    uid: Uid
    name: str
    fires: bool
    near: bool
    reason: Reason
    why: str
    tokens: int = 0


@dataclass(frozen=True, slots=True)
class Trial:
    """The outcome of one test. `fired` is in the order of the prompt; `matching` are the form's keys that match."""

    fired: tuple[Verdict, ...] = ()
    nearly: tuple[Verdict, ...] = ()
    by_uid: dict[Uid, Verdict] = field(default_factory=dict)
    budget_tokens: int = 0
    used_tokens: int = 0
    overflowed: bool = False
    passes: int = 0
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

    def settings(self) -> LoreSettings:
        """Return the settings of the engine."""
        return lore_settings(self.terms.chosen, [self.book], max_entries=self.terms.most_entries)

    def scene(self, room_tokens: int) -> Scene:
        """Return the moment that is tested."""
        card = self.terms.card
        return Scene(
            messages=self.messages,
            sources={
                "character_description": card.description,
                "character_personality": card.personality,
                "scenario": card.scenario,
                "creator_notes": card.creator_notes,
            },
            character=card.name,
            character_tags=frozenset(card.tags),
            note_inserted=True,
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
            by_uid = _verdicts(activation, count)
        order = [one.uid for one in _in_prompt_order(activation)]
        return Trial(
            fired=tuple(by_uid[uid] for uid in order if by_uid[uid].fires),
            nearly=tuple(one for one in by_uid.values() if one.near),
            by_uid=by_uid,
            budget_tokens=activation.budget_tokens,
            used_tokens=activation.used_tokens,
            overflowed=activation.overflowed,
            passes=len(activation.passes),
            matching=_matching_keys(question),
        )

    def _engine_for(self, question: Question) -> LoreEngine:
        known, settings, rules = self._engine, question.settings(), question.terms.chosen.rules
        if known is None or known[0] is not question.book or known[1:3] != (settings, rules):
            books = BoundBooks(character=(question.book,))
            known = (question.book, settings, rules, LoreEngine(books, settings, rules_named(rules)))
            self._engine = known
        return known[3]


def _in_prompt_order(activation: Activation) -> list[LoreEntry]:
    """Return the accepted entries, highest order first."""
    entries = [one.candidate.entry for one in activation.accepted]
    return sorted(entries, key=lambda one: -one.order)


def _verdicts(activation: Activation, count: Count) -> dict[Uid, Verdict]:
    tokens = {one.candidate.entry.uid: count(f"{one.content}\n") for one in activation.accepted}
    chosen: dict[Uid, tuple[str, Outcome]] = {}
    for one in activation.verdicts():
        known = chosen.get(one.key.uid)
        if known is None or not known[1].accepted or one.outcome.reason is Reason.NOT_INSERTED:
            chosen[one.key.uid] = (one.name, one.outcome)
    return {
        uid: Verdict(uid, name, outcome.accepted, near(outcome), outcome.reason, sentence(outcome), tokens.get(uid, 0))
        for uid, (name, outcome) in chosen.items()
    }


def _matching_keys(question: Question) -> frozenset[str]:
    """Return which keys of the shown entry are in the text, each looked for by itself."""
    entry = question.shown
    if entry is None:
        return frozenset()
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
    engine = LoreEngine(BoundBooks(character=(book,)), settings, rules_named(question.terms.chosen.rules))
    scene = question.scene(1_000_000_000)
    fired = engine.activate(scene, chance=lambda: 0.0, count_tokens=lambda _text: 0).accepted
    return frozenset(keys[int(one.candidate.entry.uid)] for one in fired)
