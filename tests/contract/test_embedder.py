"""One contract for every embedder: the hashing one, and the sentence model that comes with the program."""

from __future__ import annotations

import asyncio
import shutil
import struct
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from familiar_app.domain.embedding import Embedder, Vector
from familiar_app.domain.errors import BadInputError, OutsideError
from familiar_app.domain.memory_settings import EmbeddingSettings
from familiar_app.models.embedder_factory import _bundled_model, build_embedder
from familiar_app.store.resource import resource

KINDS = ("hash", pytest.param("fastembed", marks=pytest.mark.slow))


def build(base_dir: Path, **changes: Any) -> Embedder | None:
    values: dict[str, Any] = {"backend": "hash", "dim": 128, "model": "minilm", "model_dir": "", **changes}
    settings = EmbeddingSettings(**values)
    return build_embedder(settings, base_dir=base_dir, tokenizer=resource("embedder", "tokenizer.json"))


@pytest.fixture(params=KINDS)
async def embedder(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Embedder]:
    made = build(tmp_path, backend=request.param)
    assert made is not None
    yield made
    await made.close()


def numbers(vector: Vector) -> tuple[float, ...]:
    return struct.unpack(f"<{vector.dim}f", vector.data)


def cosine(one: Vector, other: Vector) -> float:
    return sum(a * b for a, b in zip(numbers(one), numbers(other), strict=True))


async def test_vectors_have_length_one_and_one_dimension(embedder: Embedder) -> None:
    found = await embedder.embed(["A red boat", "", "猫が好き", "x" * 20_000, "🎈", "\ud800 half"])
    assert len({vector.dim for vector in found}) == 1
    for vector in found:
        assert len(vector.data) == vector.dim * 4
        assert cosine(vector, vector) == pytest.approx(1, abs=1e-4)
    assert await embedder.embed([]) == []


async def test_the_same_text_gives_the_same_vector_in_any_company(embedder: Embedder) -> None:
    alone = (await embedder.embed(["The kettle is on"]))[0]
    among = (await embedder.embed(["other", "The kettle is on", "a much longer text " * 20]))[1]
    assert cosine(alone, among) > 0.98


async def test_what_resembles_is_nearer(embedder: Embedder) -> None:
    cue, near, far = await embedder.embed(["painting sunrises", "She paints a sunrise", "The invoice is overdue"])
    assert cosine(cue, near) > cosine(cue, far) + 0.1


async def test_calls_may_overlap_and_never_hold_the_loop(embedder: Embedder) -> None:
    await embedder.embed(["warm up"])
    texts = [f"text number {n} with some more words in it" for n in range(40)]
    work = asyncio.gather(embedder.embed(texts), embedder.embed(texts[::-1]))
    beats = 0
    while not work.done():
        await asyncio.sleep(0.001)
        beats += 1
    forth, back = await work
    assert beats > 1
    assert cosine(forth[0], back[-1]) > 0.98


@pytest.mark.slow
async def test_the_sentence_model_knows_meaning(tmp_path: Path) -> None:
    model = build(tmp_path, backend="fastembed")
    assert model is not None
    assert model.name == "all-MiniLM-L6-v2-int8"
    cue, near, far = await model.embed(["pet", "My hamster sleeps all day", "The invoice is overdue"])
    assert cue.dim == 384
    assert cosine(cue, near) > cosine(cue, far) + 0.15
    await model.close()


@pytest.mark.slow
async def test_a_folder_of_ones_own_gives_the_same_vectors(tmp_path: Path) -> None:
    folder = tmp_path / "model"
    folder.mkdir()
    shutil.copy(_bundled_model(), folder / "model.onnx")
    shutil.copy(resource("embedder", "tokenizer.json"), folder / "tokenizer.json")
    own, bundled = (
        build(tmp_path, backend="fastembed", model="mine", model_dir="model"),
        build(tmp_path, backend="fastembed"),
    )
    assert own is not None
    assert bundled is not None
    assert own.name == "mine"
    assert (await own.embed(["a word"]))[0] == (await bundled.embed(["a word"]))[0]
    await own.close()
    await bundled.close()


def test_an_embedder_that_cannot_be_had_is_said_at_once(tmp_path: Path) -> None:
    assert build(tmp_path, backend="off") is None
    with pytest.raises(BadInputError, match="model"):
        build(tmp_path, backend="fastembed", model="somebody/else")
    with pytest.raises(BadInputError, match="model_dir"):
        build(tmp_path, backend="fastembed", model_dir="nowhere")
    (tmp_path / "model.onnx").write_bytes(b"")
    with pytest.raises(BadInputError, match="tokenizer"):
        build(tmp_path, backend="fastembed", model="mine", model_dir=".")


async def test_a_damaged_model_fails_with_a_next_step(tmp_path: Path) -> None:
    (tmp_path / "model.onnx").write_bytes(b"not a model")
    shutil.copy(resource("embedder", "tokenizer.json"), tmp_path / "tokenizer.json")
    broken = build(tmp_path, backend="fastembed", model_dir=".")
    assert broken is not None
    with pytest.raises(OutsideError) as failure:
        await broken.embed(["x"])
    assert failure.value.next_step
    await broken.close()
