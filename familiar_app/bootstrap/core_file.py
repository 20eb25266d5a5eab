"""Keeps the system from writing the memory of a program that crashes to the disk: what was said stands in it."""

from __future__ import annotations

import sys


def forbid_core_files() -> None:
    """Allow no core file, for this process and for those it starts. Windows has no such limit."""
    if sys.platform == "win32":
        return
    import resource

    # Linux hands a core to a collector whatever the limit is, but for a limit of one byte.
    wanted = 1 if sys.platform == "linux" else 0
    _soft, hard = resource.getrlimit(resource.RLIMIT_CORE)
    limit = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
    resource.setrlimit(resource.RLIMIT_CORE, (limit, limit))
