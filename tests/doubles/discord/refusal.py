"""How the make-believe Discord refuses a request."""

from __future__ import annotations


class RefusedError(Exception):
    """A request is refused as Discord would."""

    def __init__(self, status: int, code: int, message: str) -> None:
        super().__init__(message)
        self.status, self.code = status, code
