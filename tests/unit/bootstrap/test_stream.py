"""A program that is started without some of its standard streams still runs, and writes into no file by mistake."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import familiar_app

_SCRIPT = """
import os, sys
from familiar_app.bootstrap.stream import open_missing_streams
open_missing_streams()
own = os.open(sys.argv[1], os.O_WRONLY | os.O_CREAT)
os.write(own, b"own")
for name in ("stdout", "stderr"):
    getattr(sys, name).write("printed")
    getattr(sys, name).flush()
assert sys.stdin.read() == ""
sys.exit(own)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="needs a shell that closes streams")
@pytest.mark.parametrize("closed", ["<&-", ">&-", "2>&-", "<&- >&- 2>&-"])
def test_a_closed_stream_is_not_taken_by_the_next_file(tmp_path: Path, closed: str) -> None:
    script, file = tmp_path / "script.py", tmp_path / "own"
    script.write_text(_SCRIPT)
    root = Path(familiar_app.__file__).parents[1]
    command = f'PYTHONPATH="{root}" "{sys.executable}" "{script}" "{file}" {closed}'
    done = subprocess.run(["sh", "-c", command], stdin=subprocess.DEVNULL, capture_output=True, check=False)
    assert done.returncode >= 3, done.stderr
    assert file.read_bytes() == b"own"
