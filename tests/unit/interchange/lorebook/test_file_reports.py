"""Troubles that people reported of other programs' importers, from the file to what activates."""

from __future__ import annotations

import base64
import json
import zlib
from pathlib import Path
from typing import Any

import pytest

from familiar_app.domain.lorebook.case import count_words
from familiar_app.domain.lorebook.engine import LoreEngine
from familiar_app.domain.lorebook.entry import BoundBooks
from familiar_app.domain.lorebook.scene import LoreSettings, Scene
from familiar_app.interchange.lorebook.document import LoreDocument
from familiar_app.interchange.lorebook.files import read_lorebook, write_lorebook
from familiar_app.interchange.png import Chunk, find_texts, plain_png, read_png, write_chunk

ENTRY = {"keys": ["alice"], "content": "A", "enabled": True, "insertion_order": 10, "id": 0}


def load(tmp_path: Path, value: Any) -> LoreDocument:
    path = tmp_path / "book.json"
    path.write_text(json.dumps(value), encoding="utf-8")
    return read_lorebook(path)


def activated(document: LoreDocument, *chat: str, depth: int = 2) -> list[str]:
    engine = LoreEngine(BoundBooks(everywhere=(document.book,)), LoreSettings(depth=depth, recursive=True))
    found = engine.activate(Scene(messages=chat), chance=lambda: 0.5, count_tokens=count_words)
    return [one.content for one in found.accepted]


def card(book: Any) -> dict[str, Any]:
    return {"spec": "chara_card_v2", "spec_version": "2.0", "data": {"name": "N", "character_book": book}}


def test_a_standalone_list_of_entries_fires(tmp_path: Path) -> None:
    assert activated(load(tmp_path, {"entries": [ENTRY]}), "alice") == ["A"]


@pytest.mark.parametrize(
    ("entry", "book", "reaches"),
    [
        ({}, {}, 2),
        ({"scan_depth": None}, {"scan_depth": None}, 2),
        ({}, {"scan_depth": 3}, 3),
        ({"scan_depth": 1}, {"scan_depth": 3}, 1),
    ],
)
def test_a_missing_depth_is_inherited(
    tmp_path: Path, entry: dict[str, Any], book: dict[str, Any], reaches: int
) -> None:
    document = load(tmp_path, card({"entries": [ENTRY | {"extensions": entry}], **book}))
    for back in (1, 2, 3, 4):
        chat = ["alice", *["-"] * (back - 1)]
        assert activated(document, *chat) == (["A"] if back <= reaches else [])


def test_a_deflated_chunk_is_found_and_its_stale_copy_leaves(tmp_path: Path) -> None:
    path = tmp_path / "card.png"
    body = zlib.compress(base64.b64encode(json.dumps(card({"entries": [ENTRY]})).encode()))
    picture = plain_png(2, 2, (1, 2, 3))
    path.write_bytes(picture[:-12] + write_chunk(Chunk(b"zTXt", b"chara\0\0" + body)) + picture[-12:])
    document = read_lorebook(path)
    assert activated(document, "alice") == ["A"]
    write_lorebook(path, document, "card-v2")
    kinds = [found.chunk.kind for found in find_texts(read_png(path.read_bytes(), source="x"), ["chara"])]
    assert kinds == [b"tEXt"]


def test_no_book_and_an_object_of_entries(tmp_path: Path) -> None:
    assert activated(load(tmp_path, card(None)), "alice") == []
    assert activated(load(tmp_path, card({"entries": {"0": ENTRY}})), "alice") == ["A"]


def test_missing_and_null_secondary_keys(tmp_path: Path) -> None:
    entries = [
        ENTRY | {"selective": True},
        ENTRY | {"id": 1, "selective": True, "secondary_keys": None, "content": "B"},
    ]
    assert activated(load(tmp_path, {"entries": entries}), "alice") == ["A", "B"]


@pytest.mark.parametrize("flag", ["exclude_recursion", "excludeRecursion"])
def test_both_spellings_are_read_and_written(tmp_path: Path, flag: str) -> None:
    waker = ENTRY | {"content": "bob"}
    in_card = [waker, ENTRY | {"id": 1, "keys": ["bob"], "content": "B", "extensions": {flag: True}}]
    assert activated(load(tmp_path, card({"entries": in_card})), "alice") == ["bob"]
    in_file = {
        "0": {"uid": 0, "key": ["alice"], "content": "bob"},
        "1": {"uid": 1, "key": ["bob"], "content": "B", flag: True},
    }
    document = load(tmp_path, {"entries": in_file})
    assert activated(document, "alice") == ["bob"]
    write_lorebook(tmp_path / "card.json", document, "card-v2")
    raw = json.loads((tmp_path / "card.json").read_text(encoding="utf-8"))
    assert raw["data"]["character_book"]["entries"][1]["extensions"]["exclude_recursion"] is True


def test_blank_numbers_do_not_stop_an_import(tmp_path: Path) -> None:
    odd = ENTRY | {"insertion_order": "", "priority": "", "extensions": {"depth": "", "probability": "", "role": ""}}
    document = load(tmp_path, card({"entries": [odd], "scan_depth": "", "token_budget": ""}))
    assert activated(document, "alice") == ["A"]
    assert document.book.entries[0].order == 100


def test_a_pattern_with_its_slashes(tmp_path: Path) -> None:
    risu = {"type": "risu", "ver": 1, "data": [
        {"key": "/studio/i", "useRegex": True, "content": "S", "insertorder": 1, "comment": "", "mode": "normal"},
    ]}  # fmt: skip
    assert activated(load(tmp_path, risu), "hello", "to the Studio") == ["S"]
