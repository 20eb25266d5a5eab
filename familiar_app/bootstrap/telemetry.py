"""Tells libraries not to report anything home, before any of them is imported.

None of them is used in a way that would; this holds for whatever a newer version of them begins to do.
"""

from __future__ import annotations

from collections.abc import MutableMapping

SILENCED = {
    "DO_NOT_TRACK": "1",
    "HF_HUB_DISABLE_TELEMETRY": "1",
    "HF_HUB_OFFLINE": "1",
    "TRANSFORMERS_OFFLINE": "1",
    "ORT_DISABLE_TELEMETRY": "1",
}


def silence_libraries(environment: MutableMapping[str, str]) -> None:
    """Put the switches of all of them into the environment of this process and of those it starts."""
    environment.update(SILENCED)
