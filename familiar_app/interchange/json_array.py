"""Reading one long array out of a JSON file, item by item, so that a file of gigabytes needs the memory of one item."""

from __future__ import annotations

import codecs
import json
from collections.abc import Iterator
from typing import Any, BinaryIO

from familiar_app.domain.errors import BadInputError
from familiar_app.domain.text import tr

MAX_VALUE_CHARS = 16 * 1024 * 1024
_PIECE_BYTES = 64 * 1024
_BLANKS = " \t\n\r"


class JsonArrayReader:
    """Walks the keys of one top-level object. `fields` holds those before the array that is asked for.

    Raises BadInputError, which names the file and the line, for anything that is not such a file.
    """

    def __init__(self, stream: BinaryIO, source: str) -> None:
        self.fields: dict[str, Any] = {}
        self._stream = stream
        self._source = source
        self._decode = codecs.getincrementaldecoder("utf-8")("strict")
        self._json = json.JSONDecoder()
        self._text = ""
        self._at = 0
        self._lines = 1
        self._ended = False

    @property
    def line(self) -> int:
        """The line that is being read, counting from 1."""
        return self._lines + self._text.count("\n", 0, self._at)

    def items(self, key: str) -> Iterator[Any]:
        """Yield the items of the array under `key`; what follows the array is checked, not kept."""
        self._expect("{")
        found = False
        if self._peek() == "}":
            return
        while True:
            name = self._value()
            self._expect(":")
            if name == key and not found:
                found = True
                yield from self._array()
            elif isinstance(name, str):
                value = self._value()
                if not found:
                    self.fields[name] = value
            else:
                raise self._bad(tr("a key has to be text."))
            if self._expect(",}") == "}":
                return

    def _array(self) -> Iterator[Any]:
        self._expect("[")
        if self._peek() == "]":
            self._at += 1
            return
        while True:
            yield self._value()
            if self._expect(",]") == "]":
                return

    def _value(self) -> Any:
        self._peek()
        wanted = _PIECE_BYTES
        while True:
            try:
                value, end = self._json.raw_decode(self._text, self._at)
            except json.JSONDecodeError:
                if self._ended:
                    raise self._bad(tr("this is not JSON, or the file ends too early.")) from None
            except (RecursionError, ValueError):
                raise self._bad(tr("this is JSON that cannot be read.")) from None
            else:
                # A number could go on in the next piece: "1" of "1e-5".
                if end + 4 <= len(self._text) or self._ended:
                    self._at = end
                    return value
            if len(self._text) - self._at > MAX_VALUE_CHARS:
                raise self._bad(tr("one value is too long."))
            self._read(wanted)
            wanted *= 2

    def _peek(self) -> str:
        while True:
            while self._at < len(self._text):
                if self._text[self._at] not in _BLANKS:
                    return self._text[self._at]
                self._at += 1
            if self._ended:
                raise self._bad(tr("the file ends too early."))
            self._read(_PIECE_BYTES)

    def _expect(self, allowed: str) -> str:
        char = self._peek()
        if char not in allowed:
            raise self._bad(
                tr(
                    "{char} was expected.",
                    char=tr("{values} or {last}", values=allowed[0], last=allowed[1]) if allowed[1:] else allowed,
                )
            )
        self._at += 1
        return char

    def _read(self, size: int) -> None:
        self._lines += self._text.count("\n", 0, self._at)
        piece = self._stream.read(size)
        self._ended = not piece
        try:
            text = self._decode.decode(piece, final=self._ended)
        except UnicodeDecodeError:
            raise self._bad(tr("this is not UTF-8 text.")) from None
        if not self._text and not self._at:
            text = text.removeprefix("\ufeff")
        self._text = self._text[self._at :] + text
        self._at = 0

    def _bad(self, reason: str) -> BadInputError:
        return BadInputError(reason, source=self._source, line=self.line)
