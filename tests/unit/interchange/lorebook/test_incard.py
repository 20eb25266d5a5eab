"""What a conversion of a lorebook says is lost."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from familiar_app.interchange.lorebook.files import read_lorebook, write_lorebook

ENTRY = {"key": ["/home/us", ""], "content": "at home", "order": 5, "gadget": 1}


@pytest.mark.parametrize(("format_name", "file"), [("card-v2", "c.json"), ("card-v3", "c.json"), ("charx", "c.charx")])
def test_keys_that_reach_the_card_are_not_reported_as_dropped(tmp_path: Path, format_name: str, file: str) -> None:
    source = tmp_path / "world.json"
    source.write_text(json.dumps({"entries": {"0": ENTRY}}), encoding="utf-8")
    document = read_lorebook(source)
    report = write_lorebook(tmp_path / file, document, format_name)
    assert "/home/us" in read_lorebook(tmp_path / file).book.entries[0].keys
    dropped = [line.field for line in report if line.what == "dropped"]
    assert "keys" not in dropped
    assert "gadget" in dropped
