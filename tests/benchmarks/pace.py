"""What this machine needs just now for a fixed piece of work, by which benchmarks judge what theirs needs.

A goal such as a frame of the screen is one of the machine it was set on. A slower machine, or one that shares its
processor, is allowed as many times the goal as it takes longer for this piece: what is asserted is a ratio of two
measurements of one run.
"""

from __future__ import annotations

import hashlib
import json
import sqlite3
import time

REFERENCE_MS = 4.0
"""What the piece takes on the machine that the goals were set on: two cores of an ordinary server, quiet."""
ROUNDS = 7
SLACK = 2.0
"""How many times the goal is allowed at any pace: a neighbour in the cache costs us as much without being seen here."""


def piece_ms() -> float:
    """Do the work once, of the kinds that the program does: objects, text, digests, a database. Returns its time."""
    began = time.thread_time()
    rows = [{"id": number, "text": f"remark {number} " * 4, "weight": number / 7} for number in range(900)]
    again = sorted(json.loads(json.dumps(rows)), key=lambda row: (-row["weight"] % 13, row["id"]))
    hashlib.sha256("".join(row["text"] for row in again).encode() * 12).digest()
    connection = sqlite3.connect(":memory:")
    connection.execute("CREATE TABLE remarks (id INTEGER PRIMARY KEY, text TEXT, weight REAL)")
    connection.executemany("INSERT INTO remarks VALUES (:id, :text, :weight)", again)
    connection.execute("SELECT sum(length(text)) FROM remarks WHERE weight > 20 ORDER BY weight").fetchall()
    connection.close()
    return (time.thread_time() - began) * 1000


class Pace:
    """How many times slower this machine is than the one the goals were set on; at least once as slow."""

    def __init__(self) -> None:
        self.factor = 1.0
        self._measure()

    def allow(self, goal: float) -> float:
        """Return what may be taken instead of `goal`, at the slower of the paces before and now."""
        self._measure()
        return goal * self.factor * SLACK

    def _measure(self) -> None:
        self.factor = max(self.factor, sorted(piece_ms() for _ in range(ROUNDS))[ROUNDS // 2] / REFERENCE_MS)
