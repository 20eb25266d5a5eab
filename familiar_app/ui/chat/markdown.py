"""Turns a message's Markdown into a small HTML that this module writes itself; nothing of a message passes unescaped.

The output holds only the tags of `ALLOWED_TAGS` with the attributes of `ALLOWED_ATTRIBUTES`. Images are never shown and
links lead to http and https alone. Colours are no business of this module: it marks speech with the class `said` and
leaves the look to the style sheet of whoever shows it. Raw HTML, link definitions and character entities stay text.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Sequence
from html import escape
from html.parser import HTMLParser
from itertools import islice

from markdown_it import MarkdownIt
from markdown_it.token import Token

ALLOWED_TAGS = frozenset(
    [
        "p",
        "br",
        "em",
        "strong",
        "s",
        "code",
        "pre",
        "blockquote",
        "ul",
        "ol",
        "li",
        "h1",
        "h2",
        "h3",
        "h4",
        "h5",
        "h6",
        "hr",
        "table",
        "tr",
        "th",
        "td",
        "a",
        "span",
    ]
)
ALLOWED_ATTRIBUTES = {
    "a": {"href"},
    "span": {"class"},
    "ol": {"start"},
    "table": {"class", "width", "cellpadding", "cellspacing", "border"},
    "td": {"class"},
    "th": {"align"},
    "p": {"class"},
}
_VOID = {"br", "hr"}
_SAID = re.compile(r"\"[^\"\n]+\"|“[^“”\n]+”|«[^«»\n]+»|„[^„“”\n]+[“”]|「[^「」\n]+」")
_SAID_OPEN = re.compile(rf"{_SAID.pattern}|[\"“«„「][^\"“”»」\n]*\Z")
_URL = re.compile(r"https?://[^\s<>\"'`]+", re.IGNORECASE)
_URL_TAIL = ".,;:!?)]}*_~"
_NOT_A_NEW_BLOCK = re.compile(r"\s|[-*+](\s|$)|\d{1,9}[.)](\s|$)|>|\||=|-{2,}")
_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")
_SEGMENT_CHARS = 1500


def is_web_link(url: str) -> bool:
    """Tell whether a link may be offered at all: http or https, and no control characters."""
    return bool(_URL.match(url)) and not any(ord(char) < 32 or ord(char) == 127 for char in url)


def _build() -> MarkdownIt:
    parser = MarkdownIt("commonmark", {"html": False, "breaks": True, "maxNesting": 20})
    parser.enable(["strikethrough", "table"])
    parser.disable(["html_block", "html_inline", "reference", "entity"])
    parser.validateLink = is_web_link  # type: ignore[method-assign]
    parser.normalizeLink = lambda url: url  # type: ignore[method-assign]
    parser.normalizeLinkText = lambda url: url  # type: ignore[method-assign]
    return parser


_PARSER = _build()


def to_html(text: str, *, growing: bool = False) -> str:
    """Return the message as restricted HTML. Where Markdown would swallow words, the text is shown as it was typed.

    In a `growing` text, speech at the end counts as such before its closing mark has come.
    """
    writer = _Writer(_SAID_OPEN if growing else _SAID)
    writer.blocks(_PARSER.parse(text.replace("\0", "\ufffd")))
    html = "".join(writer.out)
    if _letters(text) != _letters(to_plain(html)) + writer.unseen:
        return _verbatim(text)
    return html


def to_plain(html: str) -> str:
    """Return the words of HTML made here, blocks apart by line breaks."""
    reader = _PlainReader()
    reader.feed(html)
    reader.close()
    return "".join(reader.parts)


def split_segments(text: str, *, size: int = _SEGMENT_CHARS) -> list[str]:
    """Cut a long message between blocks, so that each piece reads the same alone. Joined, they give `text` back.

    Pieces have about `size` characters; one that has no place to cut stays longer. The cuts of a text do not move
    when more is added at its end, apart from the last piece.
    """
    segments: list[str] = []
    current: list[str] = []
    length = 0
    fence = ""
    blank_before = False
    for line in text.splitlines(keepends=True):
        bare = line.rstrip("\r\n")
        if length >= size and blank_before and not fence and bare.strip() and not _NOT_A_NEW_BLOCK.match(bare):
            segments.append("".join(current))
            current, length = [], 0
        fence = _fence_after(fence, bare)
        blank_before = not bare.strip()
        current.append(line)
        length += len(line)
    if current:
        segments.append("".join(current))
    return segments


def _fence_after(fence: str, line: str) -> str:
    found = _FENCE.match(line)
    if not found:
        return fence
    mark = found.group(1)
    if not fence:
        return "" if mark[0] == "`" and "`" in line[found.end() :] else mark
    closes = mark[0] == fence[0] and len(mark) >= len(fence) and not line[found.end() :].strip()
    return "" if closes else fence


def _letters(text: str) -> int:
    return sum(map(str.isalpha, text))


def _verbatim(text: str) -> str:
    paragraphs = re.split(r"\n\s*\n", text.replace("\0", "\ufffd"))
    return "".join(f"<p>{'<br>'.join(escape(line) for line in part.splitlines())}</p>" for part in paragraphs)


class _Writer:
    """Writes tokens as HTML. `unseen` counts letters that a link carries without showing them."""

    def __init__(self, said: re.Pattern[str]) -> None:
        self.out: list[str] = []
        self.unseen = 0
        self._said = said

    def blocks(self, tokens: Sequence[Token]) -> None:
        for token in tokens:
            if token.type == "inline":
                self._inline(token.children or [])
            elif token.type in ("fence", "code_block"):
                self._code(token)
            elif token.type in ("thead_open", "thead_close", "tbody_open", "tbody_close"):
                continue
            elif token.tag in ALLOWED_TAGS:
                self._tag(token)

    def _tag(self, token: Token) -> None:
        if token.tag == "p" and token.hidden:
            return
        if token.nesting < 0:
            self.out.append(f"</{token.tag}>")
        elif token.tag == "ol":
            start = token.attrGet("start")
            self.out.append(f'<ol start="{int(start)}">' if start is not None else "<ol>")
        elif token.tag == "table":
            self.out.append('<table class="grid" border="1" cellspacing="0" cellpadding="5">')
        else:
            self.out.append(f"<{token.tag}>")

    def _code(self, token: Token) -> None:
        label = token.info.strip()
        head = f'<p class="label">{escape(label)}</p>' if label else ""
        body = escape(token.content.removesuffix("\n"))
        self.out.append(
            '<table class="code" width="100%" border="0" cellspacing="0" cellpadding="8"><tr><td class="code">'
            f"{head}<pre>{body}</pre></td></tr></table>"
        )

    def _inline(self, tokens: Sequence[Token]) -> None:
        said = _said_ranges(tokens, self._said)
        place = 0
        linked = False
        for token in tokens:
            length = _shown_length(token)
            if token.type == "text":
                self._text(token.content, place, said, linked=linked)
            elif token.type == "code_inline":
                self.out.append(f"<code>{escape(token.content)}</code>")
            elif token.type in ("softbreak", "hardbreak"):
                self.out.append("<br>")
            elif token.type == "image":
                self._image(token, linked=linked)
            elif token.tag == "a":
                linked = token.nesting > 0
                self._link(token)
            elif token.tag in ALLOWED_TAGS:
                self.out.append(f"</{token.tag}>" if token.nesting < 0 else f"<{token.tag}>")
            place += length

    def _link(self, token: Token) -> None:
        if token.nesting < 0:
            self.out.append("</a>")
            return
        href = str(token.attrGet("href") or "")
        self.out.append(f'<a href="{escape(href)}">')
        if token.info != "auto":
            self.unseen += _letters(href) + _letters(str(token.attrGet("title") or ""))

    def _image(self, token: Token, *, linked: bool) -> None:
        source = str(token.attrGet("src") or "")
        shown = token.content or source
        self.unseen += (_letters(source) if token.content else 0) + _letters(str(token.attrGet("title") or ""))
        self.out.append(escape(shown) if linked else f'<a href="{escape(source)}">{escape(shown)}</a>')

    def _text(self, text: str, place: int, said: Sequence[tuple[int, int]], *, linked: bool) -> None:
        at = 0
        first = max(0, bisect_right(said, (place, 0)) - 1)
        for start, end in islice(said, first, None):
            low, high = max(start - place, 0), min(end - place, len(text))
            if start - place >= len(text):
                break
            if low >= high:
                continue
            self._piece(text[at:low], linked=linked)
            self.out.append('<span class="said">')
            self._piece(text[low:high], linked=linked)
            self.out.append("</span>")
            at = high
        self._piece(text[at:], linked=linked)

    def _piece(self, text: str, *, linked: bool) -> None:
        at = 0
        for found in () if linked else _URL.finditer(text):
            url = found.group().rstrip(_URL_TAIL)
            if not is_web_link(url):
                continue
            self.out.append(escape(text[at : found.start()]))
            self.out.append(f'<a href="{escape(url)}">{escape(url)}</a>')
            at = found.start() + len(url)
        self.out.append(escape(text[at:]))


def _shown_length(token: Token) -> int:
    if token.type in ("softbreak", "hardbreak"):
        return 1
    return len(token.content) if token.type in ("text", "code_inline", "image") else 0


def _said_ranges(tokens: Sequence[Token], speech: re.Pattern[str]) -> list[tuple[int, int]]:
    """Find quoted speech over a paragraph's whole text, so that a quotation may hold emphasis inside."""
    shown: list[str] = []
    for token in tokens:
        if token.type == "text":
            shown.append(token.content)
        else:
            shown.append("\n" if token.type in ("softbreak", "hardbreak") else " " * _shown_length(token))
    return [found.span() for found in speech.finditer("".join(shown))]


class _PlainReader(HTMLParser):
    """Collects text, with a line break after each block."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.parts: list[str] = []

    def handle_data(self, data: str) -> None:
        self.parts.append(data)

    def handle_starttag(self, tag: str, _attrs: list[tuple[str, str | None]]) -> None:
        if tag in _VOID:
            self.parts.append("\n")

    def handle_endtag(self, tag: str) -> None:
        if tag in {"p", "li", "pre", "tr", "h1", "h2", "h3", "h4", "h5", "h6"}:
            self.parts.append("\n")
