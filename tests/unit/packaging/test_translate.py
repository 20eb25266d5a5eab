"""The catalogues: gathered from the source, complete in every language, and compiled as they stand."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest
from babel.messages.catalog import Catalog

import translate

ROOT = Path(__file__).parents[3]
LITERAL = ("ntr", "ptr", "tr_later")
WORDS = ROOT / "familiar_app" / "domain" / "text.py"


def catalogue(*messages: tuple[object, object]) -> Catalog:
    found = Catalog(locale="de")
    for source, said in messages:
        found.add(source, said)
    return found


def test_every_text_of_the_program_is_in_every_catalogue_and_translated(capsys: pytest.CaptureFixture[str]) -> None:
    """Mended by `python packaging/translate.py` and by translating what it names."""
    assert translate.main(["--check"]) == 0, capsys.readouterr().out


def test_texts_are_found_wherever_they_are_marked() -> None:
    source = """
A = tr_later("later")
def f(n): return f"{tr('inside')} {ntr('one', 'many', n)}" + tr("long "
    "enough", x=1) + ptr("verb", "Open") + tr(A) + tr("")
"""
    assert sorted(map(str, translate.marked(source))) == sorted(
        map(
            str,
            [("later", None), ("inside", None), (("one", "many"), None), ("long enough", None), ("Open", "verb")],
        )
    )


def test_what_is_not_translated_is_named() -> None:
    assert list(translate.faults(catalogue(("Save", "")))) == ["not translated: 'Save'"]
    assert list(translate.faults(catalogue((("{n} turn", "{n} turns"), ("{n} Beitrag", ""))))) == [
        "not translated: '{n} turn'"
    ]


def test_other_places_than_in_the_source_are_named() -> None:
    (fault,) = translate.faults(catalogue(("Delete {name}?", "{nam} löschen?")))
    assert "other places" in fault


def test_a_count_may_be_said_in_words() -> None:
    assert not list(
        translate.faults(catalogue((("{n} turn of {name}", "{n} turns of {name}"), ("Einer von {name}",) * 2)))
    )


def test_what_is_no_longer_said_leaves_the_catalogue_and_what_is_new_comes_empty() -> None:
    known = catalogue(("Old", "Alt"), ("Both", "Beide"))
    found = translate.brought_up_to_date(known, catalogue(("Both", None), ("New", None)))
    assert {message.id: message.string or "" for message in found if message.id} == {"Both": "Beide", "New": ""}


def calls() -> Iterator[tuple[str, ast.Call]]:
    for path in sorted((ROOT / "familiar_app").rglob("*.py")):
        if path != WORDS:
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
                if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
                    yield f"{path.relative_to(ROOT)}:{node.lineno}", node


def test_texts_are_marked_as_literals() -> None:
    """What is put together first is in no catalogue."""
    wrong = [
        place
        for place, call in calls()
        if (call.func.id in LITERAL and not isinstance(call.args[0], ast.Constant))
        or (call.func.id == "tr" and isinstance(call.args[0], ast.JoinedStr | ast.BinOp))
    ]
    assert wrong == []


def test_places_of_a_text_are_filled() -> None:
    """A place without a value would be shown with its braces, and a value without a place never."""
    wrong = []
    for place, call in calls():
        if call.func.id not in ("tr", "ptr", "ntr") or any(one.arg is None for one in call.keywords):
            continue
        first = call.args[1 if call.func.id == "ptr" else 0]
        given = {one.arg for one in call.keywords}
        if isinstance(first, ast.Constant) and given | {"n"} != translate.places(first.value) | {"n"} and given:
            wrong.append(f"{place}: {first.value!r}")
    assert wrong == []
