"""A house with a past for every test of faults."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.e2e.cli.conftest import Familiar, bare, bundled, familiar, make_cheap, template  # noqa: F401
from tests.faults.act import build_past
from tests.faults.house import House, Nursery
from tests.faults.shim import build


@pytest.fixture(scope="session")
def library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The disk that misbehaves."""
    return build(tmp_path_factory.mktemp("disk"))


@pytest.fixture(scope="session")
def nursery(library: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Nursery]:
    """The process that has the program imported."""
    nursery = Nursery(library, tmp_path_factory.mktemp("said"))
    yield nursery
    nursery.close()


@pytest.fixture(scope="session")
def past(nursery: Nursery, tmp_path_factory: pytest.TempPathFactory) -> House:
    """A house in which things were said and remembered; tests work on copies."""
    folder = tmp_path_factory.mktemp("past")
    house = House(Familiar(folder / "root", folder / "outside"), nursery)
    build_past(house, make_cheap)
    return house


@pytest.fixture
def house(past: House, nursery: Nursery, tmp_path: Path) -> Iterator[House]:
    """A house of one's own."""
    made = House(Familiar(tmp_path / "disk" / "root", tmp_path / "disk" / "outside"), nursery)
    made.begin_again(past)
    yield made
    made.familiar.end()
