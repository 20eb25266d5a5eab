"""The card object inside a file: finds it in PNG chunks, archives and plain JSON, and mends what can be mended.

Lorebooks live in the same containers, so what is found here is the raw object and its container's kind; what the
object means is for others to say.
"""

from __future__ import annotations

import base64
import binascii
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from familiar_app.domain.errors import BadInputError
from familiar_app.domain.text import ntr, tr
from familiar_app.interchange.charx import Members, is_zip, open_charx
from familiar_app.interchange.json_text import decode_text, parse_json, read_file
from familiar_app.interchange.png import SIGNATURE, Png, PngText, find_texts, read_png, replace_texts
from familiar_app.interchange.report import Report

CARD_KEYWORDS = ("ccv3", "chara")
PACKED_MODULE = b"o\0"
_BASE64 = frozenset(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/")


@dataclass(slots=True)
class JsonFile:
    """The JSON value of a file. `keyword` names the PNG chunk; `picture` is the PNG without its card chunks.

    `files` are what else an archive holds.
    """

    value: Any
    container: Literal["json", "png", "charx"]
    keyword: str | None = None
    picture: bytes | None = field(default=None, repr=False)
    files: Members = field(default_factory=dict, repr=False)


def load_json_file(path: Path, report: Report, *, keywords: Sequence[str] = CARD_KEYWORDS) -> JsonFile:
    """Read the JSON value in a JSON, PNG or `.charx` file; of PNG chunks the first of `keywords` that can be read.

    Raises BadInputError with the reason where there is none.
    """
    data = read_file(path)
    if data.startswith(SIGNATURE):
        png = read_png(data, source=path)
        if png.trailing and not find_texts(png, keywords) and is_zip(data):
            return _from_charx(data, path, report)
        return _from_png(png, path, report, keywords)
    if data.startswith(PACKED_MODULE):
        raise BadInputError(
            tr("this is a packed module of RisuAI (.risum)."), source=path, next_step=tr("Export it there as JSON.")
        )
    if is_zip(data):
        return _from_charx(data, path, report)
    if not data.strip():
        raise BadInputError(tr("the file is empty."), source=path)
    return JsonFile(parse_json(decode_text(data, source=path), source=path), "json")


def _from_charx(data: bytes, path: Path, report: Report) -> JsonFile:
    archive = open_charx(data, source=path)
    value = parse_json(decode_text(archive.card_json(), source=path), source=path)
    card = value.get("data") if isinstance(value, dict) else None
    picture = archive.portrait(card if isinstance(card, dict) else {}, report)
    return JsonFile(value, "charx", picture=picture, files=archive.files(report))


def _from_png(png: Png, path: Path, report: Report, keywords: Sequence[str]) -> JsonFile:
    damaged = [chunk for chunk in png.chunks if not chunk.whole]
    if len(damaged) > 1:
        raise BadInputError(
            ntr(
                "the PNG file is damaged: {n} chunk has a wrong checksum.",
                "the PNG file is damaged: {n} chunks have wrong checksums.",
                len(damaged),
            ),
            source=path,
        )
    texts = find_texts(png, keywords)
    texts.sort(key=lambda text: [word.lower() for word in keywords].index(text.keyword.lower()))
    if not texts:
        raise BadInputError(
            tr("the picture carries no character data."),
            source=path,
            next_step=tr("Pictures lose it when a site or a program saves them anew; take the original file."),
        )
    if damaged:
        kind = damaged[0].kind.decode("ascii")
        report.add("png", "repaired", tr("a {kind} chunk had a wrong checksum", kind=kind))
    if not png.complete:
        report.add("png", "repaired", tr("the file ends before its end mark"))
    value, text = _first_readable(texts, path, report)
    return JsonFile(value, "png", text.keyword.lower(), replace_texts(png, {}, remove=keywords))


def _first_readable(texts: Sequence[PngText], path: Path, report: Report) -> tuple[Any, PngText]:
    """Return the value of the first chunk that can be read; the next ones stand in for a damaged one."""
    first_error: BadInputError | None = None
    for text in texts:
        try:
            value = _decode_chunk(text, path, report)
        except BadInputError as error:
            first_error = first_error or error
            continue
        if first_error is not None:
            report.add(
                "png",
                "repaired",
                tr(
                    "the preferred chunk is damaged ({reason}); {chunk} is used",
                    reason=first_error.reason,
                    chunk=text.keyword,
                ),
            )
        return value, text
    raise first_error or BadInputError(tr("the picture carries no character data."), source=path)


def _decode_chunk(text: PngText, path: Path, report: Report) -> Any:
    body = text.read(source=path).strip()
    if body.startswith(b"rcc||"):
        raise BadInputError(
            tr("the card is encrypted by RisuAI."), source=path, next_step=tr("Export it without protection.")
        )
    if body.startswith(b"{"):
        report.add("png", "repaired", tr("the {chunk} chunk is not encoded as base64", chunk=text.keyword))
        return parse_json(decode_text(body, source=path), source=path)
    try:
        data, mended = base64.b64decode(body, validate=True), False
    except binascii.Error:
        data, mended = _mend_base64(body), True
    value = parse_json(decode_text(data, source=path), source=path)
    if mended:
        report.add("png", "repaired", tr("the base64 of the {chunk} chunk was damaged", chunk=text.keyword))
    return value


def _mend_base64(body: bytes) -> bytes:
    """Decode base64 with line breaks, foreign characters, the web alphabet or a wrong end."""
    letters = bytes(letter for letter in body.translate(bytes.maketrans(b"-_", b"+/")) if letter in _BASE64)
    if len(letters) % 4 == 1:
        letters = letters[:-1]
    return base64.b64decode(letters + b"=" * (-len(letters) % 4))
