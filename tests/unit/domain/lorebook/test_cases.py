"""Lorebook cases: our own under both rule sets, and the observed ones of SillyTavern where they lie beside the tree."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from familiar_app.domain.lorebook.case import run_case
from familiar_app.domain.lorebook.decorators import parse_decorators
from familiar_app.domain.lorebook.keysplit import split_keys
from familiar_app.domain.lorebook.pattern import parse_pattern_key
from familiar_app.domain.lorebook.rules import FIXED, RULE_SETS, ST_1_18

OWN = json.loads((Path(__file__).parent / "own_cases.json").read_text(encoding="utf-8"))["cases"]
OBSERVED_PATH = Path(__file__).parents[5] / "shared" / "cases" / "lorebook" / "activation.json"
OBSERVED: dict[str, Any] = (
    json.loads(OBSERVED_PATH.read_text(encoding="utf-8")) if OBSERVED_PATH.exists() else {"cases": [], "parsing": {}}
)
needs_observed = pytest.mark.skipif(not OBSERVED_PATH.exists(), reason="the observed cases do not lie beside the tree")

# Observed cases that the default rules decide otherwise, with what they give.
REPAIRED = {
    "M07": ["A"],
    "M08": [],
    "D02": ["A", "K"],
    "R09": [],
    "B08": ["A", "B"],
    "B10": [],
    "G07": ["A"],
    "G10": ["B", "C", "U"],
    "G11": ["B", "C", "U"],
    "G13": ["A"],
    "F03": ["B"],
}


@pytest.mark.parametrize("rules", RULE_SETS)
@pytest.mark.parametrize("case", OWN, ids=lambda case: case["id"])
def test_own_cases(case: dict[str, Any], rules: str) -> None:
    assert run_case(case, RULE_SETS[rules]) == case[rules]


@needs_observed
def test_observed_cases_under_sillytavern_rules() -> None:
    results = {case["id"]: run_case(case, ST_1_18) for case in OBSERVED["cases"]}
    assert results == {case["id"]: case.get("expect") or {"steps": case["steps"]} for case in OBSERVED["cases"]}
    assert len(results) >= 66


@needs_observed
def test_the_default_rules_differ_in_the_named_cases_only() -> None:
    for case in OBSERVED["cases"]:
        result = run_case(case, FIXED)
        if case["id"] in REPAIRED:
            assert result["activated"] == REPAIRED[case["id"]]
        else:
            assert result == (case.get("expect") or {"steps": case["steps"]})


@needs_observed
def test_observed_parsing() -> None:
    parsing = OBSERVED["parsing"]
    for vector in parsing["splitKeys"]:
        assert split_keys(vector["input"], ST_1_18) == vector["output"]
    for vector in parsing["regexKey"]:
        assert (parse_pattern_key(vector["input"], paths_are_patterns=True) is not None) == vector["isRegex"]
    for vector in parsing["decorators"]:
        assert parse_decorators(vector["input"]) == (tuple(vector["decorators"]), vector["content"])
