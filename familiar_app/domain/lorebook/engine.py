"""The lorebook engine: evaluates bound books against a scene, pass by pass.

Every number that came from chance or from the token counter is kept in the result, so that an evaluation can be
repeated exactly.
"""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum, auto

from familiar_app.domain.lorebook.activation import Activation, PassRecord
from familiar_app.domain.lorebook.budget import Budget, CountTokens, budget_tokens
from familiar_app.domain.lorebook.entry import BoundBooks
from familiar_app.domain.lorebook.group import Contest, GroupContext, group_names
from familiar_app.domain.lorebook.pattern import TimeAllowance
from familiar_app.domain.lorebook.placement import Accepted, place
from familiar_app.domain.lorebook.prepared import Candidate, PreparedBooks
from familiar_app.domain.lorebook.rules import FIXED, Rules
from familiar_app.domain.lorebook.scene import MAX_DEPTH, LoreSettings, Scene
from familiar_app.domain.lorebook.score import score
from familiar_app.domain.lorebook.selection import Selection
from familiar_app.domain.lorebook.timer import Clockwork, Timers
from familiar_app.domain.lorebook.verdict import Outcome, Reason
from familiar_app.domain.lorebook.window import PassState, Reader, Surroundings, Windows

Chance = Callable[[], float]
_HARD_PASS_LIMIT = 10_000


class LoreEngine:
    """The bound books of one chat under one set of settings and rules. Keep it; one thread at a time."""

    def __init__(self, books: BoundBooks, settings: LoreSettings, rules: Rules = FIXED) -> None:
        self._prepared = PreparedBooks(books, settings, rules)

    def activate(
        self, scene: Scene, *, chance: Chance, count_tokens: CountTokens, timers: Timers | None = None
    ) -> Activation:
        """Evaluate the books once. `chance` gives numbers in [0, 1); `count_tokens` has to be pure."""
        return _Evaluation(self._prepared, scene, chance, count_tokens, timers or Timers()).run()


class _PassKind(Enum):
    INITIAL = auto()
    RECURSION = auto()
    MIN_ACTIVATIONS = auto()


class _Evaluation:
    def __init__(
        self, books: PreparedBooks, scene: Scene, chance: Chance, count_tokens: CountTokens, timers: Timers
    ) -> None:
        self.books = books
        self.scene = scene
        self.settings = books.settings
        self.rules = books.rules
        self.rolls: list[float] = []
        self.counts: list[int] = []
        self._chance = chance
        self._count_tokens = count_tokens
        self.timers = timers
        effective = Timers() if scene.dry_run else timers
        self.clockwork = Clockwork(effective, books.timed, scene.chat_length, books.rules)
        self.selection = Selection(books, scene, self.clockwork)
        self.reader = Reader(books.table, books.scanner, books.rules, TimeAllowance(), set())
        limit = budget_tokens(self.settings, scene.prompt_tokens)
        self.budget = Budget(limit, self._count, books.rules.budget_forgets)
        self.around = Surroundings(scene)
        self.accepted: dict[int, Accepted] = {}
        self.failed: set[int] = set()
        self.crowded_out: set[int] = set()
        self.full_books: set[str] = set()
        self.held: dict[str, tuple[Candidate, int]] = {}
        self.recursed: list[str] = []
        self.recursed_text = ""
        self.levels = list(books.delay_levels)
        self.level = self.levels.pop(0) if self.levels else 0
        self.depth = self.settings.depth
        self.passes: list[PassRecord] = []

    def run(self) -> Activation:
        kind: _PassKind | None = _PassKind.INITIAL if self.books.candidates else None
        while kind is not None and not self._passes_used_up():
            kind = self._run_pass(kind)
        chosen = [one.candidate for one in self.accepted.values()]
        return Activation(
            books=self.books,
            selection=self.selection,
            accepted=tuple(self.accepted.values()),
            placement=place(self.accepted.values(), self.rules, note_inserted=self.scene.note_inserted),
            passes=tuple(self.passes),
            overflowed=self.budget.overflowed,
            budget_tokens=self.budget.limit,
            used_tokens=self.budget.accepted_tokens,
            timers=self.timers if self.scene.dry_run else self.clockwork.start(chosen),
            rolls=tuple(self.rolls),
            counts=tuple(self.counts),
            slow_patterns=tuple(sorted(self.reader.slow)),
        )

    def _passes_used_up(self) -> bool:
        done = len(self.passes)
        return done >= _HARD_PASS_LIMIT or 0 < self.settings.max_passes <= done

    def _run_pass(self, kind: _PassKind) -> _PassKind | None:
        recursed = [] if kind is _PassKind.MIN_ACTIVATIONS else self.recursed
        windows = Windows(self.reader, self.around, recursed, self.passes[-1].state.windows if self.passes else None)
        number = len(self.passes) + 1
        state = PassState(number, kind is _PassKind.RECURSION, self.level, self.depth, windows)
        settled = frozenset(self.accepted) | self.failed
        outcomes = self.selection.judge(state, settled)
        self.passes.append(PassRecord(state, settled, outcomes))
        contest = self._contest(state, outcomes)
        outcomes.update(contest.lost)
        survivors = contest.kept
        self._admit(survivors, state, outcomes)
        self._hold_groups(survivors, number)
        lasting = [one for one in survivors if one.index not in self.failed | self.crowded_out]
        return self._next_kind(kind, lasting)

    def _contest(self, state: PassState, outcomes: dict[int, Outcome]) -> Contest:
        asking = [self.books.candidates[index] for index, outcome in outcomes.items() if outcome.accepted]
        asking.sort(key=self._rank)
        context = GroupContext(
            sticky=self.clockwork.sticky,
            held=self.held,
            score=lambda one: score(one, self.selection.window(one, state), self.books, self.scene.expand),
            scoring=self.settings.group_scoring,
            chance=self._roll,
            entangled=self.rules.groups_entangled,
        )
        contest = Contest(asking, context)
        contest.run()
        return contest

    def _rank(self, candidate: Candidate) -> tuple[bool, bool, bool, bool, int]:
        """Order entries for budget and ties: sticky, forced, constants if wanted, then scan order."""
        return (
            candidate.marks.gives_way,
            candidate.index not in self.clockwork.sticky,
            not self.selection.is_forced(candidate),
            not (self.settings.constants_first and candidate.entry.constant),
            candidate.index,
        )

    def _admit(self, survivors: list[Candidate], state: PassState, outcomes: dict[int, Outcome]) -> None:
        """Roll for each entry and take it while the budget lasts."""
        self.budget.start_pass(self.recursed_text)
        closed = self.budget.overflowed
        for one in survivors:
            if closed and not one.entry.ignore_budget:
                outcomes[one.index] = Outcome(False, Reason.BUDGET, self.budget.detail(self.budget.accepted_tokens))
                continue
            failure = self._fails_roll(one)
            if failure is not None:
                self.failed.add(one.index)
                outcomes[one.index] = failure
                continue
            content = self.scene.expand(one.content)
            refusal = self._refuses(one, content)
            if refusal is not None:
                closed = closed or (self.budget.overflowed and not self.settings.fill_gaps)
                outcomes[one.index] = refusal
                continue
            self.budget.take(one.key, one.entry.name, content)
            self.accepted[one.index] = Accepted(one, content, state.number)

    def _refuses(self, candidate: Candidate, content: str) -> Outcome | None:
        limit = self.settings.max_entries
        if 0 < limit <= len(self.accepted) and not candidate.entry.ignore_budget:
            self.crowded_out.add(candidate.index)
            return Outcome(False, Reason.BUDGET, {"entries": len(self.accepted), "limit_entries": limit})
        full = self._fills_book(candidate, content)
        if full is not None:
            self.crowded_out.add(candidate.index)
            return full
        total = self.budget.total_with(content)
        if candidate.entry.ignore_budget:
            return None
        if total >= self.budget.limit and not self._make_room(candidate, total - self.budget.limit):
            self.budget.overflowed = self.budget.overflowed or not candidate.marks.gives_way
            return Outcome(False, Reason.BUDGET, self.budget.detail(total))
        return None

    def _fills_book(self, candidate: Candidate, content: str) -> Outcome | None:
        """Refuse what its own book has no room for; the other books are not touched by it."""
        book, limit = candidate.key.book, candidate.book_budget
        if not limit or candidate.entry.ignore_budget:
            return None
        total = self.budget.book_total_with(book, content)
        if book not in self.full_books and (total < limit or self._make_room(candidate, total - limit, book)):
            return None
        if not self.settings.fill_gaps and not candidate.marks.gives_way:
            self.full_books.add(book)
        return Outcome(False, Reason.BUDGET, self.budget.book_detail(book, total, limit))

    def _make_room(self, candidate: Candidate, excess: int, book: str | None = None) -> bool:
        """Put out entries that give way, the last ones first, where that frees more tokens than the excess."""
        giving_way = [one for one in reversed(self.accepted.values()) if one.candidate.marks.gives_way]
        leaving, freed = [], 0
        for one in giving_way:
            if freed <= excess and book in (None, one.candidate.key.book):
                leaving.append(one)
                freed += self.budget.tokens_of(one.candidate.key)
        if candidate.marks.gives_way or freed <= excess:
            return False
        for one in leaving:
            index = one.candidate.index
            del self.accepted[index]
            self.failed.add(index)
            self.budget.give_back(one.candidate.key)
            detail = {"gave_way_to": candidate.entry.name}
            self.passes[one.number - 1].outcomes[index] = Outcome(False, Reason.BUDGET, detail)
        return True

    def _fails_roll(self, candidate: Candidate) -> Outcome | None:
        entry = candidate.entry
        if not entry.use_probability or entry.probability == 100 or candidate.index in self.clockwork.sticky:
            return None
        roll = self._roll() * 100
        passes = roll <= entry.probability if self.rules.rolls_inclusive else roll < entry.probability
        return None if passes else Outcome(False, Reason.ROLL, {"roll": roll, "limit": entry.probability})

    def _hold_groups(self, survivors: list[Candidate], number: int) -> None:
        """Note which groups the newly accepted entries have taken."""
        for one in survivors:
            if one.index in self.accepted and one.entry.group:
                loose = self.rules.groups_entangled
                names = [one.entry.group] if loose else group_names(one.entry.group, loose=False)
                for name in names:
                    self.held.setdefault(name, (one, number))

    def _next_kind(self, kind: _PassKind, new: list[Candidate]) -> _PassKind | None:
        recursing = [one for one in new if not one.entry.prevent_recursion]
        if not self.rules.budget_forgets:
            recursing = [one for one in recursing if one.index in self.accepted]
        if not self.settings.recursive and self.rules.obeys_decorators:
            recursing = [one for one in recursing if one.marks.recurses]
        by_text = any(one.marks.recurses for one in recursing)
        following = self._decide_next(kind, bool(recursing), recursive=self.settings.recursive or by_text)
        if following is not None:
            text = "\n".join(self._content(one) for one in recursing)
            self.recursed.append(text)
            self.recursed_text = f"{text}\n{self.recursed_text}"
        return following

    def _decide_next(self, kind: _PassKind, has_new: bool, *, recursive: bool) -> _PassKind | None:
        may_recurse = recursive and not self.budget.overflowed
        if may_recurse and has_new:
            return _PassKind.RECURSION
        if may_recurse and kind is _PassKind.MIN_ACTIVATIONS and self.recursed:
            return _PassKind.RECURSION
        if self._wants_more():
            self.depth += 1
            return _PassKind.MIN_ACTIVATIONS
        if self.levels and (may_recurse or self.rules.levels_run_alone):
            self.level = self.levels.pop(0)
            return _PassKind.RECURSION
        return None

    def _wants_more(self) -> bool:
        """Tell whether too few entries are in and there are older messages to look at."""
        settings = self.settings
        if self.budget.overflowed or len(self.accepted) >= settings.min_activations:
            return False
        too_deep = 0 < settings.min_activations_depth < self.depth
        return not too_deep and self.depth <= min(len(self.scene.messages), MAX_DEPTH)

    def _content(self, candidate: Candidate) -> str:
        accepted = self.accepted.get(candidate.index)
        return accepted.content if accepted else self.scene.expand(candidate.content)

    def _roll(self) -> float:
        self.rolls.append(self._chance())
        return self.rolls[-1]

    def _count(self, text: str) -> int:
        self.counts.append(self._count_tokens(text))
        return self.counts[-1]
