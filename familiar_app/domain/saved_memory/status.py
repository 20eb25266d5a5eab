"""How a call of the memory tools can end, and the result that the model gets."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

SAVE_TOOL = "create_long_term_memory"
UPDATE_TOOL = "update_long_term_memory"


class Status(StrEnum):
    """The end of a call, but for which tool failed."""

    SAVED = "memory_saved_successfully"
    SAVED_WITH_EVICTION = "memory_saved_with_eviction"
    ALREADY_SAVED = "memory_already_saved"
    UPDATED = "memory_updated_successfully"
    DELETED = "memory_deleted_successfully"


class Failure(StrEnum):
    """Why a call did nothing."""

    INVALID_ARGS = "invalid_args"
    DISABLED = "disabled"
    INTERNAL_ERROR = "internal_error"
    AMBIGUOUS_USER = "ambiguous_user"
    USER_NOT_FOUND = "user_not_found"
    INVALID_CONTENT = "invalid_content"
    INVALID_SCOPE = "invalid_scope"
    INVALID_TARGET = "invalid_target"
    PRIVACY_RESTRICTED = "privacy_restricted"
    LIMIT_EXCEEDED = "limit_exceeded"
    NOT_FOUND = "not_found"
    DB_ERROR = "db_error"


@dataclass(frozen=True, slots=True)
class Refused:
    """A call that was refused: why, in a sentence for the model, with further data."""

    failure: Failure
    message: str
    data: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ToolResult:
    """What a tool answers."""

    success: bool
    message: str
    data: Mapping[str, Any]

    @property
    def status(self) -> str:
        """How the call ended."""
        return str(self.data["status"])

    def as_json(self) -> dict[str, Any]:
        """Return it as the model, and the command line, get it."""
        return {"success": self.success, "message": self.message, "data": dict(self.data)}


def failed(tool: str, refused: Refused) -> ToolResult:
    """Return the result of a refused call of a tool."""
    verb = "save" if tool == SAVE_TOOL else "update"
    return ToolResult(False, refused.message, {"status": f"memory_{verb}_failed_{refused.failure}", **refused.data})


def done(status: Status, message: str, **data: Any) -> ToolResult:
    """Return the result of a call that had its effect."""
    return ToolResult(True, message, {"status": str(status), **data})
