"""Tells what a file holds: turns, a lorebook, a card or memories. Only what stands inside counts, and text endings."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from familiar_app.domain.errors import BadInputError, OutsideError
from familiar_app.domain.text import tr
from familiar_app.interchange.card_file import CARD_KEYWORDS, PACKED_MODULE, load_json_file
from familiar_app.interchange.json_text import MAX_JSON_BYTES, READABLE
from familiar_app.interchange.lorebook.sniff import find_shape, is_card
from familiar_app.interchange.memories import is_memory_file
from familiar_app.interchange.report import Report

FileKind = Literal["turns", "lorebook", "card", "memories"]
_MARKDOWN = (".md", ".markdown")
_CONTAINERS = (b"\x89PNG", b"PK\x03\x04", PACKED_MODULE)


def kind_of_file(path: Path) -> FileKind:
    """Tell what a file holds. What is none of the others counts as turns, so that the error is theirs.

    Raises BadInputError for a picture or archive without a card, OutsideError where the disk fails.
    """
    ending = path.suffix.lower()
    if ending == ".toml":
        return "lorebook"
    if ending in _MARKDOWN:
        return "card"
    if not path.is_file() or path.stat().st_size > MAX_JSON_BYTES or ending == ".jsonl":
        return "turns"
    try:
        value = load_json_file(path, Report(), keywords=(*CARD_KEYWORDS, "naidata")).value
    except BadInputError:
        if _is_container(path):
            raise
        return "turns"
    if is_memory_file(value):
        return "memories"
    if is_card(value):
        return "card"
    return "turns" if find_shape(value) is None else "lorebook"


def _is_container(path: Path) -> bool:
    try:
        with path.open("rb") as stream:
            return stream.read(4).startswith(_CONTAINERS)
    except OSError as error:
        raise OutsideError(
            tr("{path} cannot be read: {reason}.", path=path, reason=error.strerror or type(error).__name__),
            tr(READABLE),
        ) from error
