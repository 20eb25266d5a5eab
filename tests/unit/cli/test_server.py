"""`server`: which servers ask people before anything about them is kept."""

from __future__ import annotations

from tests.unit.cli.conftest import Program


async def test_a_server_asks_first_from_the_command_line(program: Program) -> None:
    assert (await program("server", "ask-first", "discord:100", "--json")).json["asks_first"] is False
    assert (await program("server", "ask-first", "discord:100", "on", "--json")).json["asks_first"] is True
    listed = await program("server", "list", "--json")
    assert listed.json == [{"key": "discord:100", "asks_first": True}]
    assert "discord:100  asks first" in (await program("server", "list")).out
    assert (await program("server", "ask-first", "discord:100", "off")).out.strip() == "off"
    assert (await program("server", "list", "--json")).json == []


async def test_a_server_is_named_with_its_platform(program: Program) -> None:
    ran = await program("server", "ask-first", "100", "on")
    assert ran.code == 4
    assert "discord:123" in ran.err
