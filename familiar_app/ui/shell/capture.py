"""Asks the system to leave a window out of screenshots and shared screens, where it can: on Windows and macOS.

Linux has no such wish; there the setting says that it has no effect.
"""

from __future__ import annotations

import ctypes
import logging
import sys
from typing import Any

from PySide6.QtWidgets import QWidget

log = logging.getLogger(__name__)
POSSIBLE = sys.platform in ("win32", "darwin")
_SHOWN, _EXCLUDED = 0x00, 0x11
_SHARING_NONE, _SHARING_READ_ONLY = 0, 1


def hide_from_capture(window: QWidget, on: bool) -> bool:
    """Hide a window from capture, or show it again. Returns whether the system did so."""
    if not POSSIBLE:
        return False
    try:
        done = _on_windows(window, on) if sys.platform == "win32" else _on_macos(window, on)
    except (OSError, AttributeError, ctypes.ArgumentError) as error:
        log.warning("the window could not be hidden from screenshots", exc_info=error)
        return False
    if not done:
        log.warning("the system did not hide the window from screenshots")
    return done


def _on_windows(window: QWidget, on: bool) -> bool:
    user: Any = ctypes.WinDLL("user32")  # type: ignore[attr-defined]
    user.SetWindowDisplayAffinity.argtypes = (ctypes.c_void_p, ctypes.c_uint32)
    return bool(user.SetWindowDisplayAffinity(int(window.winId()), _EXCLUDED if on else _SHOWN))


def _on_macos(window: QWidget, on: bool) -> bool:
    objc = ctypes.CDLL("/usr/lib/libobjc.dylib")
    objc.sel_registerName.restype = ctypes.c_void_p
    objc.sel_registerName.argtypes = (ctypes.c_char_p,)
    ask = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p)(("objc_msgSend", objc))
    tell = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_ulong)(("objc_msgSend", objc))
    native = ask(int(window.winId()), objc.sel_registerName(b"window"))
    if not native:
        return False
    tell(native, objc.sel_registerName(b"setSharingType:"), _SHARING_NONE if on else _SHARING_READ_ONLY)
    return True
