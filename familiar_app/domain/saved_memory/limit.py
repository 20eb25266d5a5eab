"""The limits of saved memories, and what becomes of a setting that is no usable limit."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from typing import Any

log = logging.getLogger(__name__)

DEFAULT_LIMITS: Mapping[str, int] = {
    "max_server": 100,
    "max_personal": 100,
    "max_length": 1000,
    "max_tags": 5,
    "decay_days": 90,
}
MAX_LIMIT = 1_000_000


def with_usable_limits(values: Mapping[str, Any]) -> dict[str, Any]:
    """Return settings in which every limit is a positive integer: one that is not takes its default, with a warning."""
    mended = dict(values)
    for name, default in DEFAULT_LIMITS.items():
        if name in mended and not is_usable_limit(mended[name]):
            log.warning("saved_memories.%s is no positive whole number; %d is used", name, default)
            mended[name] = default
    return mended


def is_usable_limit(value: object) -> bool:
    """Tell whether a value can be a limit."""
    return isinstance(value, int) and not isinstance(value, bool) and 1 <= value <= MAX_LIMIT
