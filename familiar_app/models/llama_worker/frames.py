"""Frames on a pipe: four bytes of big-endian length, then that many bytes of UTF-8 JSON (one object)."""

from __future__ import annotations

import json
import struct
from typing import Any, BinaryIO

MAX_FRAME_BYTES = 64 * 1024 * 1024
_LENGTH = struct.Struct(">I")

Frame = dict[str, Any]


class FrameError(Exception):
    """What came through the pipe is no frame."""


def write_frame(pipe: BinaryIO, frame: Frame) -> None:
    """Write one frame and flush. Raises OSError where the other end is gone."""
    # Lone surrogates can stand in a message; as ASCII escapes they pass through the pipe unharmed.
    payload = json.dumps(frame, separators=(",", ":")).encode("ascii")
    if len(payload) > MAX_FRAME_BYTES:
        raise FrameError("a frame is too large")
    pipe.write(_LENGTH.pack(len(payload)) + payload)
    pipe.flush()


def read_frame(pipe: BinaryIO) -> Frame | None:
    """Read one frame, None at the end of the pipe. Raises FrameError where the stream is cut or no JSON object."""
    head = _read_exactly(pipe, _LENGTH.size)
    if head is None:
        return None
    (size,) = _LENGTH.unpack(head)
    if size > MAX_FRAME_BYTES:
        raise FrameError("a frame is too large")
    payload = _read_exactly(pipe, size)
    if payload is None:
        raise FrameError("the stream ends within a frame")
    try:
        frame = json.loads(payload)
    except ValueError as error:
        raise FrameError("a frame is not JSON") from error
    if not isinstance(frame, dict):
        raise FrameError("a frame is not an object")
    return frame


def _read_exactly(pipe: BinaryIO, size: int) -> bytes | None:
    """Return `size` bytes, None where the pipe ends before the first."""
    parts: list[bytes] = []
    missing = size
    while missing:
        part = pipe.read(missing)
        if not part:
            if missing == size:
                return None
            raise FrameError("the stream ends within a frame")
        parts.append(part)
        missing -= len(part)
    return b"".join(parts)
