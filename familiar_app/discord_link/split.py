"""Cuts a long reply into messages as Discord takes them: 2,000 characters each, four at most, the rest as a file.

Cuts fall between paragraphs, lines, sentences or words, in this order, and never within a mention, an emoji, a link or
a character of several code points. A code fence that a cut would leave open is closed, and opened again with its
language in the next message. Discord's own clients count UTF-16 units, which is never less than any other count.
"""

from __future__ import annotations

from dataclasses import dataclass

import regex

LIMIT = 2000
MAX_PARTS = 4

_FENCE = regex.compile(r"```(?:([\w+#.-]{1,30})(?=\n))?")
_CLOSING = "\n```"
_ATOM = regex.compile(
    r"<(?:@[!&]?|#|t:|id:|/[^<>\n]{1,100}:|a?:\w{1,64}:)[\w:]{1,40}>"
    r"|\[[^\[\]\n]{1,200}\]\(<?https?://[^\s()]{1,1500}>?\)|<?https?://[^\s<>`]+>?|`{3,}(?:[\w+#.-]{1,30}\n)?|:\w{1,40}:"
)
_CLUSTER = regex.compile(r"\X")
_CUTS = (
    (regex.compile(r"\n[^\S\n]*\n\s*"), 0.5),
    (regex.compile(r"\n"), 0.5),
    (regex.compile(r"(?<=[.!?…。！？][\"'”’»)*_]{0,3})\s+"), 0.3),
    (regex.compile(r"\s+"), 0.1),
)
_CUTS_IN_CODE = ((regex.compile(r"\n"), 0.1), (regex.compile(r"\s+"), 0.1))


@dataclass(frozen=True, slots=True)
class Split:
    """The messages of a reply, and what did not fit into them; empty where everything did."""

    parts: tuple[str, ...]
    rest: str = ""


@dataclass(frozen=True, slots=True)
class _Piece:
    """A message, where the text goes on behind it, and the fence that is to be opened there again."""

    message: str
    end: int
    fence: str


def units(text: str) -> int:
    """Return the length of a text as Discord counts it."""
    return len(text) + sum(char > "\uffff" for char in text)


def split_message(text: str, *, limit: int = LIMIT, max_parts: int = MAX_PARTS) -> Split:
    """Cut `text` into messages. `limit` is at least 100, so that a fence and its language fit."""
    if limit < 100 or max_parts < 1:
        raise ValueError("a message needs room")
    text = text.strip()
    parts: list[str] = []
    start, fence = 0, ""
    while start < len(text):
        if len(parts) == max_parts:
            return Split(tuple(parts), _balanced(fence + text[start:]))
        piece = _next_piece(text, start, fence, limit)
        if piece.message:
            parts.append(piece.message)
        start, fence = piece.end, piece.fence
    return Split(tuple(parts))


def _next_piece(text: str, start: int, fence: str, limit: int) -> _Piece:
    rest = fence + text[start:]
    if units(rest[:limit]) <= limit and len(rest) <= limit and units(whole := _balanced(rest)) <= limit:
        return _Piece("" if _is_blank(rest, fence) else whole, len(text), "")
    room = limit - units(fence) - units(_CLOSING)
    furthest = _furthest(text, start, room)
    end = _cut(text, start, furthest, in_code=bool(fence))
    end = _before_empty_fence(text, start, end, fence)
    body = fence + text[start:end]
    after = _open_fence(body)
    message = "" if _is_blank(body, fence) else _balanced(body if after else body.rstrip())
    return _Piece(message, _skip_gap(text, end, in_code=bool(after)), after)


def _furthest(text: str, start: int, room: int) -> int:
    """Return the last place to which `room` reaches, moved back out of whatever must not be cut."""
    end, used = start, 0
    while end < len(text) and used + (step := 1 + (text[end] > "\uffff")) <= room:
        end, used = end + 1, used + step
    if end >= len(text):
        return end
    whole = _outside(_ATOM, text, start, end)
    return _outside(_CLUSTER, text, start, end) if whole == end else whole


def _outside(pattern: regex.Pattern[str], text: str, start: int, end: int) -> int:
    """Move `end` before the match it lies in; a match longer than a whole message has to be cut all the same."""
    for match in pattern.finditer(text, start):
        if match.start() >= end:
            break
        if match.end() > end:
            return int(match.start()) if match.start() > start else end
    return end


def _cut(text: str, start: int, furthest: int, *, in_code: bool) -> int:
    """Return the best place to cut at or before `furthest`."""
    if furthest >= len(text):
        return furthest
    code = in_code != (len(_FENCE.findall(text[start:furthest])) % 2 == 1)
    for pattern, least in _CUTS_IN_CODE if code else _CUTS:
        least_end = start + int((furthest - start) * least)
        places = [m.start() for m in pattern.finditer(text, least_end, furthest + 1) if start < m.start() <= furthest]
        for place in reversed(places):
            if not any(atom.start() < place < atom.end() for atom in _ATOM.finditer(text, start, furthest)):
                return int(place)
    return furthest


def _before_empty_fence(text: str, start: int, end: int, fence: str) -> int:
    """Move a cut that falls right behind an opening fence before it, so that no empty block of code is shown."""
    opened, last = bool(fence), -1
    for match in _FENCE.finditer(text, start, end):
        opened = not opened
        last = match.start() if opened else -1
    if last > start and not _FENCE.sub("", text[last:end]).strip():
        return last
    return end


def _skip_gap(text: str, end: int, *, in_code: bool) -> int:
    """Return where the next message begins: behind the white space of the cut, in code behind one line break."""
    if in_code:
        return end + 1 if text[end : end + 1] == "\n" else end
    while end < len(text) and text[end].isspace():
        end += 1
    return end


def _open_fence(body: str) -> str:
    """Return what opens again the block of code that a text leaves open; empty where it leaves none."""
    opening = ""
    for match in _FENCE.finditer(body):
        opening = "" if opening else f"```{match[1] or ''}\n"
    return opening


def _balanced(body: str) -> str:
    if not _open_fence(body):
        return body
    # Behind the marks alone a word would be taken for the language, if the line ended there.
    return f"{body}{_CLOSING}" if "\n" in body[body.rfind("```") :] else f"{body} ```"


def _is_blank(body: str, fence: str) -> bool:
    """Tell whether nothing would be shown of a message."""
    return not body.removeprefix(fence).replace("```", "").strip()
