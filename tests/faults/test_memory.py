"""Too little memory: a command that runs out of it says so or is ended, and the vault stays whole."""

from __future__ import annotations

import pytest

from tests.faults import check
from tests.faults.act import lines_of
from tests.faults.fault import limited
from tests.faults.house import House, Known

pytestmark = pytest.mark.slow
MEBIBYTE = 1024 * 1024
ABORTED = -6
"""Native code that gets no memory ends its process."""


@pytest.fixture
def long(house: House) -> House:
    """A log that makes an index worth the word."""
    assert house.run("import", str(lines_of(house.outside / "long.jsonl", "long", 8_000))).code == 0
    return house


def test_an_index_that_gets_no_memory_leaves_the_vault_whole(long: House) -> None:
    before = long.look()
    assert isinstance(before, Known)
    endings = []
    for room in (8, 24, 48, 96, 160, 320, 4_000):
        for argv in (("recall", "quince mill"), ("say", f"with {room} MB")):
            ran = long.run(*argv, fault=limited(RLIMIT_AS=room * MEBIBYTE))
            endings.append(ran.code)
            if ran.code != ABORTED:
                assert not list(check.ending(ran)), (room, argv, list(check.ending(ran)))
            found = long.look()
            assert isinstance(found, Known), found
            assert not found.problems
            assert before.turns.items() <= found.turns.items()
            if argv[0] == "say" and "is stored." in ran.err:
                assert f"with {room} MB" in found.turns.values()
    assert endings[-2:] == [0, 0], "with enough memory it works"
    assert any(endings), "no limit was low enough: the test saw nothing"
