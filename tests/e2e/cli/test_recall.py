"""`recall` of the real program: what it brings, in which form, and that nothing of it stays on the disk."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from tests.e2e.cli.conftest import Familiar

pytestmark = pytest.mark.slow

TEXTS = (
    ("Ann", "My rabbit is called Button."),
    ("Ben", "How old is she?"),
    ("Ann", "Three in June."),
    ("Ben", "I bought a blue bicycle."),
)


@pytest.fixture
def talked(familiar: Familiar) -> Familiar:
    """The program after a short talk was imported into a channel."""
    lines = [
        {
            "channel": "discord:10",
            "author": {"key": f"discord:{name}", "name": name, "username": name.lower(), "bot": False},
            "role": "user",
            "content": text,
            "at": f"2024-05-01T12:00:0{number}Z",
            "message_id": f"m{number}",
        }
        for number, (name, text) in enumerate(TEXTS, start=1)
    ]
    path = familiar.outside / "talk.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    assert familiar("import", str(path)).code == 0
    return familiar


def ids(found: list[dict[str, Any]]) -> list[str]:
    return [hit["message_id"] for hit in found]


def test_a_cue_brings_the_best_first_with_its_reasons(talked: Familiar) -> None:
    found = talked("recall", "What is Ann's rabbit called?", "--json")
    assert found.code == 0, found.err
    hits = found.json
    assert hits[0]["message_id"] == "m1"
    assert {key: hits[0][key] for key in ("kind", "text", "channel", "at")} == {
        "kind": "turn",
        "text": "My rabbit is called Button.",
        "channel": "discord:10",
        "at": "2024-05-01T12:00:01Z",
    }
    signals = hits[0]["signals"]
    assert {"bm25", "recency", "importance", "embedding"} <= signals.keys()
    assert signals["bm25"]["raw"] > 0
    assert signals["bm25"] | {"raw": 0} == {"raw": 0, "normalised": 1.0, "weight": 1.0}
    assert signals["embedding"] == {"raw": None, "normalised": 0.5, "weight": 0.0}
    for hit in hits:
        whole = sum(signal["normalised"] * signal["weight"] for signal in hit["signals"].values())
        assert hit["score"] == pytest.approx(whole)
    assert [hit["score"] for hit in hits] == sorted((hit["score"] for hit in hits), reverse=True)


def test_limits_channels_and_times_hold(talked: Familiar) -> None:
    assert ids(talked("recall", "rabbit", "--limit", "1", "--json").json) == ["m1"]
    everything = talked("recall", "rabbit", "--limit", "9" * 18, "--json")
    assert ids(everything.json) == ids(talked("recall", "rabbit", "--json").json)
    assert talked("recall", "rabbit", "--channel", "discord:11", "--json").code == 4
    assert "m1" in ids(talked("recall", "rabbit", "--channel", "discord:10", "--kind", "turns", "--json").json)
    assert talked("recall", "rabbit", "--known-at", "2024-05-02", "--json").json == []
    assert talked("recall", "rabbit", "--kind", "memories", "--json").json == []
    assert talked("recall", "xylophone", "--json").json == []


def test_a_broken_character_in_a_query_breaks_nothing(talked: Familiar, tmp_path: Path) -> None:
    assert "m1" in ids(talked("recall", "rabbit \udcff", "--json").json)
    assert talked("recall", "\udcff", "--json").json == []
    path = tmp_path / "queries.jsonl"
    path.write_text('{"id": 1, "query": "rabbit \\ud800"}\n', encoding="utf-8")
    assert "m1" in talked("recall", "--queries", str(path), "--json-lines").out


def test_many_queries_run_at_once(talked: Familiar, tmp_path: Path) -> None:
    path = tmp_path / "queries.jsonl"
    path.write_text('{"id": "a", "query": "bicycle"}\n\n{"id": 2, "query": "button", "more": 1}\n', encoding="utf-8")
    done = talked("recall", "--queries", str(path), "--kind", "turns", "--limit", "2", "--json-lines")
    assert done.code == 0, done.err
    first, second = (json.loads(line) for line in done.out.splitlines())
    assert (first["id"], ids(first["results"])[0]) == ("a", "m4")
    assert (second["id"], ids(second["results"])[0]) == (2, "m1")
    assert 0 < first["ms"] < 60_000
    assert set(first) == {"id", "results", "ms"}
    piped = talked("recall", "--queries", "-", "--json-lines", given=path.read_bytes())
    assert [json.loads(line)["id"] for line in piped.out.splitlines()] == ["a", 2]


def test_a_bad_query_file_is_named_with_its_line(talked: Familiar, tmp_path: Path) -> None:
    path = tmp_path / "queries.jsonl"
    path.write_text('{"id": 1, "query": "button"}\n{"id": 2}\n', encoding="utf-8")
    done = talked("recall", "--queries", str(path), "--json-lines")
    assert (done.code, done.out) == (4, "")
    assert "line 2" in done.err
    assert talked("recall", "--queries", str(tmp_path / "none"), "--json-lines").code == 4


@pytest.mark.parametrize(
    "argv",
    [[], ["x", "--queries", "y", "--json-lines"], ["--queries", "y"], ["x", "--kind", "stones"], ["  "]],
)
def test_wrong_usage_is_refused(talked: Familiar, argv: list[str]) -> None:
    assert talked("recall", *argv).code == 2


def test_nothing_readable_is_written(talked: Familiar) -> None:
    assert talked("recall", "rabbit").code == 0
    written = [path for path in talked.root.rglob("*") if path.is_file()]
    assert written
    assert not [path for path in written if b"rabbit" in path.read_bytes().lower()]


def test_a_channel_is_told_only_what_may_be_said_there(talked: Familiar) -> None:
    line = {"channel": "discord:20", "guild": "1", "role": "user", "at": "2024-05-02T12:00:00Z", "message_id": "s1"}
    line |= {"author": {"key": "discord:Ann", "name": "Ann"}, "content": "The rabbit hides in the shed."}
    path = talked.outside / "server.jsonl"
    path.write_text(json.dumps(line) + "\n", encoding="utf-8")
    assert talked("import", str(path)).code == 0
    here = talked("recall", "rabbit", "--channel", "discord:20", "--kind", "turns", "--json")
    assert ids(here.json) == ["s1"]
    assert "Held back: turn 1, learned in a direct message with somebody else." in here.err
    assert set(ids(talked("recall", "rabbit", "--kind", "turns", "--json").json)) >= {"m1", "s1"}
    shown = talked("prompt", "What of the rabbit?", "--channel", "discord:20", "--json").json
    assert "Button" not in json.dumps(shown["messages"])
    held = [one for one in shown["candidates"] if one["why"] == "audience"]
    assert [one["id"] for one in held if one["text"] == "My rabbit is called Button."] == [1]


def test_marks_tell_what_other_weights_would_do(familiar: Familiar) -> None:
    def ran(*argv: str) -> Any:
        done = familiar(*argv, "--json")
        assert done.code == 0, done.out + done.err
        return done.json

    ran("fact", "add", "The heron nests by the old mill.", "--importance", "1")
    ran("fact", "add", "Every heron knows the heron pond.", "--importance", "1")
    ran("fact", "add", "A heron is a bird.", "--importance", "10")
    missed = ran("mark", "add", "heron", "--fact", "3")
    ran("mark", "add", "old mill", "--fact", "1")
    before = ran("recall", "--marks", "--limit", "1", "--kind", "facts")
    first = before["marks"][0]
    assert (first["mark"], first["kind"], first["id"]) == (missed["mark"], "fact", 3)
    after = ran("recall", "--marks", "--limit", "3", "--kind", "facts", "--weight", "importance=0")
    assert (after["marks"][0]["rank"], after["score"]["found"], after["score_after"]["found"]) == (1, 2, 2)
    assert after["worse"] == [missed["mark"]]
    assert ran("mark", "remove", str(missed["mark"])) == {"removed": missed["mark"]}
    assert [one["cue"] for one in ran("mark", "list")] == ["old mill"]
    assert familiar("recall", "heron", "--weight", "bm25=1").code == 2
    assert familiar("recall", "--marks", "--weight", "luck=1").code == 2


def test_a_channel_that_is_still_to_come_has_nothing_to_say(familiar: Familiar) -> None:
    ran = familiar("recall", "tea", "--channel", "local:main", "--json")
    assert (ran.code, ran.json) == (0, [])
    assert familiar.turns() == []
    assert "local:main" not in familiar("status", "--json").out, "looking makes no channel"
    assert familiar("recall", "tea", "--channel", "discord:1", "--json").code == 4
