"""Reads the header of a GGUF file: what a model is, without loading its weights.

Layout after https://github.com/ggml-org/ggml/blob/master/docs/gguf.md, versions 2 and 3. Everything in the file is
untrusted: each length is checked against what is left of the file before it is believed.
"""

from __future__ import annotations

import os
import struct
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

from familiar_app.domain.text import tr

MAGIC = b"GGUF"
_MAX_KEYS = 100_000
_MAX_TEXT_BYTES = 16 * 1024 * 1024
_SCALARS = {0: "<B", 1: "<b", 2: "<H", 3: "<h", 4: "<I", 5: "<i", 6: "<f", 7: "<?", 10: "<Q", 11: "<q", 12: "<d"}
_STRING, _ARRAY = 8, 9
_FIXED_STRUCTS = {kind: struct.Struct(form) for kind, form in _SCALARS.items()}
_U64 = _FIXED_STRUCTS[10]
_U32 = _FIXED_STRUCTS[4]


class GgufError(Exception):
    """The file is no GGUF file, or a damaged one. The text is a sentence for people."""


@dataclass(frozen=True, slots=True)
class GgufHeader:
    """What the header says. Sizes are 0 and texts empty where it does not.

    `kv_bytes_per_token` is what one token of context costs in 16-bit keys and values, over all layers.
    """

    size_bytes: int
    architecture: str
    name: str
    trained_context_tokens: int
    kv_bytes_per_token: int
    chat_template: str
    bos_text: str
    eos_text: str


def read_header(path: Path) -> GgufHeader:
    """Read the header of a file. Raises GgufError, or OSError where the file cannot be read. Takes up to 0.2 s."""
    with path.open("rb") as file:
        size = os.fstat(file.fileno()).st_size
        reader = _Reader(file, size)
        if reader.take(4) != MAGIC:
            raise GgufError(tr("The file is not a GGUF model."))
        version = reader.unpack(_U32)
        if version not in (2, 3):
            raise GgufError(
                tr("The file is in version {version} of the GGUF format, which is not supported.", version=str(version))
            )
        reader.unpack(_U64)
        values = _read_values(reader)
    return _header(values, size)


def _read_values(reader: _Reader) -> dict[str, Any]:
    count = reader.unpack(_U64)
    if count > _MAX_KEYS:
        raise GgufError(tr("The file is damaged: it claims to have too many settings."))
    values: dict[str, Any] = {}
    for _ in range(count):
        key = reader.text()
        values[key] = _read_value(
            reader, reader.unpack(_U32), keep=key == "tokenizer.ggml.tokens" or "head_count" in key
        )
    return values


def _read_value(reader: _Reader, kind: int, *, keep: bool) -> Any:
    if kind in _FIXED_STRUCTS:
        return reader.unpack(_FIXED_STRUCTS[kind])
    if kind == _STRING:
        return reader.text()
    if kind == _ARRAY:
        return _read_array(reader, keep=keep)
    raise GgufError(tr("The file is damaged: a setting has an unknown type."))


def _read_array(reader: _Reader, *, keep: bool) -> list[Any] | None:
    kind, count = reader.unpack(_U32), reader.unpack(_U64)
    if kind in _FIXED_STRUCTS:
        form = _FIXED_STRUCTS[kind]
        data = reader.take(form.size * count, keep=keep)
        return [value for (value,) in form.iter_unpack(data)] if keep else None
    if kind != _STRING or count > reader.left:
        raise GgufError(tr("The file is damaged: a list has an unknown type or length."))
    # A vocabulary has up to 300,000 entries, each of which has to be stepped over.
    texts: list[Any] = []
    for _ in range(count):
        raw = reader.take(reader.unpack(_U64), keep=keep)
        if keep:
            texts.append(raw)
    return texts if keep else None


class _Reader:
    """Takes bytes off a file and never more than are left of it."""

    def __init__(self, file: BinaryIO, size: int) -> None:
        self._file = file
        self.left = size

    def take(self, size: int, *, keep: bool = True) -> bytes:
        if size > self.left:
            raise GgufError(tr("The file is damaged: it ends too early."))
        self.left -= size
        if not keep:
            self._file.seek(size, os.SEEK_CUR)
            return b""
        data = self._file.read(size)
        if len(data) != size:
            raise GgufError(tr("The file is damaged: it ends too early."))
        return data

    def unpack(self, form: struct.Struct) -> Any:
        return form.unpack(self.take(form.size))[0]

    def text(self) -> str:
        size = self.unpack(_U64)
        if size > _MAX_TEXT_BYTES:
            raise GgufError(tr("The file is damaged: a text in it is too long."))
        return self.take(size).decode("utf-8", errors="replace")


def _header(values: dict[str, Any], size: int) -> GgufHeader:
    architecture = values.get("general.architecture")
    if not isinstance(architecture, str) or not architecture:
        raise GgufError(tr("The file is damaged: it does not say what kind of model it is."))
    return GgufHeader(
        size_bytes=size,
        architecture=architecture,
        name=_text(values.get("general.name")),
        trained_context_tokens=_number(values.get(f"{architecture}.context_length")),
        kv_bytes_per_token=_kv_bytes(values, architecture),
        chat_template=_text(values.get("tokenizer.chat_template")),
        bos_text=_token_text(values, "bos"),
        eos_text=_token_text(values, "eos"),
    )


def _kv_bytes(values: dict[str, Any], architecture: str) -> int:
    layers = _number(values.get(f"{architecture}.block_count"))
    heads = _largest(values.get(f"{architecture}.attention.head_count"))
    kv_heads = values.get(f"{architecture}.attention.head_count_kv", heads)
    total_kv_heads = sum(map(_number, kv_heads)) if isinstance(kv_heads, list) else layers * _number(kv_heads)
    width = _number(values.get(f"{architecture}.embedding_length")) // heads if heads else 0
    key = _number(values.get(f"{architecture}.attention.key_length")) or width
    value = _number(values.get(f"{architecture}.attention.value_length")) or width
    return total_kv_heads * (key + value) * 2


def _token_text(values: dict[str, Any], which: str) -> str:
    tokens, index = values.get("tokenizer.ggml.tokens"), values.get(f"tokenizer.ggml.{which}_token_id")
    if not isinstance(tokens, list) or not isinstance(index, int) or not 0 <= index < len(tokens):
        return ""
    return tokens[index].decode("utf-8", errors="replace") if isinstance(tokens[index], bytes) else ""


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""


def _number(value: object) -> int:
    return value if isinstance(value, int) and not isinstance(value, bool) and value > 0 else 0


def _largest(value: object) -> int:
    return max(map(_number, value), default=0) if isinstance(value, list) else _number(value)
