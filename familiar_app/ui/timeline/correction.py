"""The owner's corrections from the Timeline, each of which can be taken back and done again.

Every change and every undo is an act of the owner in the log, so a rebuild brings back where the person left off.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Literal

from familiar_app.domain.errors import UserError
from familiar_app.domain.fact import Fact, FactId, NewFact, Subject
from familiar_app.domain.ids import FamiliarId, PersonKey, TurnId
from familiar_app.domain.text import ntr, tr

if TYPE_CHECKING:
    from familiar_app.store.fact import Facts

MOST_STEPS = 200
ORIGIN = "owner"


@dataclass(frozen=True, slots=True)
class Act:
    """One thing to do to one fact; `by` is the fact it is retired for."""

    kind: Literal["retire", "restore"]
    fact: FactId
    by: FactId | None = None


@dataclass(frozen=True, slots=True)
class Step:
    """One change as the person knows it: its name, the acts that do it again, and those that take it back."""

    title: str
    again: tuple[Act, ...]
    back: tuple[Act, ...]


@dataclass(frozen=True, slots=True)
class Wish:
    """What a fact is to say. `importance` is 1 to 10 or None."""

    text: str
    about: tuple[Subject, ...] = ()
    valid_from: datetime | None = None
    valid_to: datetime | None = None
    importance: int | None = None


class Corrections:
    """Changes to the facts of one familiar. A method returns when the change is on the disk."""

    def __init__(self, facts: Facts, familiar: FamiliarId) -> None:
        self._facts, self._familiar = facts, familiar
        self.done: list[Step] = []
        self.undone: list[Step] = []

    async def add(self, wish: Wish) -> tuple[Fact, bool]:
        """Store what the owner says. False where it was believed already, which leaves nothing to take back."""
        fact, created = await self._facts.add_by_owner(
            self._familiar,
            wish.text,
            subjects=[one.key for one in wish.about],
            importance=wish.importance,
            valid_from=wish.valid_from,
            valid_to=wish.valid_to,
        )
        if created:
            self._note(Step(tr("Fact added"), (Act("restore", fact.id),), (Act("retire", fact.id),)))
        return fact, created

    async def edit(self, prior: Fact, wish: Wish) -> Fact:
        """Put another fact in the place of one; it keeps sources and place."""
        fact, created = await self._replace(prior, wish)
        self._note(_replacing(tr("Fact changed"), [prior.id], fact.id, created=created))
        return fact

    async def redate(self, priors: Sequence[Fact], valid_from: datetime | None, valid_to: datetime | None) -> int:
        """Give facts other dates in the world; returns how many were changed."""
        wishes = [Wish(prior.text, prior.subjects, valid_from, valid_to, prior.importance) for prior in priors]
        return await self._replace_each(tr("Dates changed"), list(zip(priors, wishes, strict=True)))

    async def reassign(self, priors: Sequence[Fact], wrong: PersonKey | None, right: Sequence[Subject]) -> int:
        """Let facts be about `right` in the place of `wrong`, or of everybody where that is None; the rest stays.

        Returns how many were changed. Raises UserError where none is to be.
        """
        changes = []
        for prior in priors:
            about = put_in_place(prior.subjects, wrong, right)
            if {one.key for one in about} != {one.key for one in prior.subjects}:
                valid = prior.valid
                changes.append((prior, Wish(prior.text, about, valid.since, valid.until, prior.importance)))
        if not changes:
            raise UserError(tr("These facts are about them already."), tr("There is nothing to change."))
        return await self._replace_each(tr("About somebody else"), changes)

    async def retire(self, facts: Sequence[FactId]) -> int:
        """Stop believing facts; returns how many were believed until now."""
        retired = [one for one in facts if await self._try(Act("retire", one))]
        if not retired:
            raise UserError(tr("These facts are retired already."), tr("There is nothing to change."))
        back = tuple(Act("restore", one) for one in retired)
        title = ntr("Fact retired", "{n} facts retired", len(retired))
        self._note(Step(title, tuple(Act("retire", one) for one in retired), back))
        return len(retired)

    async def restore(self, facts: Sequence[Fact]) -> int:
        """Believe retired facts again; returns how many were."""
        restored = [one for one in facts if await self._try(Act("restore", one.id))]
        if not restored:
            raise UserError(tr("These facts are believed already."), tr("There is nothing to change."))
        back = tuple(Act("retire", one.id, one.superseded_by) for one in restored)
        again = tuple(Act("restore", one.id) for one in restored)
        self._note(Step(ntr("Fact restored", "{n} facts restored", len(restored)), again, back))
        return len(restored)

    async def merge(self, priors: Sequence[Fact], wish: Wish) -> Fact:
        """Put one fact in the place of several; it rests on the sources of all of them."""
        first, *others = priors
        sources = tuple(dict.fromkeys(turn for one in priors for turn in one.source_turns))
        fact, created = await self._replace(first, wish, sources)
        # Where the words are those of one of them, that one stays and takes in the rest.
        apart = [one.id for one in others if one.id != fact.id]
        merged = [first.id, *[one for one in apart if await self._try(Act("retire", one, fact.id))]]
        title = ntr("Fact merged", "{n} facts merged", len(priors))
        self._note(_replacing(title, merged, fact.id, created=created))
        return fact

    async def undo(self) -> str:
        """Take back the last change and return what it was, "" where there is none."""
        if not self.done:
            return ""
        step = self.done.pop()
        await self._run(step.back)
        self.undone.append(step)
        return step.title

    async def redo(self) -> str:
        """Do again what was taken back last and return what it was, "" where there is none."""
        if not self.undone:
            return ""
        step = self.undone.pop()
        await self._run(step.again)
        self.done.append(step)
        return step.title

    async def _run(self, acts: Sequence[Act]) -> None:
        """Do what can still be done. Raises UserError where nothing can, since others have changed it meanwhile."""
        worked = [await self._try(act) for act in acts]
        if not any(worked):
            raise UserError(
                tr("This has been changed by something else meanwhile."), tr("Look at the facts as they are now.")
            )

    async def _try(self, act: Act) -> bool:
        """Carry out an act; False where the fact stands so already."""
        known = await self._facts.get(act.fact)
        if known is None or (known.superseded_at is None) is (act.kind == "restore"):
            return False
        if act.kind == "restore":
            await self._facts.restore_by_owner(act.fact)
            return True
        successor = None if act.by is None else await self._facts.get(act.by)
        usable = successor is not None and successor.superseded_at is None
        await self._facts.retire_by_owner(act.fact, by=act.by if usable else None)
        return True

    async def _replace(self, prior: Fact, wish: Wish, sources: Sequence[TurnId] | None = None) -> tuple[Fact, bool]:
        """Put a fact in the place of one. False where it was believed before; taking back leaves it alone then."""
        newest = await self._facts.newest_id(self._familiar)
        fact = await self._facts.edit_by_owner(prior.id, self._new(prior, wish, sources))
        return fact, fact.id > newest

    async def _replace_each(self, title: str, changes: Sequence[tuple[Fact, Wish]]) -> int:
        """Put a fact in the place of each of several, as one step; returns how many."""
        again: tuple[Act, ...] = ()
        back: tuple[Act, ...] = ()
        for prior, wish in changes:
            fact, created = await self._replace(prior, wish)
            step, more = _replacing("", [prior.id], fact.id, created=created), bool(again)
            again, back = again + step.again, step.back + back
            # Noted as it goes, so that what was done before a failure can be taken back.
            self._note(Step(title, again, back), instead=more)
        return len(changes)

    def _new(self, prior: Fact, wish: Wish, sources: Sequence[TurnId] | None = None) -> NewFact:
        return NewFact(
            familiar=self._familiar,
            text=wish.text.strip(),
            origin=ORIGIN,
            subjects=wish.about,
            source_turns=prior.source_turns if sources is None else tuple(sources),
            channel=prior.channel,
            importance=wish.importance,
            valid_from=wish.valid_from,
            valid_to=wish.valid_to,
        )

    def _note(self, step: Step, *, instead: bool = False) -> None:
        if instead:
            self.done.pop()
        self.done.append(step)
        del self.done[:-MOST_STEPS]
        self.undone.clear()


def subjects_of(keys: Sequence[PersonKey], labels: dict[PersonKey, str]) -> tuple[Subject, ...]:
    """Return people as subjects, under the names they have now."""
    return tuple(Subject(key, labels.get(key, key.partition(":")[2] or key)) for key in dict.fromkeys(keys))


def put_in_place(subjects: Sequence[Subject], wrong: PersonKey | None, right: Sequence[Subject]) -> tuple[Subject, ...]:
    """Return subjects with `right` in the place of `wrong`, or of everybody where that is None; each once."""
    found = right if wrong is None else [new for one in subjects for new in (right if one.key == wrong else (one,))]
    return tuple({one.key: one for one in reversed(found)}.values())[::-1]


def _replacing(title: str, priors: Sequence[FactId], by: FactId, *, created: bool) -> Step:
    """Return the step that puts `by` in the place of facts; one that was believed before stays when it is undone."""
    again = tuple(Act("retire", one, by) for one in priors)
    back = tuple(Act("restore", one) for one in priors)
    if created:
        again, back = (Act("restore", by), *again), (Act("retire", by), *back)
    return Step(title, again, back)
