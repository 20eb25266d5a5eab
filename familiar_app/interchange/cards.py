"""Character cards from and to files: V1, V2 and V3 in JSON and PNG, `.charx` archives, and our own Markdown.

Everything in such a file is untrusted: sizes are limited, nothing in it is run, and what cannot be read is refused
with the file and the reason.
"""

from __future__ import annotations

import base64
import json
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from familiar_app.domain.card import CharacterCard, parse_card_markdown, render_card_markdown
from familiar_app.domain.errors import BadInputError, UsageError
from familiar_app.domain.lorebook.decorators import strip_decorators
from familiar_app.domain.text import tr
from familiar_app.interchange.card_file import CARD_KEYWORDS, load_json_file
from familiar_app.interchange.card_json import CardVersion, card_format, card_from_json, card_to_json
from familiar_app.interchange.charx import PORTRAIT_NAME, Members, asset_name, write_charx
from familiar_app.interchange.json_text import decode_text, read_file, write_file
from familiar_app.interchange.png import plain_png, read_png, replace_texts
from familiar_app.interchange.report import Report, ReportLine

CARD_FORMATS = ("familiar", "card-v1", "card-v2", "card-v3", "charx")
MAX_NAME_CHARS = 80
_NO_PART_OF_A_NAME = ("Cc", "Cs", "Zl", "Zp")
_MARKDOWN_ENDINGS = {".md", ".markdown", ".txt"}
_VERSIONS: dict[str, CardVersion] = {
    "card-v1": "card-v1",
    "card-v2": "card-v2",
    "card-v3": "card-v3",
    "charx": "card-v3",
}
_MAIN_ICON = {"type": "icon", "uri": "embeded://assets/icon/image/main.png", "name": "main", "ext": "png"}
_PORTRAIT_SIZE = (400, 600)
_PORTRAIT_RGB = (112, 116, 128)


@dataclass(frozen=True, slots=True)
class CardImport:
    """A card from a file. `raw` is the whole object it was read from, for what a card here has no place for.

    `format` is one of `CARD_FORMATS`; `avatar_png` is the portrait without any card data, `files` are what else its
    archive holds.
    """

    card: CharacterCard
    format: str
    avatar_png: bytes | None = field(repr=False)
    report: tuple[ReportLine, ...]
    raw: Mapping[str, Any] = field(repr=False)
    files: Members = field(default_factory=dict, repr=False)


def read_card_file(path: Path) -> CardImport:
    """Read a character card. Raises BadInputError naming the file and the reason, OutsideError where the disk fails."""
    report = Report()
    if path.suffix.lower() in _MARKDOWN_ENDINGS:
        card = _with_short_name(parse_card_markdown(decode_text(read_file(path), source=path)), report)
        return CardImport(card, "familiar", None, tuple(report.lines), {})
    file = load_json_file(path, report)
    if not isinstance(file.value, dict):
        raise BadInputError(tr("this is not a character card."), source=path)
    card = _with_short_name(card_from_json(file.value, source=path, report=report), report)
    version = card_format(file.value) or "card-v1"
    format_name = "charx" if file.container == "charx" else version
    return CardImport(card, format_name, file.picture, tuple(report.lines), file.value, file.files)


def _with_short_name(card: CharacterCard, report: Report) -> CharacterCard:
    """Return the card with a name of one line that can be shown everywhere; maybe empty."""
    kept = (" " if unicodedata.category(char) in _NO_PART_OF_A_NAME else char for char in card.name)
    name = " ".join("".join(kept).split())
    if len(name) > MAX_NAME_CHARS:
        name = name[:MAX_NAME_CHARS].rstrip()
    if name == card.name.strip():
        return card
    report.add("name", "repaired", tr("a name has one line of at most {limit} characters", limit=MAX_NAME_CHARS))
    return replace(card, name=name)


def write_card(
    path: Path,
    card: CharacterCard,
    *,
    format: str | None = None,  # noqa: A002 - the word of the command line
    raw: Mapping[str, Any] | None = None,
    avatar_png: bytes | None = None,
    files: Members | None = None,
) -> None:
    """Write a card as the file's ending and `format` say; V3 where neither does.

    `raw` is an object read from a card before; what it holds beyond a card's fields is written back. A PNG that is
    there already keeps its picture and gets new card chunks; else `avatar_png` is the picture. `files` go into an
    archive. Replaces atomically.
    """
    ending = path.suffix.lower()
    format = format or {".charx": "charx", ".md": "familiar"}.get(ending, "card-v3")  # noqa: A001
    if format == "familiar":
        write_file(path, render_card_markdown(card).encode())
        return
    if format not in _VERSIONS:
        raise UsageError(
            tr("there is no card format {name!r}.", name=format),
            tr("Known are {names}.", names=", ".join(CARD_FORMATS)),
        )
    value = card_to_json(card, _VERSIONS[format], raw)
    if format == "charx":
        write_file(path, _archive(value, avatar_png, files or {}))
    elif ending in {".png", ".apng"}:
        write_file(path, _png_with_card(path, card, value, avatar_png))
    else:
        write_file(path, _dump(value, indent=2))


def _png_with_card(path: Path, card: CharacterCard, value: dict[str, Any], avatar_png: bytes | None) -> bytes:
    """Put the card into a picture. A V3 card also goes in as V2, for readers that know no other."""
    picture = read_file(path) if path.exists() else avatar_png or plain_png(*_PORTRAIT_SIZE, _PORTRAIT_RGB)
    texts = {}
    if value.get("spec") == "chara_card_v3":
        texts["chara"] = base64.b64encode(_dump(_older_copy(card, value)))
        texts["ccv3"] = base64.b64encode(_dump(value))
    else:
        texts["chara"] = base64.b64encode(_dump(value))
    return replace_texts(read_png(picture, source=path), texts, remove=CARD_KEYWORDS)


def _older_copy(card: CharacterCard, value: dict[str, Any]) -> dict[str, Any]:
    """Return the card as V2. Decorators, which readers of V2 would take for text, stay out of its lorebook."""
    older = card_to_json(card, "card-v2", value)
    book = older["data"].get("character_book")
    entries = book.get("entries") if isinstance(book, dict) else None
    for entry in entries if isinstance(entries, list) else ():
        if isinstance(entry, dict) and isinstance(entry.get("content"), str):
            entry["content"] = strip_decorators(entry["content"])
    return older


def _archive(value: dict[str, Any], avatar_png: bytes | None, files: Members) -> bytes:
    """Return an archive of the card, the portrait and the files that came with it; the card names what is in it."""
    held = dict(files)
    said = value["data"].get("assets")
    assets = [one for one in (said if isinstance(said, list) else []) if _is_there(one, held)]
    if avatar_png is not None and avatar_png not in held.values():
        assets = [one for one in assets if not _is_portrait(one)]
        held[PORTRAIT_NAME] = avatar_png
        assets.insert(0, _MAIN_ICON)
    value["data"]["assets"] = assets
    return write_charx(_dump(value), held)


def _is_there(asset: Any, files: Members) -> bool:
    name = asset_name(asset.get("uri")) if isinstance(asset, dict) else None
    return name is None or name in files


def _is_portrait(asset: Any) -> bool:
    return isinstance(asset, dict) and asset.get("type") == "icon" and asset.get("name") == "main"


def _dump(value: dict[str, Any], indent: int | None = None) -> bytes:
    """Write JSON that reads back the same; a half of a surrogate pair keeps its escape."""
    text = json.dumps(value, ensure_ascii=False, indent=indent)
    try:
        return text.encode()
    except UnicodeEncodeError:
        return json.dumps(value, ensure_ascii=True, indent=indent).encode()
