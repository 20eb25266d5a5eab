"""What is said where a model finds too little room, in memory or on the disk."""

from __future__ import annotations

from familiar_app.domain.errors import OutsideError
from familiar_app.domain.text import number, tr


class TooLittleMemoryError(OutsideError):
    """The model could be fetched, but would never run here."""

    def __init__(self, needed_bytes: int, built_in_bytes: int) -> None:
        needed, there = _gb(needed_bytes), _gb(built_in_bytes)
        super().__init__(
            tr(
                "This model needs about {needed} GB of memory, and this computer has {there} GB.",
                needed=needed,
                there=there,
            ),
            tr("Choose a smaller one, or fetch it anyway (with --anyway on the command line)."),
        )


class TooLittleRoomError(OutsideError):
    """The file does not fit on the disk."""

    def __init__(self, needed_bytes: int, free_bytes: int) -> None:
        needed, free = _gb(needed_bytes), _gb(free_bytes)
        super().__init__(
            tr("The file needs {needed} GB more, and the disk has {free} GB free.", needed=needed, free=free),
            tr("Make room, or choose a smaller model."),
        )


def _gb(size_bytes: int) -> str:
    return number(max(size_bytes, 0) / 10**9, 1)
