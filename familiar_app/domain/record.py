"""Values of which a prompt makes thousands: frozen for the type checker, and quick to make when running.

A frozen dataclass sets each of its fields by a call, and takes three times as long for it. Everywhere else
`dataclass(frozen=True)` is the better choice, since it also refuses a change that no type checker saw.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from dataclasses import dataclass as record

    __all__ = ["record"]
else:
    from collections.abc import Callable
    from dataclasses import dataclass

    def record(*, frozen: bool, slots: bool) -> Callable[[type], type]:
        """Make a dataclass that compares and hashes by its fields, as a frozen one does."""
        return dataclass(slots=slots, unsafe_hash=frozen)
