"""Puts the list of changes beside the manual in a built wheel. A source tree that is installed in place has its own."""

from __future__ import annotations

from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

TARGET = "familiar_app/resources/docs/CHANGELOG.md"


class WithChanges(BuildHookInterface):  # type: ignore[type-arg]
    """Found by hatchling as the only hook of this file."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Add the file to what is built, unless that only points to the source tree."""
        if version == "standard":
            build_data["force_include"]["CHANGELOG.md"] = TARGET
