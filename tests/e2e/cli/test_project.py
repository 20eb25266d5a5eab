"""`project` and `rebuild` in the real program, with scripted answers."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from familiar_app.domain.ids import FamiliarId
from familiar_app.store.profile import Profile

if TYPE_CHECKING:
    from tests.e2e.cli.conftest import Familiar

pytestmark = pytest.mark.slow
NOW = ("--now", "2024-06-01T00:00:00Z")
STATUS_KEYS = ["name", "watermark", "lag", "last_run_at", "last_error", "paused", "tokens"]


def turn(number: int, text: str, at: str) -> str:
    author = {"key": "discord:1", "name": "Ann", "username": "ann", "bot": False}
    return json.dumps(
        {"channel": "discord:10", "guild": "discord:g", "author": author, "role": "user", "content": text, "at": at,
         "message_id": f"m{number}", "reply_to": None, "mode": None}
    )  # fmt: skip


def script(path: Path, *lines: dict[str, Any]) -> Path:
    path.write_text("".join(json.dumps({"slot": "background", **line}) + "\n" for line in lines))
    return path


def told(text: str, source: int, **more: Any) -> dict[str, Any]:
    return {"text": text, "source_turn_ids": [source], "subject_keys": ["discord:1"], **more}


@pytest.fixture
def lived(familiar: Familiar) -> Familiar:
    """A familiar that has heard of two homes, and whose owner has added something."""
    homes = [told("Ann lives in Rome.", 1), told("Ann lives in Oslo.", 2)]
    answers = script(
        familiar.outside / "answers.jsonl",
        {"purpose": "rich_note", "match": "I live in Rome", "reply": homes},
        {"purpose": "fact_supersede", "match": "Oslo", "reply": [{"reason": "moved", "id": 1}]},
        {"purpose": "people_dossier", "reply": "Ann lives in Oslo."},
        {"purpose": "people_dossier", "reply": "Ann lives in Oslo and sings."},
    )  # fmt: skip
    slot = {"models.background.provider": "scripted", "models.background.model": str(answers)}
    Profile(familiar.profile).save_config(FamiliarId("aria"), slot)
    log = familiar.outside / "turns.jsonl"
    log.write_text(
        turn(1, "I live in Rome.", "2024-01-01T00:00:00Z") + "\n" + turn(2, "I moved to Oslo.", "2024-03-01T00:00:00Z")
    )
    assert familiar("import", str(log), *NOW).code == 0
    ran = familiar("project", "--until-idle", "--json", *NOW)
    assert ran.code == 0, ran.out + ran.err
    assert familiar("fact", "add", "Ann sings.", "--subject", "discord:1", *NOW).code == 0
    return familiar


def test_facts_come_back_the_same_and_no_model_is_asked(lived: Familiar) -> None:
    status = {one["name"]: one for one in lived("project", "status", "--json").json}
    assert list(status["rich_note"]) == STATUS_KEYS
    assert (status["rich_note"]["watermark"], status["rich_note"]["lag"], status["rich_note"]["last_error"]) == (
        2,
        0,
        None,
    )
    assert status["rich_note"]["last_run_at"] == "2024-06-01T00:00:00Z"
    assert status["rich_note"]["tokens"] > 0
    questions = [
        ("facts", "--include-retired", "--json"),
        ("facts", "--json", *NOW),
        ("facts", "--as-of", "2024-02-01", "--json"),
        ("facts", "--as-of", "2024-02-01", "--known-at", "2024-06-01T00:00:00Z", "--json"),
    ]
    before = [lived(*question).json for question in questions]
    assert [fact["text"] for fact in before[0]] == ["Ann sings.", "Ann lives in Oslo.", "Ann lives in Rome."]
    assert before[0][2]["superseded_by"] == 2
    script(lived.outside / "answers.jsonl", {"purpose": "people_dossier", "reply": "Ann lives in Oslo and sings."})
    for name in ("rich_note", "fact_supersede", "all"):
        ran = lived("rebuild", name, "--json")
        assert ran.code == 0, ran.out
        assert [lived(*question).json for question in questions] == before


def test_a_failing_model_leaves_the_watermark_and_names_the_projector(lived: Familiar) -> None:
    script(lived.outside / "answers.jsonl", {"purpose": "rich_note", "reply": {"error": "timeout"}})
    log = lived.outside / "more.jsonl"
    log.write_text(turn(3, "I sing.", "2024-03-02T00:00:00Z"))
    assert lived("import", str(log)).code == 0
    ran = lived("project", "rich_note", "--until-idle", "--json")
    assert ran.code == 5
    assert ran.json["error"]["kind"] == "outside"
    status = {one["name"]: one for one in lived("project", "status", "--json").json}
    assert (status["rich_note"]["watermark"], status["rich_note"]["lag"]) == (2, 1)
    assert status["rich_note"]["last_error"]


def test_unknown_names_are_refused_with_the_list(lived: Familiar) -> None:
    ran = lived("project", "rich_notes", "--json")
    assert ran.code == 2
    assert "rich_note" in ran.json["error"]["next"]
    assert lived("rebuild", "facts").code == 2
    config = next((lived.profile / "familiars").glob("*/character.toml"))
    config.write_text(config.read_text() + '\n[providers.memory]\nprojectors = ["rich_note", "graphti"]\n')
    ran = lived("project", "status", "--json")
    assert ran.code == 4
    assert "graphti" in ran.json["error"]["message"]
    assert "fact_supersede" in ran.json["error"]["next"]


def test_an_unanswered_script_is_told_with_its_prompt_but_kept_without(lived: Familiar) -> None:
    log = lived.outside / "more.jsonl"
    log.write_text(turn(3, "My secret is a red kite.", "2024-03-02T00:00:00Z"))
    assert lived("import", str(log)).code == 0
    script(lived.outside / "answers.jsonl", {"purpose": "rich_note", "match": "no such text", "reply": []})
    ran = lived("project", "rich_note", "--until-idle", "--json")
    assert ran.code == 5
    assert "red kite" in ran.json["error"]["message"]
    assert "red kite" not in json.dumps(ran.json["error"]["projectors"])
    status = {one["name"]: one for one in lived("project", "status", "--json").json}
    assert status["rich_note"]["last_error"] == (
        "No unused line of the script fits this request of slot background, purpose rich_note."
    )
    logs = [path.read_text(encoding="utf-8") for path in lived.profile.rglob("*.log*")]
    assert not any("red kite" in text for text in logs)
