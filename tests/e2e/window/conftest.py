"""The real window as a process on a virtual screen, used through the keyboard alone."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest

PROJECT = Path(__file__).parents[3]
PATIENCE_S = 180.0
READ_CLIPBOARD = "from PySide6.QtGui import QGuiApplication as A; a = A([]); print(a.clipboard().text(), end='')"


def wait_until(happened: Callable[[], bool], what: str, patience_s: float = PATIENCE_S) -> None:
    """Look again and again until it is so; fail with the name of what did not come."""
    end = time.monotonic() + patience_s
    while not happened():
        assert time.monotonic() < end, f"this did not happen in {patience_s:.0f} s: {what}"
        time.sleep(0.2)


@dataclass
class Screen:
    """A screen, a home of its own, and one program at a time."""

    display: str
    root: Path
    running: list[subprocess.Popen[bytes]] = field(default_factory=list)

    @property
    def profile(self) -> Path:
        return self.root / "profile"

    def environment(self) -> dict[str, str]:
        home, temporary = self.root / "home", self.root / "tmp"
        for folder in (home, temporary):
            folder.mkdir(parents=True, exist_ok=True)
        kept = {name: os.environ[name] for name in ("PATH", "LANG", "LD_LIBRARY_PATH") if name in os.environ}
        ours = {"DISPLAY": self.display, "QT_QPA_PLATFORM": "xcb", "HOME": str(home), "TMPDIR": str(temporary)}
        return {**kept, **ours, "PYTHONPATH": str(PROJECT), "PYTHON_KEYRING_BACKEND": "keyring.backends.null.Keyring"}

    def start(self, *more: str) -> subprocess.Popen[bytes]:
        """Start the program and wait for its window, which then has the keyboard."""
        command = [sys.executable, "-m", "familiar_app", "--profile-dir", str(self.profile), *more]
        process = subprocess.Popen(command, env=self.environment(), cwd=self.root, stderr=subprocess.PIPE)
        self.running.append(process)
        self.focus()
        return process

    def wait_for_page(self, name: str, times: int = 1) -> None:
        """Wait until the log tells that the window has shown a page this often since the first start."""
        log = self.profile / "logs" / "familiar.log"
        line = f"the window shows {name}"
        wait_until(lambda: log.exists() and log.read_text(encoding="utf-8").count(line) >= times, line)
        time.sleep(1.0)  # it takes keys as soon as its channel is open

    def focus(self) -> None:
        window: list[str] = []

        def shown() -> bool:
            found = self.xdotool("search", "--onlyvisible", "--name", "Familiar", check=False)
            window[:] = found.split()[-1:]
            return bool(window)

        wait_until(shown, "a window")
        self.xdotool("windowfocus", "--sync", window[0])

    def xdotool(self, *words: str, check: bool = True) -> str:
        done = subprocess.run(
            ["xdotool", *words], env=self.environment(), capture_output=True, text=True, check=False, timeout=60
        )
        assert done.returncode == 0 or not check, done.stderr
        return done.stdout

    def press(self, *keys: str) -> None:
        for key in keys:
            self.xdotool("key", "--clearmodifiers", key)
            time.sleep(0.15)

    def type(self, text: str) -> None:
        self.xdotool("type", "--delay", "12", text)

    def clipboard(self) -> str:
        """Return what was copied, as another program sees it."""
        command = [sys.executable, "-c", READ_CLIPBOARD]
        return subprocess.run(
            command, env=self.environment(), capture_output=True, text=True, check=True, timeout=60
        ).stdout

    def in_clear(self, *texts: str) -> list[str]:
        """Return which of the texts stand readably in any file that the program could have written, and where."""
        files = [path for path in self.root.rglob("*") if path.is_file()]
        assert any(path.name == "vault.db" for path in files)
        assert any(path.name == "familiar.log" for path in files)
        forms = {text: (text.encode(), text.encode("utf-16-le")) for text in texts}
        return [
            f"{text!r} in {path}"
            for path in files
            for text, written in forms.items()
            if any(form in path.read_bytes() for form in written)
        ]

    def end(self, process: subprocess.Popen[bytes]) -> int:
        """Quit by the keyboard and return the exit code; nothing may stand on standard error."""
        self.press("ctrl+q")
        _, said = process.communicate(timeout=PATIENCE_S)
        assert said == b""
        return process.returncode


@pytest.fixture
def screen(tmp_path: Path) -> Iterator[Screen]:
    for needed in ("Xvfb", "xdotool"):
        if shutil.which(needed) is None:
            pytest.skip(f"{needed} is not installed, so there is no screen to use")
    read, write = os.pipe()
    command = ["Xvfb", "-displayfd", str(write), "-screen", "0", "1280x900x24", "-nolisten", "tcp"]
    server = subprocess.Popen(command, pass_fds=[write], stderr=subprocess.DEVNULL)
    os.close(write)
    with os.fdopen(read) as said:
        number = said.readline().strip()
    assert number, "the virtual screen did not start"
    made = Screen(f":{number}", tmp_path / "user")
    made.root.mkdir()
    yield made
    for process in made.running:
        if process.poll() is None:
            process.send_signal(signal.SIGKILL)
        process.communicate()
    server.terminate()
    server.wait()
