"""`person list`, `show`, `merge` and `part`: who is known, and which identities count as one."""

from __future__ import annotations

import pytest

from familiar_app.domain.clock import FixedClock
from familiar_app.domain.fact import FactId
from familiar_app.domain.ids import FamiliarId, PersonKey
from familiar_app.domain.projection import Dossier
from familiar_app.store.vault import Vault
from tests.unit.cli.conftest import NOW, PASSPHRASE, Program

ARIA = FamiliarId("aria")
TIME = "2026-01-01T12:00:00Z"


async def opened(program: Program) -> Vault:
    return await Vault.open(program.profile.vault_path, clock=FixedClock(NOW), passphrase=PASSPHRASE)


@pytest.fixture
async def village(program: Program) -> Program:
    """Ann said two things, her other account one; a fact is about each."""
    await program("say", "Hello.", "--as", "ann")
    await program("say", "Hello again.", "--as", "ann")
    await program("say", "It is me.", "--as", "annie")
    await program("fact", "add", "Ann sings.", "--subject", "local:ann")
    await program("fact", "add", "Annie paints.", "--subject", "local:annie")
    return program


async def test_the_list_has_everybody_with_their_figures(village: Program) -> None:
    listed = (await village("person", "list", "--json")).json
    assert {one["key"] for one in listed} >= {"local:ann", "local:annie", "ego:aria"}
    ann = next(one for one in listed if one["key"] == "local:ann")
    assert ann == {
        "key": "local:ann", "label": "ann", "turns": 2, "facts": 1, "last_seen_at": TIME, "privacy": "none",
    }  # fmt: skip
    found = (await village("person", "list", "--search", "NNI", "--json")).json
    assert [one["key"] for one in found] == ["local:annie"]
    assert (await village("person", "list", "--search", " ")).code == 2


async def test_show_has_names_dossier_and_figures(village: Program) -> None:
    vault = await opened(village)
    dossier = Dossier(ARIA, PersonKey("local:ann"), "Ann sings a lot.", FactId(1), NOW)
    await vault.projections.write(lambda writer: writer.put_dossier(dossier))
    await vault.close()
    await village("memory", "add", "likes tea", "--person", "local:ann")
    await village("person", "privacy", "local:annie", "partial")
    assert (await village("person", "show", "local:ann", "--json")).json == {
        "key": "local:ann",
        "label": "ann",
        "names": [{"name": "ann", "kind": "name", "from": TIME, "to": None}],
        "privacy": "none",
        "dossier": {"text": "Ann sings a lot.", "created_at": TIME, "last_fact_id": 1},
        "facts": 1,
        "memories": 1,
        "turns": 2,
    }
    other = (await village("person", "show", "local:annie", "--json")).json
    assert (other["privacy"], other["dossier"], other["memories"]) == ("partial", None, 0)
    nobody = await village("person", "show", "local:nobody", "--json")
    assert (nobody.code, nobody.json["error"]["next"]) == (4, "Look up the keys with 'familiar person list'.")


async def test_merged_identities_are_one_person_until_they_are_taken_apart(village: Program) -> None:
    before = (await village("person", "list", "--json")).json
    assert (await village("person", "merge", "local:annie", "local:ann", "--json")).code == 0
    merged = (await village("person", "show", "local:annie", "--json")).json
    assert (merged["key"], merged["turns"], merged["facts"]) == ("local:ann", 3, 2)
    assert [one["name"] for one in merged["names"]] == ["ann", "annie"]
    assert "local:annie" not in [one["key"] for one in (await village("person", "list", "--json")).json]
    (fact,) = (await village("facts", "--search", "paints", "--json")).json
    assert fact["subjects"] == [{"key": "local:annie", "display_at_write": "annie", "display_now": "ann"}]
    assert (await village("person", "merge", "local:ann", "local:annie")).code == 4
    assert (await village("person", "part", "local:annie")).code == 0
    assert (await village("person", "list", "--json")).json == before
    assert (await village("person", "part", "local:annie")).code == 4


async def test_a_person_is_found_whatever_the_case_of_the_key(village: Program) -> None:
    assert (await village("person", "show", "local:ANN", "--json")).json["key"] == "local:ann"
    assert (await village("person", "privacy", "local:ANNIE", "full", "--json")).json == {
        "key": "local:annie", "privacy": "full",
    }  # fmt: skip
    assert (await village("person", "merge", "local:Annie", "local:Ann", "--json")).json == {
        "key": "local:annie", "into": "local:ann",
    }  # fmt: skip
    assert (await village("person", "part", "local:Annie", "--json")).json == {
        "key": "local:annie",
        "from": "local:ann",
    }


async def test_the_familiar_has_its_name_before_it_has_said_a_word(program: Program) -> None:
    listed = (await program("person", "list", "--json")).json
    assert [(one["key"], one["label"]) for one in listed] == [("ego:aria", "Aria")]
    assert (await program("person", "show", "ego:aria", "--json")).json["label"] == "Aria"
    await program("fact", "add", "Aria likes rain.", "--subject", "ego:aria")
    fact = (await program("facts", "--json")).json[0]
    assert fact["subjects"] == [{"key": "ego:aria", "display_at_write": "aria", "display_now": "Aria"}]
