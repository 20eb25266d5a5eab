"""Vectors in memory: exact cosines of known rows, and the nearest rows to a cue.

The matrix is one contiguous (capacity, d) float32 array, loaded once and changed in place. Up to EXACT_ROWS a search
compares the cue with every row. Beyond that the signs of the numbers (after taking the mean away) choose some rows
first, by Hamming distance, and these are compared exactly. Source: Charikar, Similarity estimation techniques from
rounding algorithms (2002).
"""

from __future__ import annotations

import threading
from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

EXACT_ROWS = 20_000
CHOSEN_ROWS = 1_000
_FIRST_CAPACITY = 256
_BLOCK_ROWS = 65_536
_MEAN_ROWS = 8_192


class VectorMatrix:
    """Unit vectors by number. Every method may be called from any thread and holds the lock while it runs."""

    def __init__(self, dim: int) -> None:
        self.dim = dim
        self._rows = np.zeros((_FIRST_CAPACITY, dim), np.float32)
        self._ids = np.zeros(_FIRST_CAPACITY, np.int64)
        self._places = np.zeros(_FIRST_CAPACITY, np.int64)
        self._row_of: dict[int, int] = {}
        self._used = 0
        self._free: list[int] = []
        self._codes: NDArray[np.uint64] | None = None
        self._mean = np.zeros(dim, np.float32)
        self._lock = threading.Lock()

    def __len__(self) -> int:
        return len(self._row_of)

    @property
    def size_bytes(self) -> int:
        """What the arrays take."""
        codes = 0 if self._codes is None else self._codes.nbytes
        return self._rows.nbytes + self._ids.nbytes + self._places.nbytes + codes

    def put(self, id: int, place: int, vector: bytes) -> None:  # noqa: A002
        """Add a vector or replace it. `place` is a number to filter by. What has another length is passed over."""
        if len(vector) != self.dim * 4:
            return
        with self._lock:
            row = self._row_of.get(id)
            if row is None:
                row = self._row_of[id] = self._free.pop() if self._free else self._append()
            self._rows[row] = np.frombuffer(vector, "<f4")
            self._ids[row], self._places[row] = id, place
            if self._codes is not None:
                self._codes[:, row] = self._signs(self._rows[row : row + 1])[:, 0]

    def put_many(self, vectors: Sequence[tuple[int, int, bytes]]) -> None:
        """Add `(id, place, vector)`, none of which is there yet and each but once; for reading a vault's at once."""
        fitting = [one for one in vectors if len(one[2]) == self.dim * 4]
        with self._lock:
            first, end = self._used, self._used + len(fitting)
            self._grow(end)
            data = np.frombuffer(b"".join(one[2] for one in fitting), "<f4")
            self._rows[first:end] = data.reshape(len(fitting), self.dim)
            self._ids[first:end] = [one[0] for one in fitting]
            self._places[first:end] = [one[1] for one in fitting]
            self._row_of.update(zip((one[0] for one in fitting), range(first, end), strict=True))
            self._used, self._codes = end, None

    def reserve(self, rows: int) -> None:
        """Make room for so many rows at once."""
        with self._lock:
            self._grow(rows)

    def drop(self, ids: Iterable[int]) -> None:
        """Forget vectors."""
        with self._lock:
            for number in ids:
                row = self._row_of.pop(number, None)
                if row is not None:
                    self._rows[row] = 0.0
                    self._ids[row] = -1
                    self._free.append(row)

    def cosines(self, cue: bytes, ids: Iterable[int]) -> dict[int, float]:
        """Return the cosine to each of the rows that exist."""
        with self._lock:
            known = [number for number in ids if number in self._row_of]
            if not known or len(cue) != self.dim * 4:
                return {}
            found = _products(self._rows[[self._row_of[number] for number in known]], np.frombuffer(cue, "<f4"))
            return dict(zip(known, np.clip(found, -1.0, 1.0).tolist(), strict=True))

    def nearest(self, cue: bytes, limit: int, places: Sequence[int] | None = None) -> list[int]:
        """Return the numbers of the `limit` nearest rows, nearest first; with `places`, of those alone."""
        with self._lock:
            if not self._row_of or limit < 1 or len(cue) != self.dim * 4:
                return []
            query = np.frombuffer(cue, "<f4").astype(np.float32)
            allowed = self._ids[: self._used] >= 0
            if places is not None:
                allowed &= np.isin(self._places[: self._used], np.asarray(places, np.int64))
            rows = np.flatnonzero(allowed) if places is not None or self._free else None
            if (self._used if rows is None else len(rows)) > EXACT_ROWS:
                rows = self._choose(query, max(CHOSEN_ROWS, 2 * limit), allowed if rows is not None else None)
            cosines = _products(self._rows[: self._used] if rows is None else self._rows[rows], query)
            best = _largest(cosines, limit)
            found = self._ids[best] if rows is None else self._ids[rows[best]]
            return [int(number) for number in found]

    def _choose(self, query: NDArray[np.float32], count: int, allowed: NDArray[np.bool_] | None) -> NDArray[np.intp]:
        """Return about `count` rows whose signs differ least from the query's."""
        if self._codes is None:
            self._encode()
        codes = self._codes
        if codes is None:
            return np.arange(self._used)
        mine = self._signs(query[None, :])[:, 0]
        distances = np.empty(self._used, np.uint16)
        for start in range(0, self._used, _BLOCK_ROWS):
            end = min(start + _BLOCK_ROWS, self._used)
            total = np.bitwise_count(codes[0, start:end] ^ mine[0]).astype(np.uint16)
            for column in range(1, len(mine)):
                total += np.bitwise_count(codes[column, start:end] ^ mine[column])
            distances[start:end] = total
        if allowed is not None:
            distances[~allowed] = np.iinfo(np.uint16).max
        reached = np.cumsum(np.bincount(distances[distances <= self.dim], minlength=self.dim + 1))
        return np.flatnonzero(distances <= int(np.searchsorted(reached, min(count, int(reached[-1])))))

    def _encode(self) -> None:
        self._mean = self._rows[: min(self._used, _MEAN_ROWS)].mean(0)
        columns = -(-self.dim // 64)
        codes = np.zeros((columns, len(self._rows)), np.uint64)
        for start in range(0, self._used, _BLOCK_ROWS):
            end = min(start + _BLOCK_ROWS, self._used)
            codes[:, start:end] = self._signs(self._rows[start:end])
        self._codes = codes

    def _signs(self, rows: NDArray[np.float32]) -> NDArray[np.uint64]:
        """Return the signs of rows as bits, (ceil(d / 64), n) uint64."""
        bits = np.zeros((len(rows), -(-self.dim // 64) * 64), np.bool_)
        bits[:, : self.dim] = rows > self._mean
        return np.ascontiguousarray(np.packbits(bits, axis=1).view(np.uint64).T)

    def _append(self) -> int:
        self._grow(self._used + 1)
        self._used += 1
        return self._used - 1

    def _grow(self, rows: int) -> None:
        if rows <= len(self._rows):
            return
        more = max(rows, len(self._rows) * 3 // 2) - len(self._rows)
        self._rows = np.concatenate([self._rows, np.zeros((more, self.dim), np.float32)])
        self._ids = np.concatenate([self._ids, np.zeros(more, np.int64)])
        self._places = np.concatenate([self._places, np.zeros(more, np.int64)])
        if self._codes is not None:
            self._codes = np.concatenate([self._codes, np.zeros((len(self._codes), more), np.uint64)], axis=1)


def _products(rows: NDArray[np.float32], query: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return the product of each row with the query.

    Not by `@`: for so little work its threads take longer to wake, on a busy machine many times longer, than to work.
    """
    found: NDArray[np.float32] = np.einsum("ij,j->i", rows, query)
    return found


def _largest(values: NDArray[np.float32], limit: int) -> NDArray[np.intp]:
    """Return the positions of the largest values, in descending order."""
    if limit < len(values):
        chosen = np.argpartition(-values, limit - 1)[:limit]
        return chosen[np.argsort(-values[chosen], kind="stable")]
    return np.argsort(-values, kind="stable")
