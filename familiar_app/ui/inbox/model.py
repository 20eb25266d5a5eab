"""The inbox of one familiar: its cases a page at a time, a filter, what is chosen, and the decisions. Knows no Qt."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import tzinfo

from familiar_app.domain.clock import Clock
from familiar_app.domain.errors import UserError
from familiar_app.domain.fact import Fact, FactId
from familiar_app.domain.ids import FamiliarId
from familiar_app.domain.projection import RetirementId, RetirementState
from familiar_app.domain.text import tr_later
from familiar_app.store.fact import Facts
from familiar_app.store.retirement_inbox import RetirementCase, RetirementCounts, Retirements
from familiar_app.ui.inbox.word import Deed, Source, done_text, names, source_of
from familiar_app.ui.kit.watch import Watched

PAGE = 50
MOST_SEARCHED = 5_000
MOST_SOURCES = 5
Pair = tuple[FactId, FactId]
Act = Callable[[RetirementId], Awaitable[Fact]]
FILTERS: tuple[tuple[RetirementState | None, str], ...] = (
    (None, tr_later("All")),
    (RetirementState.WAITING, tr_later("Waiting for you")),
    (RetirementState.ACTED, tr_later("Replaced")),
    (RetirementState.UNDONE, tr_later("Taken back")),
    (RetirementState.REFUSED, tr_later("Kept")),
)


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of a deed: the pairs of facts it was done to, and the first error among the others."""

    deed: Deed
    done: tuple[Pair, ...]
    failed: UserError | None = None

    @property
    def text(self) -> str:
        return done_text(self.deed, len(self.done))


class InboxModel(Watched):
    """Holds what the inbox shows. Tells `cases`, `counts` or `chosen`."""

    def __init__(
        self, familiar: FamiliarId, name: str, retirements: Retirements, facts: Facts, clock: Clock, zone: tzinfo
    ) -> None:
        super().__init__()
        self.familiar, self.name, self.zone = familiar, name, zone
        self._retirements, self._facts, self._clock = retirements, facts, clock
        self._acts: dict[Deed, Act] = {
            "accept": retirements.accept,
            "refuse": retirements.refuse,
            "undo": retirements.undo,
            "never": retirements.never,
        }
        self.state: RetirementState | None = None
        self.query = ""
        self.cases: list[RetirementCase] = []
        self.counts = RetirementCounts(0, 0, 0)
        self.loaded = self.more = False
        self.chosen: frozenset[Pair] = frozenset()
        self._new: set[Pair] = set()

    @property
    def badge(self) -> int:
        """How many ask for a look: what waits, or what came since the last look, whichever are more."""
        return max(self.counts.waiting, self.counts.unseen)

    @property
    def filtered(self) -> bool:
        return self.state is not None or bool(self.query.strip())

    def is_new(self, case: RetirementCase) -> bool:
        """Tell whether it came since the person last looked; it stays new until the inbox is left."""
        return pair_of(case) in self._new

    async def count(self) -> None:
        """Read how many there are; cheap."""
        self.counts = await self._retirements.counts(self.familiar)
        self.tell("counts")

    async def load(self) -> None:
        """Read as much as was shown, at least a page."""
        searching = bool(self.query.strip())
        limit = MOST_SEARCHED if searching else max(PAGE, len(self.cases))
        found = await self._retirements.page(self.familiar, state=self.state, limit=limit + 1)
        self.more = not searching and len(found) > limit
        self.cases = [one for one in found[:limit] if self._fits(one)]
        self._new |= {pair_of(one) for one in found if one.unseen}
        self.loaded = True
        self.choose(self.chosen & {pair_of(one) for one in self.cases})
        self.tell("cases")
        await self.count()

    async def load_more(self) -> None:
        """Read the next page behind what is shown."""
        if not self.more or not self.cases:
            return
        before = self.cases[-1].retirement.id
        found = await self._retirements.page(self.familiar, state=self.state, limit=PAGE + 1, before=before)
        self.more = len(found) > PAGE
        self.cases = [*self.cases, *found[:PAGE]]
        self._new |= {pair_of(one) for one in found if one.unseen}
        self.tell("cases")

    async def seen(self) -> None:
        """Remember that the person has looked at all there is by now."""
        await self._retirements.mark_seen(self.familiar, self._clock.now())
        await self.count()

    def leave(self) -> None:
        """Nothing is new any more: the person has looked and gone."""
        self._new.clear()

    def choose(self, pairs: Iterable[Pair]) -> None:
        """Choose cases by their two facts, whose numbers outlive a rebuild."""
        self.chosen = frozenset(pairs)
        self.tell("chosen")

    def chosen_cases(self) -> list[RetirementCase]:
        return [one for one in self.cases if pair_of(one) in self.chosen]

    def fit_for(self, deed: Deed) -> list[RetirementCase]:
        """Return the chosen cases to which a deed can be done."""
        return [one for one in self.chosen_cases() if can(deed, one)]

    async def do(self, deed: Deed, cases: Sequence[RetirementCase]) -> Outcome:
        """Decide about cases, one after the other; one that cannot be decided does not stop the others."""
        return await self._each(deed, {pair_of(one): one.retirement.id for one in cases}, self._acts[deed])

    async def do_again(self, outcome: Outcome) -> Outcome:
        """Do a deed again that was taken back."""
        return await self._each(outcome.deed, await self._numbers(outcome), self._acts[outcome.deed])

    async def take_back(self, outcome: Outcome) -> Outcome:
        """Bring the proposals of a deed back to how they stood before it."""
        return await self._each(outcome.deed, await self._numbers(outcome), self._retirements.reopen)

    async def sources(self, fact: FactId) -> list[Source]:
        """Return the turns a fact rests on."""
        history = await self._facts.history(fact)
        turns = () if history is None else history.sources[:MOST_SOURCES]
        return [source_of(turn, self.zone, self.familiar, self.name) for turn in turns]

    async def _numbers(self, outcome: Outcome) -> dict[Pair, RetirementId]:
        """Return the numbers the proposals have now: a rebuild gives them others, but leaves the facts theirs."""
        found = await self._retirements.page(self.familiar, limit=MOST_SEARCHED)
        return {pair_of(one): one.retirement.id for one in found if pair_of(one) in outcome.done}

    async def _each(self, deed: Deed, numbers: Mapping[Pair, RetirementId], act: Act) -> Outcome:
        done: list[Pair] = []
        failed: UserError | None = None
        for pair, number in numbers.items():
            try:
                await act(number)
            except UserError as error:
                failed = failed or error
            else:
                done.append(pair)
        await self.load()
        return Outcome(deed, tuple(done), failed)

    def _fits(self, case: RetirementCase) -> bool:
        one = case.retirement
        about = " ".join(names(case, self.familiar, self.name))
        searched = f"{one.prior.text} {one.successor.text} {one.reason} {about}".casefold()
        return all(word in searched for word in self.query.casefold().split())


def pair_of(case: RetirementCase) -> Pair:
    """Return the two facts a proposal is about."""
    return case.retirement.prior.id, case.retirement.successor.id


def can(deed: Deed, case: RetirementCase) -> bool:
    """Tell whether a deed can be done to a case as it stands."""
    one = case.retirement
    match deed:
        case "accept" | "refuse":
            return one.state is RetirementState.WAITING
        case "undo":
            return one.state is RetirementState.ACTED
        case "never":
            return not one.never
