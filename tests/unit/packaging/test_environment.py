"""The environment: what counts as installed, what is made anew, who may install."""

from __future__ import annotations

import json
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

import environment
from environment import PYTHON, Environment, SetupError
from tests.doubles.waiting import PATIENCE_S, until_seen

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="the stand-ins are shell scripts")

ROOT = Path(__file__).parents[3]


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project with locks, without an environment."""
    root = tmp_path / "project"
    for folder in ("packaging/lock", "familiar_app"):
        (root / folder).mkdir(parents=True)
    for file in ("packaging/lock/app.txt", "packaging/lock/dev.txt", "pyproject.toml", "familiar_app/__init__.py"):
        (root / file).write_text(f"{file}\n", encoding="utf-8")
    return root


def put_python(made: Environment, version: str = PYTHON) -> None:
    """Lay a stand-in for the interpreter into the environment, which tells its version when asked."""
    made.scripts.mkdir(parents=True, exist_ok=True)
    made.python.unlink(missing_ok=True)
    made.python.write_text(f"#!/bin/sh\necho {version}\n", encoding="utf-8")
    made.python.chmod(0o755)


def make_by_hand(project: Path, kind: environment.Kind = "app") -> Environment:
    """Lay out what an installation leaves behind, without pip."""
    made = Environment(project)
    put_python(made)
    (made.folder / "pyvenv.cfg").write_text("", encoding="utf-8")
    made._write_stamp(made._wanted_stamp(kind))
    return made


class Recorder:
    """Takes the place of pip and of venv, and keeps what they were asked."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.calls: list[str] = []
        self.fail = False
        monkeypatch.setattr(environment, "run_pip", self._pip)
        monkeypatch.setattr(Environment, "_make", lambda made: self._make(made))

    def _pip(self, python: Path, arguments: list[str], **_: object) -> None:
        if self.fail:
            raise environment.PipFailedError("The installation failed: the disk is full.")
        self.calls.append("project" if "--editable" in arguments else Path(arguments[-1]).name)

    def _make(self, made: Environment) -> None:
        self.calls.append("venv")
        made._clear()
        put_python(made)
        made._unfinished.touch()


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> Recorder:
    return Recorder(monkeypatch)


def test_the_first_start_makes_and_fills_and_the_second_does_nothing(project: Path, asked: Recorder) -> None:
    Environment(project).prepare("app")
    assert asked.calls == ["venv", "app.txt", "project"]
    Environment(project).prepare("app")
    assert asked.calls == ["venv", "app.txt", "project"]


def test_the_checks_add_to_what_is_there_and_serve_the_program_too(project: Path, asked: Recorder) -> None:
    made = make_by_hand(project)
    made.prepare("dev")
    assert asked.calls == ["dev.txt", "project"]
    assert made.is_ready("app")
    assert made.is_ready("dev")


def test_a_new_lock_is_installed(project: Path, asked: Recorder) -> None:
    made = make_by_hand(project)
    (project / "packaging/lock/app.txt").write_text("newer\n", encoding="utf-8")
    assert not made.is_ready("app")
    made.prepare("app")
    assert asked.calls == ["app.txt", "project"]


def test_a_changed_project_table_puts_only_the_project_in_place(project: Path, asked: Recorder) -> None:
    made = make_by_hand(project)
    (project / "pyproject.toml").write_text("changed\n", encoding="utf-8")
    made.prepare("app")
    assert asked.calls == ["project"]


def test_line_ends_of_another_system_change_nothing(project: Path) -> None:
    made = make_by_hand(project)
    (project / "pyproject.toml").write_bytes(b"pyproject.toml\r\n")
    assert made.is_ready("app")


def test_a_stopped_installation_is_made_anew(project: Path, asked: Recorder) -> None:
    asked.fail = True
    with pytest.raises(SetupError, match="the disk is full"):
        Environment(project).prepare("app")
    asked.fail, asked.calls = False, []
    made = Environment(project)
    assert not made.is_ready("app")
    made.prepare("app")
    assert asked.calls == ["venv", "app.txt", "project"]
    assert made.is_ready("app")


def test_a_stopped_update_is_made_anew(project: Path, asked: Recorder) -> None:
    made = make_by_hand(project)
    (project / "packaging/lock/app.txt").write_text("newer\n", encoding="utf-8")
    asked.fail = True
    with pytest.raises(SetupError):
        made.prepare("app")
    asked.fail = False
    made.prepare("app")
    assert asked.calls == ["venv", "app.txt", "project"]


def test_an_environment_of_another_python_is_made_anew(project: Path, asked: Recorder) -> None:
    made = make_by_hand(project)
    stamp = json.loads(made._stamp.read_text(encoding="utf-8"))
    assert stamp["python"] == PYTHON
    made._write_stamp({**stamp, "python": "3.10"})
    put_python(made, "3.10")
    made.prepare("app")
    assert asked.calls == ["venv", "app.txt", "project"]


def test_an_environment_that_was_moved_is_made_anew(project: Path, asked: Recorder, tmp_path: Path) -> None:
    make_by_hand(project)
    moved = tmp_path / "moved"
    project.rename(moved)
    Environment(moved).prepare("app")
    assert asked.calls == ["venv", "app.txt", "project"]


def test_a_lost_interpreter_is_made_anew(project: Path, asked: Recorder) -> None:
    made = make_by_hand(project)
    made.python.unlink()
    made.python.symlink_to(project / "gone")
    made.prepare("app")
    assert asked.calls == ["venv", "app.txt", "project"]


def test_a_folder_that_is_no_environment_is_never_deleted(project: Path) -> None:
    letters = project / ".venv" / "letters.txt"
    letters.parent.mkdir()
    letters.write_text("mine", encoding="utf-8")
    with pytest.raises(SetupError, match="move it away"):
        Environment(project).prepare("app")
    assert letters.read_text(encoding="utf-8") == "mine"


def test_a_damaged_stamp_counts_as_none(project: Path, asked: Recorder) -> None:
    made = make_by_hand(project)
    made._stamp.write_text("{", encoding="utf-8")
    made.prepare("app")
    assert asked.calls == ["app.txt", "project"]


def test_without_the_venv_module_the_way_out_is_named(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(environment.importlib.util, "find_spec", lambda name: None)
    monkeypatch.setattr(environment.shutil, "which", lambda name: "/usr/bin/apt-get" if name == "apt-get" else None)
    with pytest.raises(SetupError, match=f"sudo apt install python{PYTHON}-venv"):
        Environment(project).prepare("app")


def test_two_starts_at_once_install_once(project: Path) -> None:
    script = textwrap.dedent(
        f"""
        import sys, time
        from pathlib import Path
        sys.path.insert(0, {str(ROOT / "packaging")!r})
        import environment
        said, say = Path({str(project)!r}) / "said", environment.say
        def note(text):
            with said.open("a") as record:
                record.write(text + "\\n")
            say(text)
        def install(self, kind):
            with (self.root / "installs").open("a") as record:
                record.write("x")
            while not said.exists() or said.read_text().count("waiting for it") < 2:
                time.sleep(0.02)
            self.scripts.mkdir(parents=True)
            self.python.symlink_to(sys.executable)
            self._write_stamp(self._wanted_stamp(kind))
        environment.Environment._install, environment.say = install, note
        environment.Environment(Path({str(project)!r})).prepare("app")
        """
    )
    children = [subprocess.Popen([sys.executable, "-c", script], stderr=subprocess.PIPE, text=True) for _ in range(3)]
    said = [child.communicate(timeout=PATIENCE_S)[1] for child in children]
    assert [child.returncode for child in children] == [0, 0, 0]
    assert (project / "installs").read_text(encoding="utf-8") == "x"
    assert sum("waiting for it" in text for text in said) == 2


def test_a_killed_start_leaves_the_lock_to_the_pip_it_started(project: Path) -> None:
    script = textwrap.dedent(
        f"""
        import os, subprocess, sys
        from pathlib import Path
        sys.path.insert(0, {str(ROOT / "packaging")!r})
        from environment import Environment
        made = Environment(Path({str(project)!r}))
        with made._alone():
            child = subprocess.Popen([sys.executable, "-c", "input()"], stdin=0, stdout=2, pass_fds=made._held)
            print("started", flush=True)
            os._exit(9)
        """
    )
    killed = subprocess.Popen([sys.executable, "-c", script], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert killed.stdin is not None
    assert killed.stdout is not None
    assert killed.stdout.readline() == b"started\n"
    killed.wait(timeout=PATIENCE_S)
    with (project / ".venv.lock").open("a") as handle:
        assert not environment._try_lock(handle)
        killed.stdin.write(b"\n")
        killed.stdin.close()
        until_seen(lambda: environment._try_lock(handle), "the lock is free")
    killed.stdout.close()
