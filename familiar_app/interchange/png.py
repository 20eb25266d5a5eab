"""PNG files as carriers of text: finds text chunks in all three forms, replaces them, keeps every other byte.

Pictures are not decoded. Whatever is inflated is limited in size; a wrong checksum is reported by the reader and left
to the caller to judge.
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from familiar_app.domain.errors import BadInputError
from familiar_app.domain.text import tr

SIGNATURE = b"\x89PNG\r\n\x1a\n"
MAX_TEXT_BYTES = 32 * 1024 * 1024
_MAX_CHUNKS = 100_000
_TEXT_KINDS = (b"tEXt", b"zTXt", b"iTXt")


@dataclass(frozen=True, slots=True)
class Chunk:
    """One chunk; `whole` tells that its checksum is right."""

    kind: bytes
    data: bytes
    whole: bool = True


@dataclass(frozen=True, slots=True)
class Png:
    """A PNG file in pieces. `complete` is False where it ends before its end chunk; `trailing` follows that chunk."""

    chunks: tuple[Chunk, ...]
    complete: bool
    trailing: bytes = b""


@dataclass(frozen=True, slots=True)
class PngText:
    """A text chunk that was found; its text may still be deflated."""

    keyword: str
    chunk: Chunk

    def read(self, *, source: Path | str) -> bytes:
        """Return the text. Raises BadInputError where it is damaged or inflates to more than the limit."""
        rest = self.chunk.data.partition(b"\0")[2]
        if self.chunk.kind == b"tEXt":
            return rest
        if self.chunk.kind == b"zTXt":
            return _inflate(rest[1:], source)
        text = rest[2:].partition(b"\0")[2].partition(b"\0")[2]
        return _inflate(text, source) if rest[:1] == b"\1" else text


def read_png(data: bytes, *, source: Path | str) -> Png:
    """Split a PNG file into chunks. Raises BadInputError where it is none or names absurd lengths."""
    if not data.startswith(SIGNATURE):
        raise BadInputError(tr("this is not a PNG file."), source=source)
    chunks: list[Chunk] = []
    position = len(SIGNATURE)
    while position + 12 <= len(data) and len(chunks) < _MAX_CHUNKS:
        (length,) = struct.unpack_from(">I", data, position)
        kind = data[position + 4 : position + 8]
        end = position + 8 + length
        if not kind.isalpha():
            raise BadInputError(tr("the PNG file is damaged at byte {position}.", position=position), source=source)
        if end + 4 > len(data):
            break
        body = data[position + 8 : end]
        (crc,) = struct.unpack_from(">I", data, end)
        chunks.append(Chunk(kind, body, crc == zlib.crc32(body, zlib.crc32(kind))))
        position = end + 4
        if kind == b"IEND":
            return Png(tuple(chunks), True, data[position:])
    if not chunks or chunks[0].kind != b"IHDR":
        raise BadInputError(tr("the PNG file is damaged: it has no header chunk."), source=source)
    return Png(tuple(chunks), False)


def find_texts(png: Png, keywords: Iterable[str]) -> list[PngText]:
    """Return the text chunks with one of these keywords (compared without case), in file order."""
    wanted = {word.lower() for word in keywords}
    found = ((text_keyword(chunk), chunk) for chunk in png.chunks)
    return [PngText(keyword, chunk) for keyword, chunk in found if keyword is not None and keyword.lower() in wanted]


def text_keyword(chunk: Chunk) -> str | None:
    """Return the keyword of a text chunk, None for every other chunk."""
    if chunk.kind not in _TEXT_KINDS:
        return None
    keyword, separator, _ = chunk.data.partition(b"\0")
    return keyword.decode("latin-1") if separator else None


def replace_texts(png: Png, texts: Mapping[str, bytes], *, remove: Iterable[str] = ()) -> bytes:
    """Return the file with the given text chunks before its end, and without older ones of these or `remove` words.

    Checksums are written anew, and an end chunk where it was missing. Everything else stays byte for byte.
    """
    gone = {word.lower() for word in (*texts, *remove)}
    kept = [
        chunk for chunk in png.chunks if chunk.kind != b"IEND" and (text_keyword(chunk) or "\0").lower() not in gone
    ]
    added = [Chunk(b"tEXt", word.encode("latin-1") + b"\0" + text) for word, text in texts.items()]
    chunks = (*kept, *added, Chunk(b"IEND", b""))
    return SIGNATURE + b"".join(write_chunk(chunk) for chunk in chunks) + png.trailing


def write_chunk(chunk: Chunk) -> bytes:
    """Return the chunk as it stands in a file, with a right checksum."""
    crc = zlib.crc32(chunk.data, zlib.crc32(chunk.kind))
    return struct.pack(">I", len(chunk.data)) + chunk.kind + chunk.data + struct.pack(">I", crc)


def plain_png(width: int, height: int, rgb: tuple[int, int, int]) -> bytes:
    """Draw a picture of one colour, for cards that have none."""
    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    rows = (b"\0" + bytes(rgb) * width) * height
    chunks = (Chunk(b"IHDR", header), Chunk(b"IDAT", zlib.compress(rows, 9)), Chunk(b"IEND", b""))
    return SIGNATURE + b"".join(write_chunk(chunk) for chunk in chunks)


def _inflate(data: bytes, source: Path | str) -> bytes:
    inflater = zlib.decompressobj()
    try:
        text = inflater.decompress(data, MAX_TEXT_BYTES)
    except zlib.error as error:
        raise BadInputError(tr("a compressed text chunk of the PNG file is damaged."), source=source) from error
    if inflater.unconsumed_tail:
        raise BadInputError(
            tr(
                "a compressed text chunk of the PNG file is larger than {limit} MiB.",
                limit=MAX_TEXT_BYTES // 1024 // 1024,
            ),
            source=source,
        )
    if not inflater.eof:
        raise BadInputError(tr("a compressed text chunk of the PNG file is cut short."), source=source)
    return text
