"""Servers as the vault keeps them while nobody is connected."""

from __future__ import annotations

import json

from familiar_app.discord_link.server import Place, Server, as_json, from_json

TAVERN = Server(
    1, "The Tavern", (Place(10, "general", category="Talk", allowed=7), Place(11, "ship", "thread", "", 10))
)


def test_what_is_kept_comes_back() -> None:
    assert from_json(json.loads(json.dumps(as_json([TAVERN])))) == (TAVERN,)


def test_what_has_another_shape_is_no_servers() -> None:
    assert from_json(None) == from_json([{"number": 1}]) == from_json([{"number": "x", "name": 1, "places": []}]) == ()
    assert from_json([{"number": 1, "name": "A", "places": [{"unknown": 1}]}]) == ()
