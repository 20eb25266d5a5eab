"""The first step of a pass: which entries ask to come in, and why the others do not."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import Any

from familiar_app.domain.lorebook.condition import Conditions
from familiar_app.domain.lorebook.decoration import FOREVER, KEEPS, RESTS
from familiar_app.domain.lorebook.decorators import ACTIVATE, DONT_ACTIVATE
from familiar_app.domain.lorebook.entry import SecondaryLogic
from familiar_app.domain.lorebook.nearmiss import nearest_miss, vector_detail
from familiar_app.domain.lorebook.prepared import Candidate, PreparedBooks
from familiar_app.domain.lorebook.scene import TRIGGERS, Scene
from familiar_app.domain.lorebook.timer import Clockwork
from familiar_app.domain.lorebook.verdict import Outcome, Reason
from familiar_app.domain.lorebook.window import PassState, Window


class Selection:
    """Judges entries in one evaluation."""

    def __init__(self, books: PreparedBooks, scene: Scene, clockwork: Clockwork) -> None:
        self._books = books
        self._scene = scene
        self._clockwork = clockwork
        self._conditions = Conditions(books, scene)
        self._recursion_counts = books.settings.recursive or books.rules.obeys_decorators
        self._levels_open = books.settings.recursive or books.rules.levels_run_alone
        self._trigger = scene.trigger if scene.trigger in TRIGGERS else "normal"
        likeness = scene.likeness
        self._near = likeness.nearest if likeness is not None else frozenset()
        asked = scene.forced | self._near
        self._forced = {one.index for one in books.candidates if self._asked_for(one)} if asked else set()

    def is_forced(self, candidate: Candidate) -> bool:
        """Tell whether something outside asked for the entry, or its meaning did."""
        return candidate.index in self._forced

    def _asked_for(self, candidate: Candidate) -> bool:
        return candidate.key in self._scene.forced or (candidate.entry.vectorized and candidate.key in self._near)

    def window(self, candidate: Candidate, state: PassState) -> Window:
        """Return the text in which this entry looks for its keys."""
        depth = state.depth if candidate.scan_depth is None else candidate.scan_depth
        return state.windows.get(depth, candidate.entry.sources)

    def judge(self, state: PassState, settled: Collection[int]) -> dict[int, Outcome]:
        """Return outcomes by index. Entries that are missing are settled, or can't come in; `explain` says why."""
        outcomes: dict[int, Outcome] = {}
        for candidate in self._to_judge(state):
            if candidate.index not in settled and candidate.index not in outcomes:
                outcomes[candidate.index] = self._judge(candidate, state)
        return outcomes

    def explain(self, candidate: Candidate, state: PassState, slow: Collection[int]) -> Outcome:
        """Return the outcome of an entry that `judge` passed over, with its nearest miss."""
        outcome = self._judge(candidate, state)
        if outcome.reason is Reason.NO_MATCH:
            miss = nearest_miss(candidate, state, self._books, self._scene, slow)
            return Outcome(False, Reason.NO_MATCH, {"nearest": miss})
        return outcome

    def _to_judge(self, state: PassState) -> Iterator[Candidate]:
        yield from self._books.slow_path
        yield from (self._books.candidates[index] for index in self._forced | self._clockwork.sticky)
        for depth, sources in self._books.reaches:
            window = state.windows.get(state.depth if depth is None else depth, sources)
            for number in window.hits:
                for candidate in self._books.by_key.get(number, ()):
                    if candidate.scan_depth == depth and candidate.entry.sources == sources:
                        yield candidate

    def _judge(self, candidate: Candidate, state: PassState) -> Outcome:
        return (
            self._barred(candidate)
            or self._waiting(candidate, state)
            or self._let_in(candidate, state)
            or self._match(candidate, self.window(candidate, state))
        )

    def _barred(self, candidate: Candidate) -> Outcome | None:
        """Apply what holds in every pass: switches, triggers, filters, timers."""
        entry = candidate.entry
        if not entry.enabled:
            return _out(Reason.DISABLED)
        if candidate.closed_folder is not None:
            return _out(Reason.DISABLED, folder=candidate.closed_folder)
        if entry.triggers and self._trigger not in entry.triggers:
            return _out(Reason.TRIGGER, trigger=self._trigger, wanted=list(entry.triggers))
        filtered = self._filtered(candidate)
        if filtered is not None:
            return filtered
        if self._clockwork.delayed(candidate):
            return _out(Reason.DELAY, messages=self._scene.chat_length, wanted=entry.delay)
        if candidate.index in self._clockwork.cooldown and candidate.index not in self._clockwork.sticky:
            if ("cooldown", FOREVER) in candidate.marks.changes:
                return _out(Reason.COOLDOWN, decorator=RESTS)
            return _out(Reason.COOLDOWN, messages_left=self._clockwork.left(candidate, "cooldown"))
        return None

    def _filtered(self, candidate: Candidate) -> Outcome | None:
        wanted, scene = candidate.entry.character_filter, self._scene
        if wanted is None:
            return None
        if wanted.names and (scene.character in wanted.names) == wanted.exclude:
            return _out(Reason.NAME_FILTER, exclude=wanted.exclude)
        tags = scene.character_tags
        if tags is None and not self._books.rules.untagged_passes_tag_filter:
            tags = frozenset()
        if wanted.tags and tags is not None and bool(tags & set(wanted.tags)) == wanted.exclude:
            return _out(Reason.TAG_FILTER, exclude=wanted.exclude)
        return None

    def _waiting(self, candidate: Candidate, state: PassState) -> Outcome | None:
        """Apply what holds in some passes only; a sticky entry passes."""
        entry = candidate.entry
        if candidate.index in self._clockwork.sticky:
            return None
        level = entry.delay_until_recursion
        open_level = state.level if state.recursing and self._levels_open else 0
        if level and level > open_level:
            return _out(Reason.WAIT_RECURSION, level=level, open_level=open_level)
        if entry.exclude_recursion and state.recursing and self._recursion_counts:
            return _out(Reason.EXCLUDE_RECURSION)
        return None

    def _let_in(self, candidate: Candidate, state: PassState) -> Outcome | None:
        """Apply what needs no key. A pattern entry that says so by itself can't be constant."""
        sticky = candidate.index in self._clockwork.sticky
        if candidate.marks.activate:
            return Outcome(True, Reason.DECORATOR, {"decorator": ACTIVATE})
        if candidate.marks.dont_activate:
            return _out(Reason.DECORATOR, decorator=DONT_ACTIVATE)
        untimely = None if sticky else self._conditions.untimely(candidate)
        if untimely is not None:
            return untimely
        if candidate.key in self._scene.forced:
            return Outcome(True, Reason.FORCED)
        if self.is_forced(candidate):
            return Outcome(True, Reason.VECTOR, vector_detail(candidate, self._scene) or {})
        if candidate.entry.constant and not self._patterns_only(candidate):
            refused = None if sticky else self._conditions.refuses(candidate, self.window(candidate, state))
            return refused or Outcome(True, Reason.CONSTANT)
        return self._stays(candidate) if sticky else None

    def _stays(self, candidate: Candidate) -> Outcome:
        if ("sticky", FOREVER) in candidate.marks.changes:
            return Outcome(True, Reason.STICKY, {"decorator": KEEPS})
        return Outcome(True, Reason.STICKY, {"messages_left": self._clockwork.left(candidate, "sticky")})

    def _patterns_only(self, candidate: Candidate) -> bool:
        return self._books.rules.obeys_use_regex and candidate.entry.use_regex is True

    def _match(self, candidate: Candidate, window: Window) -> Outcome:
        if not candidate.primary:
            return _out(Reason.NO_MATCH if candidate.entry.vectorized else Reason.NO_KEYS)
        for key in candidate.primary:
            match = window.find(self._books.number(key, candidate, self._scene.expand))
            if match is None:
                continue
            detail: dict[str, Any] = {"key": key.text, **match.to_json()}
            secondary = self._secondary(candidate, window)
            if secondary is None or secondary.accepted:
                refused = self._conditions.refuses(candidate, window)
                if refused is not None:
                    return Outcome(False, refused.reason, detail | dict(refused.detail))
                return Outcome(True, Reason.KEY, detail | dict(secondary.detail if secondary else {}))
            return _out(Reason.SECONDARY, **detail, **secondary.detail)
        return _out(Reason.NO_MATCH)

    def _secondary(self, candidate: Candidate, window: Window) -> Outcome | None:
        """Judge the secondary keys, None where they do not count."""
        entry = candidate.entry
        if not entry.selective or not candidate.secondary or self._patterns_only(candidate):
            return None
        hit: list[str] = []
        missed: list[str] = []
        for key in candidate.secondary:
            found = window.find(self._books.number(key, candidate, self._scene.expand))
            (missed if found is None else hit).append(key.text)
        logic = entry.logic or SecondaryLogic.AND_ANY
        passes = {
            SecondaryLogic.AND_ANY: bool(hit),
            SecondaryLogic.NOT_ALL: bool(missed),
            SecondaryLogic.NOT_ANY: not hit,
            SecondaryLogic.AND_ALL: not missed,
        }[logic]
        detail = {"logic": logic.name.lower().replace("_", "-"), "secondary_hit": hit, "secondary_missed": missed}
        return Outcome(passes, Reason.KEY if passes else Reason.SECONDARY, detail)


def _out(reason: Reason, **detail: Any) -> Outcome:
    return Outcome(False, reason, detail)
