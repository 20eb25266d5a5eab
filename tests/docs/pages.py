"""The Markdown files that people read, taken apart: links, fenced blocks, the first cells of tables."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence
from pathlib import Path

from markdown_it import MarkdownIt
from markdown_it.token import Token

PROJECT = Path(__file__).parents[2]
MANUAL = PROJECT / "docs" / "manual"
_PARSER = MarkdownIt("commonmark").enable("table")
_GAP = "  "


def documents() -> list[Path]:
    """Return every Markdown file that stands in the project for people to read."""
    return [*sorted(PROJECT.glob("*.md")), *sorted((PROJECT / "docs").rglob("*.md"))]


def tokens_of(file: Path) -> list[Token]:
    return _PARSER.parse(file.read_text(encoding="utf-8"))


def plain(token: Token) -> str:
    return "".join(" " if one.type == "softbreak" else one.content for one in token.children or ())


def headings(file: Path) -> list[str]:
    """Return the headings of a page."""
    tokens = tokens_of(file)
    return [plain(tokens[at + 1]) for at, one in enumerate(tokens) if one.type == "heading_open"]


def targets(file: Path) -> list[str]:
    """Return where all links and pictures of a page lead."""
    inner = [child for token in tokens_of(file) for child in token.children or ()]
    links = [str(one.attrGet("href")) for one in inner if one.type == "link_open"]
    return links + [str(one.attrGet("src")) for one in inner if one.type == "image"]


def commands(file: Path) -> list[list[str]]:
    """Return what stands behind `familiar` in each example, without the words at its right."""
    return [
        shlex.split(line.partition(_GAP)[0])[1:]
        for token in tokens_of(file)
        if token.type == "fence" and not token.info
        for line in token.content.splitlines()
        if line.startswith("familiar ")
    ]


def first_cells(file: Path, head: str) -> Iterator[str]:
    """Yield the first cell of each row, of the tables whose first column is called `head`."""
    tokens = tokens_of(file)
    for at, token in enumerate(tokens):
        if token.type == "table_open":
            rows = _first_cells(tokens[at:])
            if rows[0] == head:
                yield from rows[1:]


def _first_cells(tokens: Sequence[Token]) -> list[str]:
    cells = []
    for before, token, inside in zip(tokens, tokens[1:], tokens[2:], strict=False):
        if before.type == "table_close":
            break
        if before.type == "tr_open" and token.type in ("th_open", "td_open"):
            cells.append(plain(inside))
    return cells
