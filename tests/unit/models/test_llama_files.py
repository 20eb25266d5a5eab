"""GGUF files: what is read from a good one, and what is said of a bad one, without loading any."""

from __future__ import annotations

import io
import os
import struct
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from familiar_app.domain.errors import BadInputError, OutsideError
from familiar_app.models.bundled import bundled_model_path
from familiar_app.models.llama_fit import choose_context, fit, free_memory_bytes, read_model_file
from familiar_app.models.llama_worker.frames import FrameError, read_frame, write_frame
from familiar_app.models.llama_worker.gguf import GgufError, GgufHeader, read_header
from familiar_app.models.llama_worker.template import ChatTemplate
from familiar_app.models.scripted import read_script


def header(**changes: Any) -> GgufHeader:
    values: dict[str, Any] = {
        "size_bytes": 1_000_000_000,
        "architecture": "llama",
        "name": "test",
        "trained_context_tokens": 32768,
        "kv_bytes_per_token": 100_000,
        "chat_template": "",
        "bos_text": "<s>",
        "eos_text": "</s>",
    }
    return GgufHeader(**{**values, **changes})


def text(value: str) -> bytes:
    return struct.pack("<Q", len(value.encode())) + value.encode()


def gguf(pairs: dict[str, Any], *, version: int = 3) -> bytes:
    data = b"GGUF" + struct.pack("<IQQ", version, 0, len(pairs))
    for key, value in pairs.items():
        data += text(key)
        data += struct.pack("<I", 8) + text(value) if isinstance(value, str) else struct.pack("<II", 4, value)
    return data


def test_the_bundled_model_says_what_it_is() -> None:
    found = read_model_file(bundled_model_path())
    assert (found.architecture, found.trained_context_tokens) == ("llama", 8192)
    # 30 layers of 3 heads with 64 numbers, for keys and for values, in two bytes each.
    assert found.kv_bytes_per_token == 30 * 3 * 64 * 2 * 2
    assert "<|im_start|>" in found.chat_template
    assert found.eos_text == "<|im_end|>"


def test_a_small_file_is_read(tmp_path: Path) -> None:
    path = tmp_path / "m.gguf"
    path.write_bytes(gguf({"general.architecture": "llama", "llama.context_length": 77}))
    assert read_header(path).trained_context_tokens == 77


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"", "ends too early"),
        (b"PK\x03\x04 a zip file", "not a GGUF model"),
        (gguf({}, version=1), "version 1"),
        (gguf({}), "does not say what kind"),
        (gguf({"general.architecture": "llama"})[:-3], "ends too early"),
        (b"GGUF" + struct.pack("<IQQ", 3, 0, 2**60), "too many settings"),
        (b"GGUF" + struct.pack("<IQQ", 3, 0, 1) + struct.pack("<Q", 2**62), "too long"),
        (
            b"GGUF" + struct.pack("<IQQ", 3, 0, 1) + text("a") + struct.pack("<IIQ", 9, 8, 2**50),
            "unknown type or length",
        ),
    ],
)
def test_a_bad_file_has_its_sentence(tmp_path: Path, data: bytes, words: str) -> None:
    path = tmp_path / "bad.gguf"
    path.write_bytes(data)
    with pytest.raises(BadInputError, match=words) as caught:
        read_model_file(path)
    assert "bad.gguf" in caught.value.message
    assert caught.value.next_step


def test_a_missing_file_has_its_sentence(tmp_path: Path) -> None:
    for path in (tmp_path / "none.gguf", tmp_path):
        with pytest.raises(BadInputError, match="does not exist"):
            read_model_file(path)


@given(st.binary(max_size=200))
def test_any_bytes_are_a_header_or_an_error(tmp_path_factory: pytest.TempPathFactory, data: bytes) -> None:
    path = tmp_path_factory.mktemp("any") / "x.gguf"
    path.write_bytes(b"GGUF\x03\x00\x00\x00" + data)
    with pytest.raises(GgufError):
        read_header(path)


def test_the_context_is_as_trained_up_to_a_bound_or_as_asked() -> None:
    assert choose_context(header(), None) == 8192
    assert choose_context(header(trained_context_tokens=2048), None) == 2048
    assert choose_context(header(trained_context_tokens=0), None) == 8192
    assert choose_context(header(), 20_000) == 20_000
    with pytest.raises(BadInputError, match="trained for a context of 32768 tokens, and 40000") as caught:
        choose_context(header(), 40_000)
    assert "32768 or less" in caught.value.next_step


def test_the_context_shrinks_to_fit_into_memory_unless_it_was_asked_for() -> None:
    small = 1_700_000_000
    assert fit(header(), None, free_bytes=10**11).context_tokens == 8192
    assert fit(header(), None, free_bytes=small).context_tokens == 4096
    assert fit(header(), None, free_bytes=None).context_tokens == 8192
    with pytest.raises(OutsideError, match=r"needs about 1\.9 GiB of memory, and 1\.6 are free"):
        fit(header(), 8192, free_bytes=small)
    with pytest.raises(OutsideError, match="GiB of memory"):
        fit(header(), None, free_bytes=10**9)


def test_free_memory_is_a_likely_number() -> None:
    free = free_memory_bytes()
    assert free is None or 2**24 < free < 2**45


FRAMES = st.dictionaries(st.text(), st.text() | st.integers() | st.lists(st.text()), max_size=5)


@given(st.lists(FRAMES, max_size=5))
def test_frames_come_back_as_they_went(frames: list[dict[str, Any]]) -> None:
    pipe = io.BytesIO()
    for frame in frames:
        write_frame(pipe, frame)
    pipe.seek(0)
    assert [read_frame(pipe) for _ in frames] == frames
    assert read_frame(pipe) is None


@pytest.mark.parametrize(
    "data", [b"\x00", b"\x00\x00\x00\x05{}", b"\x00\x00\x00\x02[]", b"\x00\x00\x00\x02{x", b"\xff" * 8]
)
def test_what_is_no_frame_is_an_error(data: bytes) -> None:
    with pytest.raises(FrameError):
        read_frame(io.BytesIO(data))


def test_a_template_is_rendered_in_a_sandbox() -> None:
    messages = [{"role": "user", "content": "hi"}]
    source = (
        "{{ bos_token }}{% for m in messages %}[{{ m.role }}]{{ m.content }}{% endfor %}{% if add_generation_prompt %}>"
    )
    assert ChatTemplate(header(chat_template=source + "{% endif %}")).render(messages) == "<s>[user]hi>"
    for hostile in (
        "{{ ''.__class__.__mro__ }}",
        "{{ raise_exception('no') }}",
        "{% for i in range(10**9) %}x{% endfor %}",
        "{%",
    ):
        rendered = ChatTemplate(header(chat_template=hostile)).render(messages)
        assert rendered is None or "class" not in rendered
    assert ChatTemplate(header()).render(messages) is None


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no named pipes")
@pytest.mark.parametrize("read", [read_model_file, read_script])
def test_a_pipe_in_the_place_of_a_file_is_not_waited_for(tmp_path: Path, read: Callable[[Path], object]) -> None:
    path = tmp_path / "model"
    os.mkfifo(path)
    with pytest.raises(BadInputError, match="does not exist"):
        read(path)
