"""One page of the manual: its Markdown as HTML with anchors, its sections as plain text. Knows no Qt and no look."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from html import escape

from markdown_it import MarkdownIt
from markdown_it.token import Token

_PARSER = MarkdownIt("commonmark", {"html": False}).enable("table")
_NOT_IN_ANCHOR = re.compile(r"[^\w\- ]")


@dataclass(frozen=True, slots=True)
class Section:
    """What stands below one heading, up to the next one."""

    anchor: str
    heading: str
    text: str


@dataclass(frozen=True, slots=True)
class Page:
    """`id` is the path below the folder of documents, without `.md`; the first section is that of the title."""

    id: str
    title: str
    html: str
    sections: tuple[Section, ...]
    links: tuple[str, ...]


def anchor_of(heading: str) -> str:
    """Return the anchor of a heading, by the rule that code hosts use."""
    return _NOT_IN_ANCHOR.sub("", heading.strip().lower()).replace(" ", "-")


def read_page(page_id: str, text: str, picture: Callable[[str], str]) -> Page:
    """Make a page of its Markdown; `picture` says what a picture's address becomes."""
    tokens = _PARSER.parse(text)
    sections = _sections(tokens)
    links = tuple(str(one.attrGet("href")) for one in _inner(tokens) if one.type == "link_open")
    for one in _inner(tokens):
        if one.type == "image":
            one.attrSet("src", picture(str(one.attrGet("src"))))
    title = sections[0].heading or page_id
    return Page(page_id, title, _html(tokens), sections, links)


def _inner(tokens: Sequence[Token]) -> list[Token]:
    return [child for token in tokens for child in token.children or ()]


def _plain(token: Token) -> str:
    """Return what a reader sees of a paragraph, a heading or a block of code."""
    if token.type in ("fence", "code_block"):
        return token.content
    breaks = ("softbreak", "hardbreak")
    return "".join(" " if one.type in breaks else one.content for one in token.children or ())


def _sections(tokens: Sequence[Token]) -> tuple[Section, ...]:
    found: list[tuple[str, list[str]]] = []
    for before, token in zip((None, *tokens), tokens, strict=False):
        if token.type not in ("inline", "fence", "code_block"):
            continue
        if before is not None and before.type == "heading_open":
            found.append((_plain(token), []))
        else:
            if not found:
                found.append(("", []))
            found[-1][1].append(" ".join(_plain(token).split()))
    made = [Section(anchor_of(heading), heading, "\n".join(text)) for heading, text in found]
    return tuple(made) or (Section("", "", ""),)


def _html(tokens: Sequence[Token]) -> str:
    """Render, with a named anchor in each heading and the cells of tables given room."""
    parts = []
    start = 0
    for at, token in enumerate(tokens):
        if token.type == "heading_open":
            parts.append(_PARSER.renderer.render(tokens[start : at + 1], _PARSER.options, {}))
            parts.append(f'<a name="{escape(anchor_of(_plain(tokens[at + 1])))}"></a>')
            start = at + 1
        elif token.type == "table_open":
            token.attrSet("cellspacing", "0")
            token.attrSet("cellpadding", "6")
            token.attrSet("width", "100%")
    parts.append(_PARSER.renderer.render(tokens[start:], _PARSER.options, {}))
    return "".join(parts)
