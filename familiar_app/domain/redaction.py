"""Takes names and keys of people, and texts that are to be forgotten, out of what is left.

A name is found as whole words whatever the case; one that is short or also a common word has to be spelled like the
name. Applying a redaction twice changes nothing more.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterable
from typing import Any

from familiar_app.domain.stop_word import STOP_WORDS

SOMEONE = "someone"
REMOVED = "[removed]"
# A shorter name is found only as it is spelled; a shorter line stands in too many places by chance.
_SURE_NAME_CHARS = 4
_MIN_NAME_CHARS = 2
_MIN_PIECE_CHARS = 12
_MIN_ID_DIGITS = 6
_WORD = re.compile(r"\w+(?:[-.]\w+)*")
_UNSPACED = re.compile("[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff]")
_BREAKS = re.compile(r"(\n+|(?<=[.!?…])\s+)")
_LEAD = re.compile(r"[\s>*\-–•]*")
_MAY_QUOTE = re.compile('[>"“”„«»]|: ')
_QUOTED = re.compile('["“”„«]([^"“”„«»\n]{10,})["“”»]')
# Names of fields are the program's own, and so are the values of some of them.
_FIELD = re.compile(r"[a-z_]+\Z")
_CODES = frozenset({"act", "op", "kind", "role", "mode", "scope", "lineage", "level", "form", "layer", "identity"})
# The neutral word, where it has been put already, is never part of another name.
_OURS = frozenset({SOMEONE, REMOVED.strip("[]")})


class Redaction:
    """What is taken out: `names` and `keys` of somebody, and lines and sentences of `texts` where they are quoted.

    A quote stands behind `>`, between quotation marks, or behind a name and a colon; whoever says the same in words of
    their own is not quoting. With `anywhere` it counts wherever it stands.
    """

    def __init__(
        self, names: Iterable[str], keys: Collection[str], texts: Iterable[str] = (), *, anywhere: bool = False
    ) -> None:
        self.keys = frozenset(keys)
        self._anywhere = anywhere
        names = tuple(names)
        self._names = _pattern(names, self.keys)
        self._hints = _hints_of(names, self.keys)
        self._pieces = {piece for text in texts for piece in pieces_of(text)}

    @property
    def touches_anything(self) -> bool:
        """Whether there is anything to take out."""
        return self._names is not None or bool(self._pieces)

    def text(self, text: str) -> str:
        """Return a text without them."""
        if self._pieces and len(text) >= _MIN_PIECE_CHARS and (self._anywhere or _MAY_QUOTE.search(text)):
            text = self._without_pieces(text)
        return text if self._names is None or not self._may_name(text) else self._names.sub(_neutral, text)

    def touches(self, text: str) -> bool:
        """Tell whether any of it stands in a text."""
        return self.text(text) != text

    def without_sentences(self, text: str) -> str:
        """Return a text without the sentences that name somebody or quote a text."""
        parts = _BREAKS.split(text)
        kept = "".join(
            part + (parts[at + 1] if at + 1 < len(parts) else "")
            for at, part in enumerate(parts)
            if at % 2 == 0 and part and not self.touches(part)
        )
        return kept.strip()

    def value(self, value: Any) -> Any:
        """Return a JSON value without them: entries and list items that are one of the keys go altogether."""
        if isinstance(value, str):
            return SOMEONE if value in self.keys else self.text(value)
        if isinstance(value, list):
            return [self.value(one) for one in value if not self._is_key(one)]
        if isinstance(value, dict):
            return {
                name if _FIELD.match(name) else self.text(name): one if name in _CODES else self.value(one)
                for name, one in value.items()
                if name not in self.keys
            }
        return value

    def stored(self, text: str) -> str:
        """Return a stored text without them; where it is JSON, as a value."""
        if text[:1] in ("{", "["):
            value = parsed(text)
            if isinstance(value, dict | list):
                cleaned = self.value(value)
                return text if cleaned == value else json.dumps(cleaned, ensure_ascii=False)
        return self.text(text)

    def _may_name(self, text: str) -> bool:
        """Tell quickly of most texts that they name nobody."""
        if not self._hints or not text.isascii():
            return True
        plain = text.lower()
        return any(hint in plain for hint in self._hints)

    def _is_key(self, value: object) -> bool:
        return isinstance(value, str) and value in self.keys

    def _without_pieces(self, text: str) -> str:
        parts = _BREAKS.split(text)
        quoting = False
        for at in range(0, len(parts), 2):
            if at == 0 or "\n" in parts[at - 1]:
                quoting = self._anywhere or parts[at].lstrip().startswith(">")
            parts[at] = self._without_quote(parts[at], quoting)
        return _QUOTED.sub(self._unquoted, "".join(parts))

    def _without_quote(self, part: str, quoting: bool) -> str:
        """Return a sentence without what is quoted at its end: all of it, or what stands behind a name."""
        lead = _LEAD.match(part)
        start = lead.end() if lead else 0
        if quoting and _folded(part[start:]) in self._pieces:
            return part[:start] + REMOVED
        said_by, colon, after = part.partition(": ")
        named = self._anywhere or (self._names is not None and self._names.search(said_by) is not None)
        if colon and named and _folded(after) in self._pieces:
            return f"{said_by}{colon}{REMOVED}"
        return part

    def _unquoted(self, match: re.Match[str]) -> str:
        marks, quoted = match[0], match[1]
        return f"{marks[0]}{REMOVED}{marks[-1]}" if _folded(quoted) in self._pieces else marks


def parsed(text: str) -> Any:
    """Return the JSON value of a text, None where it is none."""
    try:
        return json.loads(text)
    except ValueError:
        return None


def pieces_of(text: str) -> set[str]:
    """Return the lines and sentences of a text that are long enough to be told from others, in a form to compare."""
    bodies = (part[len(_LEAD.match(part)[0]) :] for part in _BREAKS.split(text)[::2])  # type: ignore[index]
    return {_folded(body) for body in bodies if len(_folded(body)) >= _MIN_PIECE_CHARS}


def usable_names(names: Iterable[str], others: Collection[str]) -> tuple[list[str], list[str]]:
    """Return the names that can be taken out of texts, and those that somebody else has as well.

    The first word of a longer name counts as a name too, unless it is somebody else's. `others` are folded names.
    """
    usable: dict[str, None] = {}
    shared: dict[str, None] = {}
    for name in dict.fromkeys(one.strip() for one in names):
        if len(name) < _MIN_NAME_CHARS or name.casefold() in _OURS:
            continue
        (shared if name.casefold() in others else usable)[name] = None
        words = _WORD.findall(name)
        if len(words) > 1 and len(words[0]) > _MIN_NAME_CHARS and words[0].casefold() not in {*others, *_OURS}:
            usable[words[0]] = None
    return list(usable), list(shared)


def _pattern(names: Iterable[str], keys: Iterable[str]) -> re.Pattern[str] | None:
    forms: dict[str, str] = {}
    for key in keys:
        forms[key] = _whole(re.escape(key), key)
        number = key.partition(":")[2]
        if number.isdigit() and len(number) >= _MIN_ID_DIGITS:
            forms[f"<@{number}>"] = rf"<@!?{number}>"
            forms[number] = _whole(number, number)
    for name in names:
        spelled = r"\s+".join(re.escape(word) for word in name.split())
        sure = len(name) >= _SURE_NAME_CHARS and name.casefold() not in STOP_WORDS
        found = f"(?i:{spelled})" if sure else spelled
        forms[name] = f"@?{found}" if _UNSPACED.search(name) else f"@?{_whole(found, name)}"
    if not forms:
        return None
    longest_first = sorted(forms, key=len, reverse=True)
    return re.compile("|".join(forms[form] for form in longest_first))


def _hints_of(names: Iterable[str], keys: Iterable[str]) -> tuple[str, ...]:
    """Return what a text in ASCII has to hold in order to name somebody; nothing where nobody can tell."""
    found = {name.split()[0].lower() for name in names if name.split()}
    found |= {key.partition(":")[2].lower() or key.lower() for key in keys}
    return tuple(sorted(found)) if all(hint.isascii() for hint in found) else ()


def _whole(pattern: str, name: str) -> str:
    before = r"(?<!\w)" if name[0].isalnum() or name[0] == "_" else ""
    after = r"(?!\w)" if name[-1].isalnum() or name[-1] == "_" else ""
    return f"{before}{pattern}{after}"


def _folded(text: str) -> str:
    return " ".join(text.split()).casefold()


def _neutral(_match: re.Match[str]) -> str:
    return SOMEONE
