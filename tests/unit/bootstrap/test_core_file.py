"""A crash of the program leaves none of its memory on the disk."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.skipif(os.name == "nt", reason="limits of POSIX")
PROJECT = Path(__file__).parents[3]
CRASH = "import os; os.abort()"
FORBID = "from familiar_app.bootstrap.core_file import forbid_core_files; forbid_core_files(); "
LET = "import resource as r; r.setrlimit(r.RLIMIT_CORE, (r.getrlimit(r.RLIMIT_CORE)[1],) * 2); "
PATIENCE_S = 120


def run(program: str, folder: Path) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PYTHONPATH": str(PROJECT), "PYTHONFAULTHANDLER": ""}
    command = [sys.executable, "-c", program]
    return subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, timeout=PATIENCE_S, check=False
    )


def test_a_crash_leaves_no_core_file_also_of_a_process_it_started(tmp_path: Path) -> None:
    assert run(LET + FORBID + CRASH, tmp_path).returncode < 0
    child = f"import subprocess, sys; subprocess.run([sys.executable, '-c', {CRASH!r}])"
    assert run(LET + FORBID + child, tmp_path).returncode == 0
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("argv", [["familiar", "--version"], ["familiar", "status", "--profile-dir", "nowhere"]])
def test_the_program_forbids_it_before_anything_else(tmp_path: Path, argv: list[str]) -> None:
    program = f"""{LET}
import sys
from familiar_app.__main__ import main
sys.argv = {argv!r}
try:
    main()
except SystemExit:
    pass
print(*r.getrlimit(r.RLIMIT_CORE))"""
    limits = [int(one) for one in run(program, tmp_path).stdout.split()[-2:]]
    assert all(0 <= one <= 1 for one in limits), limits


def test_a_stricter_limit_is_left_alone(tmp_path: Path) -> None:
    none = "import resource as r; r.setrlimit(r.RLIMIT_CORE, (0, 0)); "
    assert run(none + FORBID + "print(r.getrlimit(r.RLIMIT_CORE))", tmp_path).stdout == "(0, 0)\n"
