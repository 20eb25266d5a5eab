"""Fits a GGUF model into this computer: checks the file, chooses the context's size, checks memory."""

from __future__ import annotations

import ctypes
import os
import sys
from dataclasses import dataclass
from pathlib import Path

from familiar_app.domain.errors import BadInputError, OutsideError
from familiar_app.domain.text import number, tr
from familiar_app.models.llama_worker.gguf import GgufError, GgufHeader, read_header

DEFAULT_CONTEXT_TOKENS = 8192
_SMALLEST_AUTO_CONTEXT = 1024
_WORK_BYTES = 256 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class Fit:
    """What a model will be loaded with."""

    header: GgufHeader
    context_tokens: int


def read_model_file(path: Path) -> GgufHeader:
    """Read what a GGUF file says of itself. Raises BadInputError (missing, no GGUF, damaged) or OutsideError."""
    try:
        # Devices and pipes may never end, or never begin.
        if path.exists() and not path.is_file():
            raise IsADirectoryError
        return read_header(path)
    except (FileNotFoundError, IsADirectoryError, NotADirectoryError):
        raise BadInputError(
            tr("the model's file does not exist."),
            source=path,
            next_step=tr("Choose another model, or put the file back."),
        ) from None
    except GgufError as error:
        raise BadInputError(
            str(error), source=path, next_step=tr("Download the model again, or choose another.")
        ) from None
    except OSError as error:
        raise OutsideError(
            tr("The model's file could not be read."), tr("Check its permissions and the disk.")
        ) from error


def choose_context(header: GgufHeader, asked: int | None) -> int:
    """Return the context's size: as asked, else what the model was trained for, up to a bound.

    Raises BadInputError where more was asked for than the model was trained for.
    """
    trained = header.trained_context_tokens
    if asked is None:
        return min(trained or DEFAULT_CONTEXT_TOKENS, DEFAULT_CONTEXT_TOKENS)
    if trained and asked > trained:
        raise BadInputError(
            tr(
                "the model was trained for a context of {trained} tokens, and {asked} are asked for.",
                trained=str(trained),
                asked=str(asked),
            ),
            field="context_tokens",
            next_step=tr('Set it to {trained} or less, or to "auto".', trained=str(trained)),
        )
    return asked


def fit(header: GgufHeader, asked: int | None, *, free_bytes: int | None) -> Fit:
    """Choose the context so that it fits into memory. Raises BadInputError, or OutsideError where it cannot fit.

    `free_bytes` is None where nobody knows, and then nothing is refused.
    """
    context = choose_context(header, asked)
    if free_bytes is None:
        return Fit(header, context)
    while asked is None and context // 2 >= _SMALLEST_AUTO_CONTEXT and _needed(header, context) > free_bytes:
        context //= 2
    if _needed(header, context) > free_bytes:
        raise OutsideError(
            tr(
                "The model needs about {needed} GiB of memory, and {free} are free.",
                needed=_gib(_needed(header, context)),
                free=_gib(free_bytes),
            ),
            tr("Close other programs, choose a smaller model or set a smaller context_tokens."),
        )
    return Fit(header, context)


def _needed(header: GgufHeader, context: int) -> int:
    return header.size_bytes + header.kv_bytes_per_token * context + _WORK_BYTES


def _gib(size_bytes: int) -> str:
    return number(size_bytes / 2**30, 1)


def free_memory_bytes() -> int | None:
    """Return how much memory a new process could use, None where the system does not say."""
    if sys.platform == "win32":
        return _windows_bytes("free")
    return _linux_free_bytes() or _built_in_bytes()


def built_in_memory_bytes() -> int | None:
    """Return how much memory this computer has, None where the system does not say."""
    return _windows_bytes("total") if sys.platform == "win32" else _built_in_bytes()


def _linux_free_bytes() -> int | None:
    try:
        for line in Path("/proc/meminfo").read_text(encoding="ascii").splitlines():
            if line.startswith("MemAvailable:"):
                return int(line.split()[1]) * 1024
    except (OSError, ValueError):
        return None
    return None


def _built_in_bytes() -> int | None:
    try:
        # macOS gives back cached memory on demand, so what is built in is the honest bound.
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (ValueError, OSError):
        return None


def _windows_bytes(what: str) -> int | None:
    class MemoryStatus(ctypes.Structure):
        _fields_ = (
            ("length", ctypes.c_ulong),
            ("load", ctypes.c_ulong),
            *((name, ctypes.c_ulonglong) for name in ("total", "free", "page_total", "page_free")),
            *((name, ctypes.c_ulonglong) for name in ("virtual_total", "virtual_free", "extended")),
        )

    status = MemoryStatus(length=ctypes.sizeof(MemoryStatus))
    kernel = getattr(ctypes, "windll").kernel32  # noqa: B009 - exists on Windows only
    return int(getattr(status, what)) if kernel.GlobalMemoryStatusEx(ctypes.byref(status)) else None
