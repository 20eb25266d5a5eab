"""Instants as the vault stores them: whole microseconds since 1970, in UTC."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from functools import lru_cache

from familiar_app.domain.clock import as_utc

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)


def to_micros(instant: datetime) -> int:
    """Return an instant in microseconds since 1970; a naive one is taken to be UTC."""
    return (as_utc(instant) - _EPOCH) // _MICROSECOND


@lru_cache(maxsize=4096)
def from_micros(micros: int) -> datetime:
    """Return the aware UTC instant of stored microseconds. The newest turns are read again for every prompt."""
    return _EPOCH + timedelta(microseconds=micros)
