"""Makes sure that the three standard streams are there, before anything else is opened."""

from __future__ import annotations

import os
import sys

_STANDARD = ("stdin", "stdout", "stderr")


def open_missing_streams() -> None:
    """Point standard streams that are closed, or were never given, at nowhere.

    Else the next file to be opened, the vault perhaps, would get the number of such a stream, and what a library prints
    would end up in it. A program without a console has none of the three.
    """
    for number in range(len(_STANDARD)):
        try:
            os.fstat(number)
        except OSError:
            # The lowest free number is the one that is missing.
            os.open(os.devnull, os.O_RDWR)
    for name in _STANDARD:
        if getattr(sys, name) is None:
            mode = "r" if name == "stdin" else "w"
            setattr(sys, name, open(os.devnull, mode, encoding="utf-8"))  # noqa: PTH123, SIM115 - open to the end
