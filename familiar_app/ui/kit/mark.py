"""Small marks a style sheet can only load from a file: arrows, the tick and the dot, drawn in the theme's colours."""

from __future__ import annotations

import atexit
import shutil
import tempfile
from collections.abc import Mapping
from functools import cache
from pathlib import Path

_STROKE = (
    '<svg xmlns="http://www.w3.org/2000/svg" width="24" height="24" viewBox="0 0 24 24" fill="none" stroke="{color}" '
    'stroke-width="2.5" stroke-linecap="round" stroke-linejoin="round">{body}</svg>'
)
_ARROW_DOWN = '<path d="M5 9l7 7 7-7"/>'
_ARROW_UP = '<path d="M5 15l7-7 7 7"/>'
_TICK = '<path d="M5 12.5l4.5 4.500L19 7.500"/>'
_DOT = '<circle cx="12" cy="12" r="4.500" fill="{color}"/>'


@cache
def _folder() -> Path:
    folder = Path(tempfile.mkdtemp(prefix="familiar-marks-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder


def draw_marks(color: Mapping[str, str]) -> dict[str, str]:
    """Write the marks for one set of colours and return their paths, as a style sheet wants them, by name."""
    drawn = {
        "arrow_down": (_ARROW_DOWN, color["text_2"]),
        "arrow_up": (_ARROW_UP, color["text_2"]),
        "check_mark": (_TICK, color["on_accent"]),
        "dot_mark": (_DOT, color["on_accent"]),
    }
    paths = {}
    for name, (body, hue) in drawn.items():
        path = _folder() / f"{name}-{hue.lstrip('#')}.svg"
        if not path.exists():
            path.write_text(_STROKE.format(color=hue, body=body.format(color=hue)), encoding="utf-8")
        paths[name] = path.as_posix()
    return paths
