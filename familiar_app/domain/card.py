"""The character card: who a familiar is, written by people, and its readable form in `character.md`.

The Markdown form is one `# ` heading with the name, prose, and `## ` sections with fixed titles:

    # Aria

    A lighthouse keeper who collects lost letters.

    ## First message

    *The lamp turns.* You made it.

Prose and sections with any other title are the description. Text that would be taken for a heading is written with a
backslash before it; a line with nothing but a backslash at an end of a section guards blank lines that belong to the
text. Reading and writing keep every character of every field. Files and formats of other programs are not known here.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, fields


@dataclass(frozen=True, slots=True)
class CharacterCard:
    """A character as its author wrote it; placeholders such as `{{user}}` are not filled in."""

    name: str = ""
    description: str = ""
    personality: str = ""
    scenario: str = ""
    first_message: str = ""
    alternate_greetings: tuple[str, ...] = ()
    example_dialogue: str = ""
    system_prompt: str = ""
    post_history_instructions: str = ""
    creator_notes: str = ""
    creator: str = ""
    character_version: str = ""
    tags: tuple[str, ...] = ()


_PLACEHOLDER = re.compile(r"\{\{(char|user)\}\}|<(bot|user)>", re.IGNORECASE)


def fill_placeholders(text: str, *, char: str, user: str) -> str:
    """Replace `{{char}}` and `<BOT>` by `char`, `{{user}}` and `<USER>` by `user`, in any letter case.

    One pass: what a name itself contains is not replaced again.
    """
    return _PLACEHOLDER.sub(lambda match: user if (match[1] or match[2]).lower() == "user" else char, text)


_TITLES = {
    "personality": "Personality",
    "scenario": "Scenario",
    "first_message": "First message",
    "alternate_greetings": "Alternate greeting",
    "example_dialogue": "Example dialogue",
    "system_prompt": "System prompt",
    "post_history_instructions": "Post-history instructions",
    "creator_notes": "Creator notes",
    "creator": "Creator",
    "character_version": "Character version",
    "tags": "Tags",
}
_FIELD_OF_TITLE = {title.lower().replace("-", " "): field for field, title in _TITLES.items()} | {
    "greeting": "first_message",
    "alternate greetings": "alternate_greetings",
    "example dialogues": "example_dialogue",
    "example messages": "example_dialogue",
    "creator's notes": "creator_notes",
    "version": "character_version",
}

_HEADING = re.compile(r"(#{1,2})(?:[ \t]+(.*))?\Z", re.DOTALL)
_ESCAPED_HEADING = re.compile(r"\\+#{1,2}(?:[ \t]|\Z)")
_BACKSLASHES = re.compile(r"\\+\Z")
_GUARD = "\\"


def render_card_markdown(card: CharacterCard) -> str:
    """Write a card as Markdown; `parse_card_markdown` gives the same card back."""
    parts = [f"# {_inline(card.name)}".rstrip(" ")]
    if card.description:
        parts.append(_block(card.description, escape_all=False))
    for field, title in _TITLES.items():
        value = getattr(card, field)
        if field == "tags":
            texts = ["\n".join(f"- {_inline(tag)}".rstrip(" ") for tag in value)] if value else []
        elif field == "alternate_greetings":
            texts = [_block(greeting, escape_all=True) for greeting in value]
        else:
            texts = [_block(value, escape_all=True)] if value else []
        for text in texts:
            parts.append(f"## {title}")
            if text:
                parts.append(text)
    return "\n\n".join(parts) + "\n"


def parse_card_markdown(text: str) -> CharacterCard:
    """Read a card from Markdown. Every text is a valid card; one without headings is all description."""
    name: str | None = None
    chunks: list[tuple[str, list[str]]] = [("description", [])]
    for line in text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n").split("\n"):
        heading = _HEADING.match(line)
        field = _section_field(line)
        if field is not None:
            chunks.append((field, []))
        elif heading and heading[1] == "#" and name is None:
            name = _read_inline(heading[2] or "")
            chunks.append(("description", []))
        elif heading and chunks[-1][0] != "description":
            chunks.append(("description", [line]))
        else:
            chunks[-1][1].append(line)
    return _card_of_chunks(name or "", chunks)


def _card_of_chunks(name: str, chunks: Iterable[tuple[str, list[str]]]) -> CharacterCard:
    texts: dict[str, list[str]] = {field.name: [] for field in fields(CharacterCard)}
    tags: list[str] = []
    for field, lines in chunks:
        if field == "tags":
            tags.extend(_read_tags(lines))
            continue
        content = _read_block(lines)
        if content or field == "alternate_greetings":
            texts[field].append(content)
    greetings = tuple(texts.pop("alternate_greetings"))
    joined = {field: "\n\n".join(parts) for field, parts in texts.items() if field not in {"name", "tags"}}
    return CharacterCard(name=name, alternate_greetings=greetings, tags=tuple(tags), **joined)


def _section_field(line: str) -> str | None:
    """Return the field whose section this line opens, None where it opens none."""
    heading = _HEADING.match(line)
    if not heading or heading[1] != "##":
        return None
    title = re.sub(r"[\s_-]+", " ", (heading[2] or "").strip().rstrip("#:").strip()).lower()
    return _FIELD_OF_TITLE.get(re.sub(r"^(alternate greeting) \d+\Z", r"\1", title))


def _block(text: str, *, escape_all: bool) -> str:
    """Write a field of several lines so that it cannot be taken for headings or lose blank lines at its ends."""
    lines = [_escape_line(line, escape_all=escape_all) for line in _escape_returns(text).split("\n")]
    guarded_start, guarded_end = _is_blank(lines[0]) or lines[0].startswith("\ufeff"), _is_blank(lines[-1])
    if text and guarded_start:
        lines.insert(0, _GUARD)
    if text and guarded_end:
        lines.append(_GUARD)
    return "\n".join(lines)


def _escape_line(line: str, *, escape_all: bool) -> str:
    is_heading = bool(_HEADING.match(line)) if escape_all else _section_field(line) is not None
    return f"\\{line}" if is_heading or _ESCAPED_HEADING.match(line) or _BACKSLASHES.match(line) else line


def _read_block(lines: list[str]) -> str:
    start, end = 0, len(lines)
    while start < end and _is_blank(lines[start]):
        start += 1
    while end > start and _is_blank(lines[end - 1]):
        end -= 1
    if start < end and lines[start] == _GUARD:
        start += 1
    if start < end and lines[end - 1] == _GUARD:
        end -= 1
    return _unescape_returns("\n".join(_unescape_line(line) for line in lines[start:end]))


def _unescape_line(line: str) -> str:
    escaped = _ESCAPED_HEADING.match(line) or (len(line) > 1 and _BACKSLASHES.match(line))
    return line[1:] if escaped else line


def _is_blank(line: str) -> bool:
    return not line.strip()


def _escape_returns(text: str) -> str:
    """Write carriage returns as character references, because line ends of files change on their way."""
    return re.sub(r"&((?:amp;)*)#13;", r"&amp;\1#13;", text).replace("\r", "&#13;")


def _unescape_returns(text: str) -> str:
    return re.sub(r"&amp;((?:amp;)*)#13;", r"&\1#13;", text.replace("&#13;", "\r"))


def _inline(text: str) -> str:
    """Write a field of one line: line ends and white space at its ends become character references."""
    escaped = re.sub(r"&((?:amp;)*)#(\d+);", r"&amp;\1#\2;", text)
    escaped = re.sub(r"[\r\n]", _reference, escaped)
    return re.sub(r"\A\s+|\s+\Z", lambda run: "".join(f"&#{ord(char)};" for char in run[0]), escaped)


def _reference(match: re.Match[str]) -> str:
    return f"&#{ord(match[0])};"


def _read_inline(text: str) -> str:
    decoded = re.sub(r"&#(\d{1,6});", lambda match: chr(int(match[1])), text.strip())
    return re.sub(r"&amp;((?:amp;)*)#(\d+);", r"&\1#\2;", decoded)


def _read_tags(lines: Iterable[str]) -> list[str]:
    """Read one tag from each list item, or several from a line of words with commas."""
    tags: list[str] = []
    for line in map(str.strip, lines):
        if re.match(r"[-*+](?:\s|\Z)", line):
            tags.append(_read_inline(line[1:]))
        else:
            tags.extend(_read_inline(word) for word in line.split(",") if word.strip())
    return tags
