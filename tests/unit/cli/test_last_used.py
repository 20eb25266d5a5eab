"""Which familiar is meant where none is named: the only one, else the one used last."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.unit.cli.conftest import Program


@pytest.mark.parametrize(
    "command", [("say", "Hello."), ("turns",), ("facts",), ("person", "list"), ("prompt", "Hello.")]
)
async def test_the_only_one_that_was_used_stays_the_one_meant(program: Program, command: tuple[str, ...]) -> None:
    assert (await program(*command)).code == 0
    await program("init", "--name", "Bell")
    said = await program("say", "Are you there?", "--json")
    assert said.code == 0, said.out
    assert program.profile.values["last_familiar"] == "aria"


async def test_whoever_is_named_is_meant_from_then_on(program: Program) -> None:
    await program("init", "--name", "Bell")
    assert (await program("say", "Hello.")).code == 2, "nobody was used yet"
    await program("person", "list", "--familiar", "bell")
    assert (await program("turns", "--json")).code == 0
    assert program.profile.values["last_familiar"] == "bell"


async def test_a_familiar_that_is_not_there_is_not_remembered(program: Program) -> None:
    assert (await program("say", "Hello.", "--familiar", "nobody")).code == 4
    assert program.profile.values["last_familiar"] is None
