"""The real window as a process on a virtual screen, used through the keyboard alone."""

from __future__ import annotations

import asyncio
import json
import os
import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Coroutine, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

import pytest

from familiar_app.domain.clock import SystemClock
from familiar_app.store.vault import Vault
from tests.doubles.waiting import until_seen

Answer = TypeVar("Answer")

PROJECT = Path(__file__).parents[3]
WATCHED = Path(__file__).with_name("watched.py")
PATIENCE_S = 120.0
PASSPHRASE = "violet heron ladder seventeen"
READ_CLIPBOARD = "from PySide6.QtGui import QGuiApplication as A; a = A([]); print(a.clipboard().text(), end='')"


def wait_until(happened: Callable[[], bool], what: str) -> None:
    """Look again and again until it is so; fail with the name of what did not come."""
    until_seen(happened, what, PATIENCE_S)


@dataclass(frozen=True)
class Seen:
    """What stood on the screen at one moment, as `watched.py` wrote it down."""

    focus: Mapping[str, Any]
    shown: Sequence[Mapping[str, Any]]
    offered: Sequence[str]

    def has(self, name: str, **more: object) -> bool:
        """Tell whether a widget of this accessible name or text is there, with such values."""
        return any(name in (one["name"], one["text"]) and more.items() <= one.items() for one in self.shown)

    def text(self, name: str) -> str:
        """Return what stands in the widget of this accessible name; nothing where there is none."""
        return next((one["text"] for one in self.shown if one["name"] == name), "")

    def starting(self, text: str) -> int:
        """Count the widgets whose text begins so."""
        return sum(one["text"].startswith(text) for one in self.shown)

    def at(self, name: str) -> bool:
        """Tell whether the keyboard is at the widget of this accessible name."""
        return self.focus.get("name") == name


@dataclass
class Screen:
    """A screen, a home of its own, and one program at a time; `watcher` is a command that runs it, such as strace."""

    display: str
    root: Path
    running: list[subprocess.Popen[bytes]] = field(default_factory=list)
    watcher: Sequence[str] = ()

    @property
    def eye(self) -> Path:
        """Where what the window shows is written down, outside of what the program may write."""
        return self.root.parent / "seen.json"

    def look(self) -> Seen:
        """Return what the window shows."""
        found = json.loads(self.eye.read_text(encoding="utf-8")) if self.eye.exists() else {}
        return Seen(found.get("focus") or {}, found.get("shown") or (), found.get("offered") or ())

    def until(self, seen: Callable[[Seen], object], what: str) -> None:
        """Wait until the window shows something."""
        wait_until(lambda: bool(seen(self.look())), what)

    def until_at(self, name: str) -> None:
        """Wait until the keyboard is at the widget of this accessible name."""
        self.until(lambda seen: seen.at(name), f"the keyboard at {name!r}")

    def tab_to(self, name: str) -> None:
        """Press Tab until the keyboard is at the widget of this accessible name."""
        for _ in range(12):
            before = self.look()
            if before.at(name):
                return
            self.press("Tab")
            self.until(lambda seen, before=before: seen.focus != before.focus, "the next stop of the Tab key")
        raise AssertionError(f"Tab does not lead to {name}")

    def write(self, name: str, text: str) -> None:
        """Write into the widget of this accessible name, once the keyboard is there, and wait until it stands there."""
        self.until_at(name)
        self.xdotool("type", "--delay", "12", text)
        written = (text, "●" * len(text), "•" * len(text))
        self.until(lambda seen: seen.at(name) and seen.focus["text"] in written, f"what was written into {name!r}")

    def unlock(self) -> None:
        """Open the vault and wait until the chat has its channel."""
        self.write("Passphrase", PASSPHRASE)
        self.press("Return")
        self.until_chat()

    def until_chat(self) -> None:
        self.until(lambda seen: seen.at("Message") and seen.has("Channels", chosen=0), "the chat with its channel")

    def choose(self, action: str, seen: Callable[[Seen], object]) -> None:
        """Run an action by its name in the palette, and wait until the window shows what comes of it."""
        self.press("ctrl+k")
        self.write("Search commands", action)
        self.until(lambda now: now.has("Commands", chosen=0), "the action in the palette")
        self.press("Return")
        self.until(seen, action)

    def command(self, *words: str) -> str:
        """Run a command of the program on the window's profile."""
        done = subprocess.run(
            [sys.executable, "-m", "familiar_app", "--profile-dir", str(self.profile), *words],
            env={**self.environment(), "FAMILIAR_PASSPHRASE": PASSPHRASE},
            capture_output=True,
            timeout=PATIENCE_S,
            check=False,
        )
        assert done.returncode == 0, done.stderr.decode()
        return done.stdout.decode()

    def read(self, question: Callable[[Vault], Coroutine[Any, Any, Answer]]) -> Answer:
        """Ask the vault beside the running program."""

        async def ask() -> Answer:
            path = self.profile / "vault.db"
            vault = await Vault.open(path, clock=SystemClock(), passphrase=PASSPHRASE, read_only=True)
            try:
                return await question(vault)
            finally:
                await vault.close()

        return asyncio.run(ask())

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
        self.eye.unlink(missing_ok=True)
        program = [sys.executable, str(WATCHED), str(self.eye), "--profile-dir", str(self.profile), *more]
        command = [*self.watcher, *program]
        process = subprocess.Popen(command, env=self.environment(), cwd=self.root, stderr=subprocess.PIPE)
        self.running.append(process)
        self.focus()
        return process

    def focus(self) -> None:
        window: list[str] = []

        def shown() -> bool:
            process = self.running[-1]
            assert process.poll() is None, process.communicate()[1].decode()
            found = self.xdotool("search", "--onlyvisible", "--name", "Familiar", check=False)
            window[:] = found.split()[-1:]
            return bool(window)

        wait_until(shown, "a window")
        self.xdotool("windowfocus", "--sync", window[0])

    def focus_named(self, title: str) -> None:
        """Give the keyboard to the window of that title, among several."""
        number = self.xdotool("search", "--onlyvisible", "--name", f"^{re.escape(title)}$").split()[0]
        self.xdotool("windowraise", number, "windowfocus", "--sync", number)

    def xdotool(self, *words: str, check: bool = True) -> str:
        done = subprocess.run(
            ["xdotool", *words], env=self.environment(), capture_output=True, text=True, check=False, timeout=PATIENCE_S
        )
        assert done.returncode == 0 or not check, done.stderr
        return done.stdout

    def press(self, *keys: str) -> None:
        for key in keys:
            self.xdotool("key", "--clearmodifiers", key)

    def clipboard(self) -> str:
        """Return what was copied, as another program sees it."""
        command = [sys.executable, "-c", READ_CLIPBOARD]
        return subprocess.run(
            command, env=self.environment(), capture_output=True, text=True, check=True, timeout=PATIENCE_S
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
    # Without -noreset it starts anew whenever its last window closes, and whoever connects meanwhile is refused.
    command = ["Xvfb", "-displayfd", str(write), "-screen", "0", "1280x900x24", "-nolisten", "tcp", "-noreset"]
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
