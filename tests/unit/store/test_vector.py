"""Vectors: stored, kept in step with their texts, and searched."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from familiar_app.domain.embedding import Vector
from familiar_app.domain.ids import TurnId
from familiar_app.domain.turn import NewTurn
from familiar_app.store import vector, vector_matrix
from familiar_app.store.vault import Vault
from familiar_app.store.vector_fill import VectorFill
from familiar_app.store.vector_matrix import VectorMatrix

Say = Callable[..., NewTurn]
MODEL = "letters"


class Letters:
    """Embeds by how often each of four letters stands in the text; remembers what it was given."""

    name = MODEL

    def __init__(self) -> None:
        self.given: list[str] = []

    async def embed(self, texts: Sequence[str]) -> list[Vector]:
        self.given += texts
        return [Vector(4, unit([text.count(letter) + 0.01 for letter in "qxzj"])) for text in texts]

    async def close(self) -> None:
        pass


def unit(numbers: Sequence[float]) -> bytes:
    values = np.asarray(numbers, "<f4")
    return bytes((values / np.linalg.norm(values)).tobytes())


async def cosines(vault: Vault, cue: str, ids: Sequence[int]) -> dict[int, float]:
    wanted = (await Letters().embed([cue]))[0].data

    def work(connection: object) -> dict[int, float]:
        matrix = vault.vectors.matrix(connection, "turn", MODEL)  # type: ignore[arg-type]
        return {} if matrix is None else matrix.cosines(wanted, ids)

    return await vault._opened.engine.read(work)


async def test_everything_is_embedded_once_with_speaker_and_date(vault: Vault, said: Say) -> None:
    await vault.turns.append_many([said(f"qq {n}") for n in range(70)])
    letters = Letters()
    fill = VectorFill(vault.vectors, letters)
    seen: list[int] = []
    assert await fill.until_idle(seen.append) == 70
    assert seen == [32, 64, 70]
    assert letters.given[0] == "Ann (Wednesday 1 May 2024): qq 69"
    assert await fill.until_idle() == 0
    assert await vault.vectors.count("turn", MODEL) == 70


async def test_a_vector_goes_with_its_text_and_comes_back_with_the_new_one(vault: Vault, said: Say) -> None:
    ids = [(await vault.turns.append(said(text)))[0].id for text in ("qqqqqqq", "xxxxxxx", "zzzzzzz")]
    fill = VectorFill(vault.vectors, Letters())
    await fill.until_idle()
    assert (await cosines(vault, "q", ids))[ids[0]] == pytest.approx(1, abs=0.01)
    await vault.turns.revise(ids[0], "xxxxxxxx")
    await vault.turns.scrub(ids[2])
    assert set(await cosines(vault, "x", ids)) == {ids[1]}
    assert await vault.vectors.count("turn", MODEL) == 1
    await fill.until_idle()
    found = await cosines(vault, "x", ids)
    assert set(found) == {ids[0], ids[1]}
    assert found[ids[0]] == pytest.approx(1, abs=0.01)


async def test_a_text_that_changed_while_it_was_embedded_gets_no_vector(vault: Vault, said: Say) -> None:
    turn, _ = await vault.turns.append(said("qqq"))
    ((number, text),) = await vault.vectors.missing("turn", MODEL, 10)
    await vault.turns.revise(turn.id, "zzz")
    await vault.vectors.put("turn", MODEL, [(number, text, Vector(1, b"\0\0\x80?"))])
    assert await vault.vectors.count("turn", MODEL) == 0


async def test_vectors_are_read_before_the_first_search_and_what_changes_meanwhile_again(
    vault: Vault, said: Say, monkeypatch: pytest.MonkeyPatch
) -> None:
    ids = [(await vault.turns.append(said(text)))[0].id for text in ("qqqqqqq", "xxxxxxx")]
    await VectorFill(vault.vectors, Letters()).until_idle()
    read: list[str] = []
    load = vector._load

    def watched(*given: Any) -> VectorMatrix | None:
        found = load(*given)
        read.append(given[1])
        # What a reader that began before the change does not see.
        vault.vectors._turns_changed([ids[0]])
        return found

    monkeypatch.setattr(vector, "_load", watched)
    await vault.vectors.load(("turn", "fact"), MODEL)
    assert read == ["turn", "fact"]
    assert vault.vectors._loaded["turn", MODEL].outdated in (set(), {ids[0]})
    found = await cosines(vault, "xxxxxxx", ids)
    assert found[ids[1]] > 0.99 > found[ids[0]]
    assert read == ["turn", "fact"]


async def test_models_keep_apart(vault: Vault, said: Say) -> None:
    await vault.turns.append(said("qqq"))
    await VectorFill(vault.vectors, Letters()).until_idle()
    assert len(await vault.vectors.missing("turn", "another", 10)) == 1
    assert await vault.vectors.count("turn", "another") == 0
    assert await vault.vectors.forget("turn", MODEL) == 1
    assert await cosines(vault, "q", [TurnId(1)]) == {}


@pytest.fixture
def small_limits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(vector_matrix, "EXACT_ROWS", 200)
    monkeypatch.setattr(vector_matrix, "CHOSEN_ROWS", 400)


def random_rows(count: int, dim: int = 100) -> np.ndarray:
    rows = np.random.default_rng(5).standard_normal((count, dim)).astype(np.float32)
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)


def filled(rows: np.ndarray) -> VectorMatrix:
    matrix = VectorMatrix(rows.shape[1])
    for number, row in enumerate(rows):
        matrix.put(number + 1, number % 3, row.astype("<f4").tobytes())
    return matrix


def test_the_nearest_are_found_exactly() -> None:
    rows = random_rows(500)
    matrix = filled(rows)
    cue = rows[7] + 0.5 * rows[8]
    best = [int(one) + 1 for one in np.argsort(-(rows @ cue))]
    assert matrix.nearest(cue.tobytes(), 20) == best[:20]
    of_place = [one for one in best if (one - 1) % 3 == 2]
    assert matrix.nearest(cue.tobytes(), 20, [2]) == of_place[:20]
    assert matrix.nearest(cue.tobytes(), 1000) == best
    assert matrix.nearest(cue.tobytes(), 5, []) == []
    matrix.drop([best[0], best[2]])
    assert matrix.nearest(cue.tobytes(), 2) == [best[1], best[3]]
    assert len(matrix) == 498


def test_signs_choose_rows_that_hold_the_nearest(small_limits: None) -> None:
    rows = random_rows(4000)
    matrix = filled(rows)
    for number in range(20):
        cue = rows[number] + 0.6 * rows[number + 50]
        best = [int(one) + 1 for one in np.argsort(-(rows @ cue))[:2]]
        found = matrix.nearest(cue.tobytes(), 10)
        assert found[:2] == best
        assert all((one - 1) % 3 == 1 for one in matrix.nearest(cue.tobytes(), 10, [1]))


def test_rows_put_later_are_chosen_too(small_limits: None) -> None:
    rows = random_rows(3000)
    matrix = filled(rows[:2000])
    matrix.nearest(rows[0].tobytes(), 3)
    for number, row in enumerate(rows[2000:], start=2001):
        matrix.put(number, 0, row.astype("<f4").tobytes())
    assert matrix.nearest(rows[2500].tobytes(), 1) == [2501]
    matrix.put(1, 0, rows[2600].tobytes())
    matrix.drop([2601])
    assert matrix.nearest(rows[2600].tobytes(), 1) == [1]
    assert matrix.size_bytes >= 3000 * 100 * 4


@given(st.lists(st.tuples(st.integers(1, 30), st.booleans(), st.floats(-3, 3)), max_size=60))
def test_the_matrix_agrees_with_a_dictionary(steps: list[tuple[int, bool, float]]) -> None:
    matrix, plain = VectorMatrix(2), {}
    for number, keep, angle in steps:
        if keep:
            plain[number] = unit([math.cos(angle), math.sin(angle)])
            matrix.put(number, 0, plain[number])
        else:
            plain.pop(number, None)
            matrix.drop([number])
    assert len(matrix) == len(plain)
    assert set(matrix.nearest(unit([1, 0]), 100)) == set(plain)
    found = matrix.cosines(unit([1, 0]), range(1, 31))
    assert found == pytest.approx({n: float(np.frombuffer(v, "<f4")[0]) for n, v in plain.items()}, abs=1e-5)


def test_vectors_of_another_length_are_passed_over() -> None:
    matrix = VectorMatrix(2)
    matrix.put(1, 0, unit([1, 1, 1]))
    assert len(matrix) == 0
    matrix.put(1, 0, unit([1, 0]))
    assert matrix.nearest(unit([1, 0, 0]), 5) == []
    assert matrix.cosines(unit([1, 0, 0]), [1]) == {}


def test_many_put_at_once_are_as_if_put_one_by_one(small_limits: None) -> None:
    dice = np.random.default_rng(4)
    rows = [(number, number % 3, unit(dice.normal(size=8).tolist())) for number in range(1, 400)]
    one_by_one, at_once = VectorMatrix(8), VectorMatrix(8)
    for row in rows:
        one_by_one.put(*row)
    at_once.put_many([*rows[:150], (1000, 0, b"short")])
    cue = unit(dice.normal(size=8).tolist())
    at_once.nearest(cue, 5)
    at_once.put_many(rows[150:])
    at_once.put_many([])
    assert len(at_once) == len(one_by_one) == 399
    assert at_once.cosines(cue, range(1, 400)) == one_by_one.cosines(cue, range(1, 400))
    assert at_once.nearest(cue, 7, [1]) == one_by_one.nearest(cue, 7, [1])
