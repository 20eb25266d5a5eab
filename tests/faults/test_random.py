"""Faults by chance: nothing that was acknowledged is lost, and the program says what happened."""

from __future__ import annotations

import os
import random
from pathlib import Path

import pytest

from tests.faults.house import House
from tests.faults.trial import Trials

DEFAULT = 36
SEED = int(os.environ.get("FAMILIAR_FAULTS_SEED", "20240501"))
COUNT = int(os.environ.get("FAMILIAR_FAULTS", DEFAULT))


@pytest.mark.slow
@pytest.mark.timeout(max(600, 60 * COUNT))
def test_nothing_acknowledged_is_lost_whatever_goes_wrong(house: House, past: House, tmp_path: Path) -> None:
    trials = Trials(house, past, random.Random(SEED), tmp_path)
    while trials.tally.count < COUNT:
        for missed in trials.one():
            print(f"\n{missed}", flush=True)  # noqa: T201
    print(trials.tally)  # noqa: T201
    assert not trials.tally.missed, "\n".join(trials.tally.missed)
    endings = trials.tally.endings
    assert max(endings.values()) < 0.9 * endings.total(), "nearly every run ended in one way: the faults came too late"
