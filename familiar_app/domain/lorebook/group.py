"""Inclusion groups: of the new entries that share a group name, at most one is kept."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field

from familiar_app.domain.lorebook.prepared import Candidate
from familiar_app.domain.lorebook.verdict import Outcome, Reason

Score = Callable[[Candidate], int]


@dataclass(slots=True)
class GroupContext:
    """What the contest depends on beside the entries themselves.

    `held` maps a group name to the entry and pass that took it earlier. `chance` gives numbers in [0, 1).
    """

    sticky: Collection[int]
    held: Mapping[str, tuple[Candidate, int]]
    score: Score
    scoring: bool
    chance: Callable[[], float]
    entangled: bool


@dataclass(slots=True)
class Contest:
    """New entries of one pass while groups are thinned out. `lost` says why an entry is gone."""

    kept: list[Candidate]
    context: GroupContext
    lost: dict[int, Outcome] = field(default_factory=dict)
    groups: dict[str, list[Candidate]] = field(default_factory=dict)

    def run(self) -> None:
        """Thin out all groups; `kept` is what is left, in order."""
        self.groups = _members(self.kept, loose=self.context.entangled)
        sticky = self._keep_sticky()
        self._keep_best_scores(sticky)
        for name, members in self.groups.items():
            if name not in sticky:
                self._decide(name, members)

    def _keep_sticky(self) -> set[str]:
        settled = set()
        for name, members in self.groups.items():
            staying = [one for one in members if one.index in self.context.sticky]
            if staying:
                settled.add(name)
                for one in list(members):
                    if one.index not in self.context.sticky:
                        self._remove(one, name, "sticky", staying[0])
        return settled

    def _keep_best_scores(self, settled: set[str]) -> None:
        for name, members in self.groups.items():
            wanted = self.context.scoring or any(one.entry.use_group_scoring for one in members)
            if name in settled or not wanted or not members:
                continue
            scores = {one.index: self.context.score(one) for one in members}
            best = max(members, key=lambda one: scores[one.index])
            for one in list(members):
                own = one.entry.use_group_scoring
                scored = self.context.scoring if own is None else own
                if scored and scores[one.index] < scores[best.index]:
                    self._remove(one, name, "score", best, score=scores[one.index], best=scores[best.index])
                    if self.context.entangled:
                        members.remove(one)

    def _decide(self, name: str, members: list[Candidate]) -> None:
        held = self.context.held.get(name)
        if held is not None:
            for one in list(members):
                detail = {"group": name, "by": held[0].entry.name, "pass": held[1]}
                self._take_out(one, Outcome(False, Reason.GROUP_HELD, detail))
            return
        if len(members) <= 1:
            return
        first = [one for one in members if one.entry.group_override]
        if first:
            winner = max(first, key=lambda one: one.entry.order)
            self._keep_only(name, members, winner, "priority")
            return
        drawn = self._draw(members)
        if drawn is not None:
            self._keep_only(name, members, drawn, "draw")

    def _draw(self, members: Sequence[Candidate]) -> Candidate | None:
        roll = self.context.chance() * sum(one.entry.group_weight for one in members)
        running = 0.0
        for one in members:
            running += one.entry.group_weight
            if running >= roll:
                return one
        return None

    def _keep_only(self, name: str, members: list[Candidate], winner: Candidate, how: str) -> None:
        for one in list(members):
            if one is not winner:
                self._remove(one, name, how, winner)

    def _remove(self, one: Candidate, group: str, how: str, winner: Candidate, **detail: int) -> None:
        self._take_out(
            one, Outcome(False, Reason.GROUP_LOST, {"group": group, "to": winner.entry.name, "how": how} | detail)
        )

    def _take_out(self, one: Candidate, outcome: Outcome) -> None:
        """Remove an entry once. Entangled rules hit the last entry instead when it is already gone."""
        if one in self.kept:
            self.kept.remove(one)
            self.lost[one.index] = outcome
        elif self.context.entangled and self.kept:
            bystander = self.kept.pop()
            self.lost[bystander.index] = Outcome(
                False, Reason.GROUP_LOST, dict(outcome.detail) | {"how": "entangled", "instead_of": one.entry.name}
            )
        if not self.context.entangled:
            for members in self.groups.values():
                if one in members:
                    members.remove(one)


def group_names(group: str, *, loose: bool) -> list[str]:
    """Split the names of an entry's groups. Loose splitting keeps spaces before a comma in the name."""
    names = re.split(r",\s*", group) if loose else [name.strip() for name in group.split(",")]
    return [name for name in names if name]


def _members(entries: Sequence[Candidate], *, loose: bool) -> dict[str, list[Candidate]]:
    """Return the members of each group. Names that read as whole numbers come first, in ascending order."""
    groups: dict[str, list[Candidate]] = {}
    for one in entries:
        for name in group_names(one.entry.group, loose=loose):
            members = groups.setdefault(name, [])
            if loose or one not in members:
                members.append(one)
    numeric = sorted((name for name in groups if _is_index(name)), key=int)
    return {name: groups[name] for name in [*numeric, *(name for name in groups if not _is_index(name))]}


def _is_index(name: str) -> bool:
    return bool(re.fullmatch(r"0|[1-9][0-9]{0,9}", name)) and int(name) < 2**32 - 1
