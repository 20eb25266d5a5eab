"""`facts` and `fact`: shapes, the four questions, the owner's corrections, exit codes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from familiar_app.cli.parser import parse
from familiar_app.domain.clock import FixedClock, parse_time
from familiar_app.domain.errors import UsageError
from familiar_app.domain.fact import NewFact
from familiar_app.domain.ids import FamiliarId
from familiar_app.domain.projection import NewReflection, NewRetirement
from familiar_app.store.vault import Vault
from tests.unit.cli.conftest import NOW, PASSPHRASE

if TYPE_CHECKING:
    from tests.unit.cli.conftest import Program

ARIA = FamiliarId("aria")
FACT_KEYS = [
    "id", "text", "subjects", "source_turn_ids", "channel", "importance", "origin", "valid_from", "valid_to",
    "created_at", "superseded_at", "superseded_by",
]  # fmt: skip


async def opened(program: Program) -> Vault:
    return await Vault.open(program.profile.vault_path, clock=FixedClock(NOW), passphrase=PASSPHRASE)


async def added(program: Program, *argv: str) -> dict[str, Any]:
    ran = await program("fact", "add", *argv, "--json")
    assert ran.code == 0, ran.out
    shape: dict[str, Any] = ran.json
    return shape


async def test_a_fact_that_was_added_is_listed_in_its_full_shape(program: Program) -> None:
    said = (await program("say", "I moved to Oslo.", "--as", "ann", "--json")).json
    fact = await added(
        program, "Ann lives in Oslo.", "--subject", "local:ann", "discord:7", "--from", "2024-05-01", "--to",
        "2030-01-01T00:00:00+01:00", "--importance", "8", "--source", str(said["turn_id"]),
    )  # fmt: skip
    assert list(fact) == FACT_KEYS
    assert fact == {
        "id": 1,
        "text": "Ann lives in Oslo.",
        "subjects": [
            {"key": "discord:7", "display_at_write": "7", "display_now": "7"},
            {"key": "local:ann", "display_at_write": "ann", "display_now": "ann"},
        ],
        "source_turn_ids": [said["turn_id"]],
        "channel": "local:main",
        "importance": 8,
        "origin": "owner",
        "valid_from": "2024-05-01T00:00:00Z",
        "valid_to": "2029-12-31T23:00:00Z",
        "created_at": "2026-01-01T12:00:00Z",
        "superseded_at": None,
        "superseded_by": None,
    }
    assert (await program("facts", "--json")).json == [fact]


async def test_a_fact_that_is_believed_already_comes_back(program: Program) -> None:
    first = await added(program, "Ann sings.", "--subject", "local:ann")
    assert await added(program, "«ann sings»", "--subject", "local:ann") == first
    ran = await program("fact", "add", "Ann sings.", "--subject", "local:ann")
    assert (ran.code, ran.out, ran.err) == (0, "", "Fact 1: was believed already.\n")


async def test_retire_and_restore_leave_their_marks(program: Program) -> None:
    await added(program, "Ann lives in Rome.", "--subject", "local:ann")
    await added(program, "Ann lives in Oslo.", "--subject", "local:ann")
    retired = (await program("fact", "retire", "1", "--by", "2", "--json")).json
    assert (retired["superseded_at"], retired["superseded_by"]) == ("2026-01-01T12:00:00Z", 2)
    assert [fact["id"] for fact in (await program("facts", "--json")).json] == [2]
    assert [fact["id"] for fact in (await program("facts", "--include-retired", "--json")).json] == [2, 1]
    shown = (await program("fact", "show", "2", "--json")).json
    assert (shown["supersedes"], shown["superseded_by"]) == ([1], None)
    assert [*FACT_KEYS, "beliefs", "supersedes", "sources", "reflections", "memories"] == list(shown)
    restored = (await program("fact", "restore", "1", "--json")).json
    assert (restored["superseded_at"], restored["superseded_by"]) == (None, None)
    assert (await program("fact", "show", "1", "--json")).json["beliefs"] == [
        {"from": "2026-01-01T12:00:00Z", "to": "2026-01-01T12:00:00Z", "cause": "superseded", "by": 2},
        {"from": "2026-01-01T12:00:00Z", "to": None, "cause": "restored", "by": "local:owner"},
    ]
    assert (await program("facts", "--known-at", "2026-01-01T11:59:59Z", "--json")).json == []


async def test_an_edit_puts_another_fact_in_its_place_and_keeps_what_is_not_named(program: Program) -> None:
    said = (await program("say", "I moved to Oslo.", "--as", "ann", "--json")).json
    first = await added(
        program, "Ann lives in Olso.", "--subject", "local:ann", "--from", "2024-05-01", "--importance", "8",
        "--source", str(said["turn_id"]),
    )  # fmt: skip
    ran = await program("fact", "edit", "1", " Ann lives in Oslo. ", "--importance", "9", "--json")
    assert ran.code == 0, ran.out
    assert ran.json == {**first, "id": 2, "text": "Ann lives in Oslo.", "importance": 9}
    again = await program("fact", "edit", "2", "Ben lives in Oslo.", "--subject", "local:ben", "--to", "2030-01-01")
    assert (again.code, again.err) == (0, "Fact 3: stands in the place of fact 2.\n")
    (fact,) = (await program("facts", "--json")).json
    assert ([one["key"] for one in fact["subjects"]], fact["valid_to"]) == (["local:ben"], "2030-01-01T00:00:00Z")
    assert (await program("fact", "show", "3", "--json")).json["supersedes"] == [2]
    assert (await program("fact", "edit", "1", "Too late.")).code == 4


async def test_retirements_are_listed_and_decided(program: Program) -> None:
    vault = await opened(program)
    rome, _ = await vault.facts.append(NewFact(ARIA, "Ann lives in Rome.", "rich_note"))
    oslo, _ = await vault.facts.append(NewFact(ARIA, "Ann lives in Oslo.", "rich_note"))
    proposal = NewRetirement(ARIA, rome.id, oslo.id, "She moved.", "fact_supersede")
    await vault.projections.write(lambda writer: writer.propose_retirement(proposal, NOW, act=False) and None)
    await vault.close()
    (case,) = (await program("retirement", "list", "--state", "waiting", "--json")).json
    assert (case["prior"]["id"], case["successor"]["id"], case["reason"], case["state"], case["unseen"]) == (
        1, 2, "She moved.", "waiting", True,
    )  # fmt: skip
    accepted = (await program("retirement", "accept", "1", "--json")).json
    assert (accepted["id"], accepted["superseded_by"]) == (1, 2)
    assert (await program("retirement", "accept", "1")).code == 4
    assert (await program("retirement", "undo", "1")).err == "Fact 1: believed again.\n"
    assert (await program("retirement", "never", "1")).code == 0
    assert (await program("retirement", "list")).out.splitlines() == [
        "1  2026-01-01T12:00:00Z  undone, never again  She moved.",
        "  fact 1: Ann lives in Rome.",
        "  for fact 2: Ann lives in Oslo.",
    ]
    assert (await program("retirement", "list", "--state", "waiting", "--json")).json == []
    assert (await program("retirement", "refuse", "7", "--json")).json["error"]["message"] == "There is no proposal 7."


async def test_the_questions_reach_the_store(program: Program) -> None:
    vault = await opened(program)
    vault._clock.instant = parse_time("2020-01-01")  # type: ignore[attr-defined]
    old, _ = await vault.facts.append(NewFact(ARIA, "Ann was in Rome.", "rich_note", valid_to=parse_time("2021-01-01")))
    vault._clock.instant = parse_time("2022-01-01")  # type: ignore[attr-defined]
    await vault.facts.append(NewFact(ARIA, "Ann is in Oslo.", "rich_note", valid_from=parse_time("2021-01-01")))
    await vault.facts.supersede([old.id])
    await vault.close()

    async def listed(*argv: str) -> list[int]:
        return [fact["id"] for fact in (await program("facts", *argv, "--json")).json]

    assert await listed() == [2]
    assert await listed("--as-of", "2020-06-01") == [1]
    assert await listed("--known-at", "2021-06-01") == [1]
    assert await listed("--known-at", "2021-06-01", "--as-of", "2021-06-01") == []
    assert await listed("--include-retired", "--limit", "1") == [2]
    assert await listed("--include-retired", "--search", "ROME") == [1]
    assert await listed("--subject", "local:ann") == []
    then = (await program("facts", "--known-at", "2021-06-01", "--json")).json[0]
    assert (then["created_at"], then["superseded_at"]) == ("2020-01-01T00:00:00Z", None)


async def test_show_brings_sources_and_reflections(program: Program) -> None:
    said = (await program("say", "I sing.", "--as", "ann", "--json")).json
    fact = await added(program, "Ann sings.", "--source", str(said["turn_id"]))
    vault = await opened(program)
    thought = NewReflection(ARIA, "She is happy.", None, (), (fact["id"],), said["turn_id"], fact["id"])
    await vault.projections.write(lambda writer: writer.add_reflection(thought, NOW))
    await vault.close()
    shown = (await program("fact", "show", "1", "--json")).json
    assert [turn["content"] for turn in shown["sources"]] == ["I sing."]
    assert shown["reflections"] == [
        {
            "id": 1,
            "text": "She is happy.",
            "channel": None,
            "cited_turn_ids": [],
            "cited_fact_ids": [1],
            "created_at": "2026-01-01T12:00:00Z",
            "stale": False,
        }
    ]
    text = await program("fact", "show", "1")
    assert text.out.splitlines() == [
        "1  2026-01-01T12:00:00Z  Ann sings.",
        "  believed 2026-01-01T12:00:00Z to now",
        "  from turn 1, 2026-01-01T12:00:00Z: I sing.",
        "  in reflection 1: She is happy.",
    ]


@pytest.mark.parametrize(
    ("argv", "code"),
    [
        (["fact", "show", "9"], 4),
        (["fact", "retire", "9"], 4),
        (["fact", "restore", "9"], 4),
        (["fact", "restore", "1"], 4),
        (["fact", "retire", "1", "--by", "9"], 4),
        (["fact", "retire", "1", "--by", "1"], 4),
        (["fact", "retire", "1", "--by", "2"], 4),
        (["fact", "retire", "2"], 4),
        (["fact", "edit", "9", "x"], 4),
        (["fact", "edit", "2", "x"], 4),
        (["fact", "edit", "1", " "], 2),
        (["fact", "add", "x", "--source", "9"], 4),
        (["fact", "add", "x", "--importance", "11"], 4),
        (["fact", "add", "x", "--from", "2024-02-01", "--to", "2024-01-01"], 4),
        (["fact", "add", "x\udc80"], 4),
        (["fact", "add", " "], 2),
        (["facts", "--search", " "], 2),
    ],
)
async def test_what_cannot_be_done_is_said_and_changes_nothing(program: Program, argv: list[str], code: int) -> None:
    await added(program, "Ann sings.")
    await added(program, "Ann dances.")
    await program("fact", "retire", "2")
    before = (await program("facts", "--include-retired", "--json")).json
    ran = await program(*argv, "--json")
    assert ran.code == code
    assert ran.json["error"]["kind"] == "user"
    assert ran.json["error"]["message"].endswith(".")
    assert (await program("facts", "--include-retired", "--json")).json == before


@pytest.mark.parametrize(
    "argv",
    [
        ["fact"],
        ["fact", "add"],
        ["fact", "add", "x", "--subject", "nobody"],
        ["fact", "show", "one"],
        ["fact", "show", "0"],
        ["facts", "--as-of", "yesterday"],
        ["facts", "--limit", "0"],
    ],
)
def test_wrong_usage_is_refused_before_anything_is_opened(argv: list[str]) -> None:
    with pytest.raises(UsageError, match=r"See 'familiar fact"):
        parse(argv)


async def test_a_fact_of_another_familiar_is_not_there(program: Program) -> None:
    await added(program, "Ann sings.")
    await program("init", "--name", "Bell", "--id", "bell")
    assert (await program("fact", "show", "1", "--familiar", "bell", "--json")).code == 4
    assert (await program("facts", "--familiar", "bell", "--json")).json == []
    assert (await program("fact", "show", "1", "--familiar", "aria", "--json")).code == 0


async def test_people_of_several_words_and_any_case_are_the_known_ones(program: Program) -> None:
    await program("say", "Hello.", "--as", "Mary Ann")
    fact = await added(program, "Mary Ann sings.", "--subject", "local:mary ann")
    assert [one["key"] for one in fact["subjects"]] == ["local:Mary Ann"]
    assert [one["id"] for one in (await program("facts", "--subject", "local:MARY ANN", "--json")).json] == [1]
    edited = await program("fact", "edit", "1", "Mary Ann hums.", "--subject", "local:mary ann", "--json")
    assert [one["key"] for one in edited.json["subjects"]] == ["local:Mary Ann"]
    shown = (await program("person", "show", "local:Mary Ann", "--json")).json
    assert (shown["label"], shown["facts"], shown["turns"]) == ("Mary Ann", 1, 1)
    for nobody in ("local:", "local: ", "Mary Ann", "local:a\nb"):
        with pytest.raises(UsageError):
            parse(["facts", "--subject", nobody])
