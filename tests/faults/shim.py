"""Builds `bad_disk.c` with the machine's compiler; without one, tests that need it are skipped with a reason."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

SOURCE = Path(__file__).with_name("bad_disk.c")


def build(folder: Path) -> Path:
    """Return the library, made in `folder`. Skips where it cannot be made."""
    compiler = shutil.which("cc") or shutil.which("gcc")
    if sys.platform != "linux" or compiler is None:
        pytest.skip("faults of the disk need Linux and a C compiler (cc)")
    target = folder / "bad_disk.so"
    command = [compiler, "-O1", "-shared", "-fPIC", "-o", str(target), str(SOURCE), "-ldl", "-lpthread"]
    made = subprocess.run(command, capture_output=True, text=True, check=False)
    if made.returncode:
        pytest.skip(f"the compiler cannot make the library of faults: {made.stderr[:200]}")
    return target
