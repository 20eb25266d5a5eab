"""Levels of privacy on the command line: what is refused, hidden, told, and given back."""

from __future__ import annotations

from tests.unit.cli.conftest import Program


async def test_a_familiar_has_no_level_of_privacy(program: Program) -> None:
    refused = await program("person", "privacy", "ego:aria", "full", "--json")
    assert (refused.code, refused.json["error"]["kind"]) == (4, "user")
    assert refused.json["error"]["message"] == "A familiar is no person, so it has no level of privacy."
    assert refused.json["error"]["next"]
    assert (await program("person", "privacy", "ego:aria", "--json")).json == {"key": "ego:aria", "privacy": "none"}
