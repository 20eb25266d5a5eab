"""Starting with the system: the entry is written as each system reads it, and says by itself whether it is on."""

from __future__ import annotations

import plistlib
import re
import shlex
import sys
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from familiar_app.bootstrap.autostart import Entry, autostart_for, entry_for
from familiar_app.bootstrap.autostart_linux import LinuxAutostart, exec_line
from familiar_app.bootstrap.autostart_macos import MacAutostart
from familiar_app.bootstrap.autostart_windows import APPROVED, RUN, WindowsAutostart
from familiar_app.bootstrap.launch import launch_command
from familiar_app.domain.errors import OutsideError

ODD = ("/opt/my programs/familiar", "--profile-dir", '/home/Ann "A" $HOME/100 %f\\back`tick`', "--hidden")
ENTRY = Entry("familiar", "Familiar", ODD)


def read_exec(line: str) -> list[str]:
    """Take the value of `Exec` apart as a desktop does: first the value's own escapes, then the quotes."""
    value = line.removeprefix("Exec=").replace("\\\\", "\0").replace("\0", "\\")
    found = re.findall(r'"((?:[^"\\]|\\.)*)"', value)
    return [re.sub(r"\\(.)", r"\1", one).replace("%%", "%") for one in found]


class TestLinux:
    def make(self, tmp_path: Path) -> LinuxAutostart:
        return LinuxAutostart(ENTRY, {"XDG_CONFIG_HOME": str(tmp_path / "config")})

    def test_on_and_off_leaves_nothing(self, tmp_path: Path) -> None:
        autostart = self.make(tmp_path)
        assert not autostart.is_on()
        autostart.switch(False)
        autostart.switch(True)
        assert autostart.is_on()
        assert autostart.file == tmp_path / "config" / "autostart" / "familiar.desktop"
        autostart.switch(False)
        assert not autostart.is_on()
        assert list(autostart.file.parent.iterdir()) == []

    def test_the_command_comes_back_as_it_was(self, tmp_path: Path) -> None:
        autostart = self.make(tmp_path)
        autostart.switch(True)
        lines = autostart.file.read_text(encoding="utf-8").splitlines()
        assert lines[0] == "[Desktop Entry]"
        assert read_exec(next(one for one in lines if one.startswith("Exec="))) == list(ODD)

    @pytest.mark.parametrize("line", ["Hidden=true", "X-GNOME-Autostart-enabled = false"])
    def test_what_the_desktop_switched_off_is_off(self, tmp_path: Path, line: str) -> None:
        autostart = self.make(tmp_path)
        autostart.switch(True)
        with autostart.file.open("a", encoding="utf-8") as stream:
            stream.write(line + "\n")
        assert not autostart.is_on()
        autostart.switch(True)
        assert autostart.is_on()

    def test_a_relative_folder_of_settings_is_not_used(self, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
        monkeypatch.setattr(Path, "home", lambda: tmp_path)
        autostart = LinuxAutostart(ENTRY, {"XDG_CONFIG_HOME": "config"})
        assert autostart.file == tmp_path / ".config" / "autostart" / "familiar.desktop"

    def test_a_line_break_gets_into_no_entry(self) -> None:
        with pytest.raises(OutsideError, match="line break"):
            exec_line(("familiar", "a\nHidden=true"))

    def test_a_folder_that_cannot_be_written_is_told(self, tmp_path: Path) -> None:
        (tmp_path / "config").touch()
        with pytest.raises(OutsideError):
            self.make(tmp_path).switch(True)

    @given(parts=st.lists(st.text(st.characters(blacklist_categories=["Cs", "Cc"])), min_size=1, max_size=4))
    def test_any_command_comes_back(self, parts: list[str]) -> None:
        assert read_exec(f"Exec={exec_line(tuple(parts))}") == parts


class Registry:
    """What of `winreg` is used, over a dictionary of keys and their values."""

    HKEY_CURRENT_USER, KEY_READ, KEY_SET_VALUE, REG_SZ = "HKCU", 1, 2, "REG_SZ"

    def __init__(self) -> None:
        self.keys: dict[str, dict[str, Any]] = {}

    def OpenKey(self, root: str, path: str, _zero: int, _access: int) -> Any:
        assert root == self.HKEY_CURRENT_USER
        if path not in self.keys:
            raise FileNotFoundError(2, "no such key")
        return nullcontext(self.keys[path])

    def CreateKeyEx(self, root: str, path: str, _zero: int, _access: int) -> Any:
        self.keys.setdefault(path, {})
        return self.OpenKey(root, path, 0, 0)

    def QueryValueEx(self, key: dict[str, Any], name: str) -> tuple[Any, str]:
        if name not in key:
            raise FileNotFoundError(2, "no such value")
        return key[name], self.REG_SZ

    def SetValueEx(self, key: dict[str, Any], name: str, _zero: int, kind: str, value: str) -> None:
        assert kind == self.REG_SZ
        key[name] = value

    def DeleteValue(self, key: dict[str, Any], name: str) -> None:
        if name not in key:
            raise FileNotFoundError(2, "no such value")
        del key[name]


class TestWindows:
    def test_on_and_off_leaves_nothing(self) -> None:
        registry = Registry()
        command = (r"C:\Program Files\Familiar\Familiar.exe", "--profile-dir", "D:\\my data\\", "--hidden")
        autostart = WindowsAutostart(Entry("familiar", "Familiar", command), registry)
        assert not autostart.is_on()
        autostart.switch(False)
        autostart.switch(True)
        assert autostart.is_on()
        written = r'"C:\Program Files\Familiar\Familiar.exe" --profile-dir "D:\my data\\" --hidden'
        assert registry.keys[RUN] == {"Familiar": written}
        autostart.switch(False)
        assert not autostart.is_on()
        assert registry.keys[RUN] == {}

    def test_what_the_system_switched_off_is_off_until_it_is_switched_on_here(self) -> None:
        registry = Registry()
        autostart = WindowsAutostart(ENTRY, registry)
        autostart.switch(True)
        registry.keys[APPROVED] = {"Familiar": bytes([3, 0, 0, 0])}
        assert not autostart.is_on()
        registry.keys[APPROVED] = {"Familiar": bytes([2, 0, 0, 0])}
        assert autostart.is_on()
        registry.keys[APPROVED] = {"Familiar": bytes([3, 0, 0, 0])}
        autostart.switch(True)
        assert autostart.is_on()

    def test_a_refusal_has_a_next_step(self) -> None:
        registry = Registry()

        def refuse(*_: Any) -> Any:
            raise PermissionError(13, "Access is denied")

        registry.CreateKeyEx = refuse  # type: ignore[method-assign]
        with pytest.raises(OutsideError, match="Access is denied") as caught:
            WindowsAutostart(ENTRY, registry).switch(True)
        assert "Startup" in caught.value.next_step


class TestMacOS:
    def test_on_and_off_leaves_nothing(self, tmp_path: Path) -> None:
        autostart = MacAutostart(ENTRY, tmp_path)
        assert not autostart.is_on()
        autostart.switch(True)
        assert autostart.is_on()
        assert autostart.file == tmp_path / "Library" / "LaunchAgents" / "app.familiar.start.plist"
        agent = plistlib.loads(autostart.file.read_bytes())
        assert agent["ProgramArguments"] == list(ODD)
        assert (agent["Label"], agent["RunAtLoad"]) == ("app.familiar.start", True)
        assert "KeepAlive" not in agent, "what somebody quits stays quit"
        autostart.switch(False)
        assert not autostart.is_on()

    def test_a_file_that_is_no_agent_is_off(self, tmp_path: Path) -> None:
        autostart = MacAutostart(ENTRY, tmp_path)
        autostart.switch(True)
        autostart.file.write_bytes(b"not a plist")
        assert not autostart.is_on()


class TestEntries:
    def test_profiles_do_not_take_each_others_entry(self) -> None:
        usual = entry_for(Path("/a/familiar"), usual=True, command=("f",))
        work = entry_for(Path("/a/work"), usual=False, command=("f",))
        other = entry_for(Path("/b/work"), usual=False, command=("f",))
        assert usual.name == "familiar"
        assert len({usual.name, work.name, other.name}) == 3
        assert work.title == "Familiar (work)"

    @pytest.mark.skipif(not sys.platform.startswith("linux"), reason="each system has a way of its own")
    def test_this_system_has_its_way(self) -> None:
        assert isinstance(autostart_for(ENTRY), LinuxAutostart)

    def test_the_command_starts_this_very_program(self, monkeypatch: pytest.MonkeyPatch) -> None:
        assert launch_command(None, "--hidden")[-3:] == ("-m", "familiar_app", "--hidden")
        monkeypatch.setattr(sys, "frozen", True, raising=False)
        monkeypatch.setattr(sys, "executable", "/opt/familiar/familiar")
        assert shlex.join(launch_command(Path("/w"), "--hidden")) == "/opt/familiar/familiar --profile-dir /w --hidden"
