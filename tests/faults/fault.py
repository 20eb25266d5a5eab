"""The language of faults: what goes wrong, when, and how it is said in one line.

A fault is a value. `at(3).sync.kills` kills the program at the third time that it forces something to the disk;
`from_(2).write.fails(ENOSPC)` is a disk that is full from the second write on.
"""

from __future__ import annotations

import errno
import random
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Literal

Operation = Literal["write", "sync", "name", "create"]
_ON: Mapping[Operation, int] = {"write": 1, "sync": 2, "name": 4, "create": 8}
_KILL, _TEAR, _FAIL, _DELAY, _KILL_AFTER, _JUMP = range(1, 7)

YEAR_S = 365 * 86_400


@dataclass(frozen=True)
class Fault:
    """What goes wrong while a command runs. `rule` is for `bad_disk.c`: (on, does, the nth, and all after it, with)."""

    name: str
    rule: tuple[int, int, int, int, int] | None = None
    kill_after_s: float | None = None
    limits: Mapping[str, int] = field(default_factory=dict)
    recorded: bool = False

    def __str__(self) -> str:
        return self.name

    @property
    def kills(self) -> bool:
        """Whether the program cannot say anything any more."""
        return self.kill_after_s is not None or (self.rule is not None and self.rule[1] in (_KILL, _TEAR, _KILL_AFTER))

    @property
    def harmless(self) -> bool:
        """Whether the command has to succeed in spite of it."""
        return (self.rule is None and not self.limits) or (self.rule is not None and self.rule[1] in (_DELAY, _JUMP))


NOTHING = Fault("nothing")
LOST_POWER = Fault("the power fails", recorded=True)


@dataclass(frozen=True)
class Moment:
    """When it happens: at the nth operation of a kind, or from then on."""

    nth: int
    forever: bool
    operation: Operation = "write"

    @property
    def write(self) -> Moment:
        return replace(self, operation="write")

    @property
    def sync(self) -> Moment:
        return replace(self, operation="sync")

    @property
    def name(self) -> Moment:
        return replace(self, operation="name")

    @property
    def create(self) -> Moment:
        return replace(self, operation="create")

    @property
    def kills(self) -> Fault:
        """Kill the program before it happens."""
        return self._does(_KILL, "killed before")

    @property
    def kills_after(self) -> Fault:
        """Kill the program as soon as it has happened."""
        return self._does(_KILL_AFTER, "killed after")

    @property
    def tears(self) -> Fault:
        """Do half of it, then kill the program."""
        return self._does(_TEAR, "killed in the middle of")

    def fails(self, number: int) -> Fault:
        """Let the system refuse it."""
        return self._does(_FAIL, f"{errno.errorcode[number]} for", number)

    def waits(self, seconds: float) -> Fault:
        """Let the disk take its time."""
        return self._does(_DELAY, f"{seconds * 1000:.0f} ms for", int(seconds * 1_000_000))

    def jumps(self, seconds: int) -> Fault:
        """Set the clock forward, or back where it is less than nothing."""
        return self._does(_JUMP, f"the clock is set by {seconds / 86_400:+.0f} days at", seconds)

    def _does(self, what: int, words: str, extra: int = 0) -> Fault:
        when = f"{'every' if self.forever else 'the'} {self.operation} {'from ' if self.forever else ''}{self.nth}"
        return Fault(f"{words} {when}", (_ON[self.operation], what, self.nth, int(self.forever), extra))


def at(nth: int) -> Moment:
    """The nth time only."""
    return Moment(nth, forever=False)


def from_(nth: int) -> Moment:
    """The nth time and every time after it."""
    return Moment(nth, forever=True)


def killed_after(seconds: float) -> Fault:
    """Kill the program and its children after a time."""
    return Fault(f"killed after {seconds * 1000:.0f} ms", kill_after_s=seconds)


def limited(**limits: int) -> Fault:
    """Let the system grant no more than this (names of `resource`; RLIMIT_AS counts from what is used already)."""
    return Fault("no more than " + ", ".join(f"{name}={value}" for name, value in limits.items()), limits=limits)


def any_fault(chance: random.Random, spans: Mapping[Operation, int], whole_s: float) -> Fault:
    """Choose a fault. `spans` tells how often an undisturbed run does each operation, `whole_s` how long it takes."""
    operation = chance.choices(list(spans), [0.35, 0.35, 0.15, 0.15])[0]
    nth = chance.randint(1, max(1, spans[operation]))
    kind = chance.choices(
        ["kill", "kill after", "tear", "fail", "full", "dead", "slow", "time", "jump"],
        [14, 10, 12, 14, 12, 6, 4, 12, 4],
    )[0]
    match kind:
        case "kill":
            return Moment(nth, False, operation).kills
        case "kill after":
            return Moment(nth, False, operation).kills_after
        case "tear":
            return Moment(nth, False, operation).tears
        case "fail":
            return Moment(nth, False, operation).fails(chance.choice([errno.EIO, errno.ENOSPC, errno.EDQUOT]))
        case "full":
            return Moment(nth, True, operation).fails(errno.ENOSPC)
        case "dead":
            return Moment(nth, True, operation).fails(chance.choice([errno.EIO, errno.EROFS]))
        case "slow":
            return from_(1).sync.waits(0.02)
        case "jump":
            return at(chance.randint(1, max(1, spans["sync"]))).sync.jumps(chance.choice([-YEAR_S, YEAR_S]))
    return killed_after(chance.uniform(0.0, whole_s))
