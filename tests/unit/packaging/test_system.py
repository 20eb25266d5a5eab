"""What the system lacks, and the sentence that says so."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import system
from system import Missing

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="only Linux lacks anything")

LDD = """/p/libqxcb.so:
\tlibxcb-cursor.so.0 => not found
\tlibEGL.so.1 => not found
\tlibm.so.6 => /lib/libm.so.6 (0x1)
\tlinux-vdso.so.1 (0x2)
\tlibnew.so.9 => not found
"""


def only(monkeypatch: pytest.MonkeyPatch, *programs: str) -> None:
    """Let the system have these programs and no others."""
    monkeypatch.setattr(system.shutil, "which", lambda name: f"/bin/{name}" if name in programs else None)


@pytest.mark.parametrize(
    ("installer", "command"),
    [
        ("apt-get", "sudo apt-get install -y libegl1 libxcb-cursor0"),
        ("dnf", "sudo dnf install -y libglvnd-egl xcb-util-cursor"),
        ("pacman", "sudo pacman -S --needed libglvnd xcb-util-cursor"),
    ],
)
def test_missing_libraries_are_named_with_the_command(
    installer: str, command: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    only(monkeypatch, installer)
    monkeypatch.setattr(system.os, "geteuid", lambda: 1000)
    sentence = Missing(("libEGL.so.1", "libxcb-cursor.so.0")).sentence()
    assert sentence == f"The system lacks libEGL.so.1, libxcb-cursor.so.0: {command}"


def test_root_needs_no_sudo(monkeypatch: pytest.MonkeyPatch) -> None:
    only(monkeypatch, "apt-get")
    monkeypatch.setattr(system.os, "geteuid", lambda: 0)
    assert Missing(("strace",)).sentence() == "The system lacks strace: apt-get install -y strace"


def test_without_a_known_installer_the_libraries_are_still_named(monkeypatch: pytest.MonkeyPatch) -> None:
    only(monkeypatch)
    assert "libEGL.so.1" in Missing(("libEGL.so.1",)).sentence()


def test_what_the_loader_does_not_find_is_missing(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    plugin = tmp_path / "PySide6/Qt/plugins/platforms/libqxcb.so"
    plugin.parent.mkdir(parents=True)
    plugin.touch()
    asked: list[list[str]] = []

    def ldd(command: list[str], **_: object) -> subprocess.CompletedProcess[str]:
        asked.append(command)
        return subprocess.CompletedProcess(command, 0, LDD, "")

    only(monkeypatch, "ldd")
    monkeypatch.setattr(system.subprocess, "run", ldd)
    monkeypatch.delenv("QT_QPA_PLATFORM")
    monkeypatch.delenv("WAYLAND_DISPLAY", raising=False)
    missing = system.missing_for_window(tmp_path)
    assert asked == [["ldd", str(plugin)]]
    assert missing.names == ("libEGL.so.1", "libnew.so.9", "libxcb-cursor.so.0")
    assert missing.packages == ["libegl1", "libxcb-cursor0"]


def test_the_checks_also_need_a_screen_and_tools(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    only(monkeypatch, "apt-get", "strace")
    monkeypatch.setattr(system, "_has_font", lambda: False)
    missing = system.missing_for_checks(tmp_path)
    assert missing.names == ("Xvfb", "xdotool", "a font")
    assert missing.packages == ["fonts-dejavu-core", "xdotool", "xvfb"]


def test_this_machine_lacks_nothing_for_the_checks() -> None:
    site_packages = next(Path(folder) for folder in sys.path if folder.endswith("site-packages"))
    assert not system.missing_for_checks(site_packages)


@pytest.mark.parametrize(("ci", "user", "allowed"), [("true", 0, True), ("", 0, False), ("true", 1000, False)])
def test_packages_are_installed_unasked_on_a_build_machine_only(
    ci: str, user: int, allowed: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    only(monkeypatch, "apt-get")
    monkeypatch.setenv("CI", ci)
    monkeypatch.setattr(system.os, "geteuid", lambda: user)
    assert system.may_install() is allowed
