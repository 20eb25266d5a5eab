"""Reads server-sent events out of a byte stream, by https://html.spec.whatwg.org/multipage/server-sent-events.html.

Only `data` fields matter here. Comments, other fields and lines that are no field at all are passed over.
"""

from __future__ import annotations

MAX_LINE_BYTES = 4 * 1024 * 1024
MAX_STREAM_BYTES = 64 * 1024 * 1024


class SseTooLargeError(Exception):
    """A line or the whole stream is larger than any answer can be."""


class SseParser:
    """Takes bytes as they come and gives back the data of each complete event."""

    def __init__(self) -> None:
        self._rest: list[bytes] = []
        self._rest_bytes = 0
        self._data: list[str] = []
        self._taken = 0

    def feed(self, data: bytes) -> list[str]:
        """Take the next bytes and return the events they complete. Raises SseTooLargeError."""
        self._taken += len(data)
        if self._taken > MAX_STREAM_BYTES:
            raise SseTooLargeError
        events: list[str] = []
        if b"\n" in data:
            lines = b"".join([*self._rest, data]).splitlines(keepends=True)
            # A carriage return may be the first half of a line's end, so it waits for what follows.
            data = b"" if lines[-1].endswith(b"\n") else lines.pop()
            self._rest, self._rest_bytes = [], 0
            for line in lines:
                self._take_line(line.rstrip(b"\r\n"), events)
        # Pieces of a line without end are kept apart, since joining them each time would take ever longer.
        self._rest.append(data)
        self._rest_bytes += len(data)
        if self._rest_bytes > MAX_LINE_BYTES:
            raise SseTooLargeError
        return events

    def end(self) -> list[str]:
        """Return the last event, where the stream ends without the blank line behind it."""
        events: list[str] = []
        for line in b"".join(self._rest).splitlines():
            self._take_line(line, events)
        self._rest, self._rest_bytes = [], 0
        self._take_line(b"", events)
        return events

    def _take_line(self, line: bytes, events: list[str]) -> None:
        if len(line) > MAX_LINE_BYTES:
            raise SseTooLargeError
        if not line:
            if any(self._data):
                events.append("\n".join(self._data))
            self._data = []
            return
        name, _, value = line.partition(b":")
        if name == b"data":
            self._data.append(value.removeprefix(b" ").decode("utf-8", "replace"))
