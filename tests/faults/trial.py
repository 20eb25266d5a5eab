"""One trial: an act, a fault, and what was missed afterwards."""

from __future__ import annotations

import random
import shutil
import time
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from tests.e2e.cli.conftest import Familiar
from tests.faults import check, lost_power
from tests.faults.act import ACTS, WEIGHTS
from tests.faults.fault import LOST_POWER, NOTHING, Fault, any_fault
from tests.faults.house import House, Known, Ran

IMAGES = 6
"""How many moments of a power failure one recorded run gives."""


@dataclass
class Tally:
    """What was tried so far."""

    faults: Counter[str] = field(default_factory=Counter)
    acts: Counter[str] = field(default_factory=Counter)
    endings: Counter[int] = field(default_factory=Counter)
    missed: list[str] = field(default_factory=list)

    @property
    def count(self) -> int:
        return sum(self.faults.values())

    def __str__(self) -> str:
        parts = (f"{self.count} faults, {len(self.missed)} misses", self.faults, self.acts, self.endings)
        return "; ".join(str(part) for part in parts)


@dataclass
class Trials:
    """Trials with faults by chance, repeatable by their seed."""

    house: House
    past: House
    chance: random.Random
    scratch: Path
    tally: Tally = field(default_factory=Tally)
    _spans: dict[str, tuple[Mapping[str, int], float]] = field(default_factory=dict)
    _number: int = 0

    def one(self) -> list[str]:
        """Let one act by chance meet one fault by chance, or several power failures. Returns what was missed."""
        known = len(self.tally.missed)
        self._number += 1
        act = self.chance.choices(list(ACTS), [WEIGHTS.get(name, 1) for name in ACTS])[0]
        self.house.begin_again(self.past)
        if self.chance.random() < 0.12:
            self._power(act)
        else:
            fault = any_fault(self.chance, *self._span(act))  # type: ignore[arg-type]
            self._strike(act, fault)
        return self.tally.missed[known:]

    def _strike(self, act: str, fault: Fault) -> None:
        before = self._before()
        attempt = ACTS[act](self.house, self._number)
        ran = self.house.run(*attempt.argv, fault=fault)
        missed = check.after(self.house, before, attempt, ran, fault.harmless)
        missed += check.once_more(self.house, attempt)
        self._note(act, fault, ran.code, missed)

    def _power(self, act: str) -> None:
        before = self._before()
        attempt = ACTS[act](self.house, self._number)
        whole, image = self.scratch / "before", self.scratch / "after"
        shutil.rmtree(whole, ignore_errors=True)
        shutil.copytree(self.house.base, whole)
        ran = self.house.run(*attempt.argv, fault=LOST_POWER)
        assert ran.record is not None
        deeds = lost_power.read_record(ran.record)
        ran.record.unlink()
        for moment in lost_power.failures(whole, deeds, self.chance, IMAGES, self.house.base, image):
            done = moment == len(deeds)
            said = ran if done else Ran(ran.argv, -9, "", lost_power.said_before(deeds, moment))
            after = House(Familiar(image / "root", image / "outside"), self.house.nursery)
            missed = check.after(after, before, attempt, said, harmless=False)
            self._note(act, LOST_POWER, -9, [f"{one} (after {moment} of {len(deeds)} deeds)" for one in missed])

    def _before(self) -> Mapping[int, str]:
        found = self.house.look()
        assert isinstance(found, Known), found
        return found.turns

    def _span(self, act: str) -> tuple[Mapping[str, int], float]:
        """Tell how often an undisturbed run does each operation, and how long it takes."""
        if act not in self._spans:
            attempt = ACTS[act](self.house, 0)
            ran = self.house.run(*attempt.argv, fault=LOST_POWER)
            assert ran.record is not None
            assert ran.code == 0, ran.out + ran.err
            counted = lost_power.spans(lost_power.read_record(ran.record))
            ran.record.unlink()
            self.house.begin_again(self.past)
            attempt = ACTS[act](self.house, 0)
            began = time.monotonic()
            self.house.run(*attempt.argv, fault=NOTHING)
            self._spans[act] = counted, time.monotonic() - began
            self.house.begin_again(self.past)
        return self._spans[act]

    def _note(self, act: str, fault: Fault, code: int, missed: list[str]) -> None:
        self.tally.faults[kind_of(fault)] += 1
        self.tally.acts[act] += 1
        self.tally.endings[code] += 1
        self.tally.missed += [f"trial {self._number}, {act}, {fault} (ended with {code}): {one}" for one in missed]


def kind_of(fault: Fault) -> str:
    """Return the name of a fault without its moment."""
    return fault.name.split(" after ")[0] if fault.kill_after_s is not None else fault.name.rstrip("0123456789 ")
