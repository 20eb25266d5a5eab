"""The folder `.venv` beside the project: made, filled from a lock with hashes, and recognised as current by a stamp.

The stamp is written last, so a stopped installation is never taken for a whole one. One start at a time installs;
others wait for it. Nothing here asks the network where the stamp is current.
"""

from __future__ import annotations

import hashlib
import importlib.util
import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Literal

from pip_run import PipFailedError, run_pip

Kind = Literal["app", "dev"]
PYTHON = f"{sys.version_info[0]}.{sys.version_info[1]}"


class SetupError(Exception):
    """The environment cannot be made; the message is one sentence with the way out."""


def say(text: str) -> None:
    """Tell the person something, on standard error: standard output belongs to the program."""
    print(text, file=sys.stderr, flush=True)


class Environment:
    """The environment of the project in `root`, for the Python that runs this."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.folder = root / ".venv"
        self._stamp = self.folder / "familiar-installed.json"
        self._unfinished = self.folder / "familiar-unfinished"
        self._held: tuple[int, ...] = ()  # the lock, for children to hold too: pip may outlive a killed start

    @property
    def scripts(self) -> Path:
        """The folder of its commands."""
        return self.folder / ("Scripts" if os.name == "nt" else "bin")

    @property
    def python(self) -> Path:
        """Its interpreter."""
        return self.scripts / ("python.exe" if os.name == "nt" else "python")

    @property
    def site_packages(self) -> Path:
        """The folder its packages are in."""
        return self.folder / ("Lib" if os.name == "nt" else f"lib/python{PYTHON}") / "site-packages"

    def is_ready(self, kind: Kind) -> bool:
        """Tell whether everything that `kind` needs is installed, by the stamp alone."""
        found, wanted = self._read_stamp(), self._wanted_stamp("dev")
        same = all(found.get(key) == wanted[key] for key in ("python", "folder", "project", kind))
        return same and self.python.exists()

    def prepare(self, kind: Kind) -> None:
        """Install whatever `kind` still lacks. Raises SetupError."""
        if self.is_ready(kind):
            return
        try:
            with self._alone():
                if not self.is_ready(kind):
                    self._install(kind)
        except PermissionError as error:
            raise SetupError(
                f"{error.filename or self.folder} cannot be written: close Familiar if it runs, and see that the "
                "folder belongs to you."
            ) from error
        except OSError as error:
            raise SetupError(f"{self.folder} cannot be made: {error.strerror}.") from error

    def _install(self, kind: Kind) -> None:
        started = time.monotonic()
        if not self._is_usable():
            self._make()
        self._unfinished.touch()
        found, wanted = self._read_stamp(), self._wanted_stamp(kind)
        self._stamp.unlink(missing_ok=True)
        try:
            if found.get(kind) != wanted[kind]:
                self._install_packages(kind)
            say("Putting the program in place …")
            run_pip(
                self.python,
                ["--no-deps", "--no-build-isolation", "--no-index", "--editable", str(self.root)],
                log=self.folder / "install-program.log",
                keep=self._held,
            )
        except PipFailedError as error:
            raise SetupError(str(error)) from error
        self._write_stamp(wanted)
        say(f"Installed in {time.monotonic() - started:.0f} s.")

    def _install_packages(self, kind: Kind) -> None:
        lock = self._lock(kind)
        say(f"Installing {'the program and its checks' if kind == 'dev' else 'the program'} into {self.folder} …")
        run_pip(
            self.python,
            ["--no-deps", "--require-hashes", "--only-binary", ":all:", "--requirement", str(lock)],
            log=self.folder / "install.log",
            keep=self._held,
            total=sum(not line.startswith((" ", "#")) for line in lock.read_text(encoding="utf-8").splitlines()),
        )

    def _is_usable(self) -> bool:
        """Tell whether the folder holds a whole environment of this Python that only needs other packages."""
        moved = self._read_stamp().get("folder", str(self.folder)) != str(self.folder)
        if moved or (self._unfinished.exists() and not self._stamp.exists()) or not self.python.exists():
            return False
        probe = "import pip, sys; print('%d.%d' % sys.version_info[:2])"
        answer = subprocess.run([self.python, "-I", "-c", probe], capture_output=True, text=True, check=False)
        return answer.stdout.strip() == PYTHON

    def _make(self) -> None:
        if importlib.util.find_spec("ensurepip") is None:
            raise SetupError(f"Python's venv module is missing: {_venv_command()}")
        self._clear()
        say(f"Making a Python {PYTHON} environment …")
        self.folder.mkdir()
        self._unfinished.touch()
        base = getattr(sys, "_base_executable", None) or sys.executable
        command = [base, "-m", "venv", str(self.folder)]
        made = subprocess.run(command, capture_output=True, text=True, check=False, pass_fds=self._held)
        if made.returncode:
            last = (made.stderr or made.stdout).strip().splitlines()[-1:]
            raise SetupError(f"Python could not make the environment {self.folder}: {''.join(last)}")

    def _clear(self) -> None:
        if not self.folder.exists():
            return
        ours = (self.folder / "pyvenv.cfg").exists() or self._unfinished.exists() or not any(self.folder.iterdir())
        if not ours:
            raise SetupError(f"{self.folder} is no Python environment: move it away, and start again.")
        say("The environment is unfinished or of another Python; making it anew …")
        shutil.rmtree(self.folder)

    def _lock(self, kind: Kind) -> Path:
        return self.root / "packaging" / "lock" / f"{kind}.txt"

    def _wanted_stamp(self, kind: Kind) -> dict[str, str]:
        stamp = {
            "python": PYTHON,
            "folder": str(self.folder),
            "project": _digest(self.root / "pyproject.toml", self.root / "familiar_app" / "__init__.py"),
            "app": _digest(self._lock("app")),
        }
        return {**stamp, "dev": _digest(self._lock("dev"))} if kind == "dev" else stamp

    def _read_stamp(self) -> dict[str, str]:
        try:
            stamp = json.loads(self._stamp.read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return {}
        return stamp if isinstance(stamp, dict) else {}

    def _write_stamp(self, stamp: dict[str, str]) -> None:
        fresh = self._stamp.with_suffix(".new")
        fresh.write_text(json.dumps(stamp, indent=1), encoding="utf-8")
        fresh.replace(self._stamp)
        self._unfinished.unlink(missing_ok=True)

    @contextmanager
    def _alone(self) -> Iterator[None]:
        """Hold the one right to install; the system gives it back when this process and its children have ended."""
        with (self.root / ".venv.lock").open("a") as handle:
            if not _try_lock(handle):
                say("Another start is installing; waiting for it …")
                while not _try_lock(handle):
                    time.sleep(0.3)
            self._held = (handle.fileno(),) if os.name == "posix" else ()
            yield


def _digest(*files: Path) -> str:
    whole = hashlib.sha256()
    for file in files:
        whole.update(file.read_bytes().replace(b"\r\n", b"\n"))
    return whole.hexdigest()


def _try_lock(handle: IO[str]) -> bool:
    try:
        if sys.platform == "win32":
            import msvcrt

            handle.seek(0)
            msvcrt.locking(handle.fileno(), msvcrt.LK_NBLCK, 1)
        else:
            import fcntl

            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True


def _venv_command() -> str:
    if shutil.which("apt-get"):
        return f"sudo apt install python{PYTHON}-venv"
    if shutil.which("dnf"):
        return f"sudo dnf install python{PYTHON}"
    return "install a complete Python 3.11, 3.12 or 3.13"
