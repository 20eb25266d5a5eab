"""What the installers are made of, as far as it can be looked at without packing the program."""

from __future__ import annotations

import re
import struct
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
INSTALLER = ROOT / "packaging" / "installer"
sys.path.insert(0, str(INSTALLER))

import build  # noqa: E402
import icons  # noqa: E402
import linux  # noqa: E402

PNG = b"\x89PNG\r\n\x1a\n"


def test_icons_of_every_system_hold_the_drawing_in_every_size(tmp_path: Path) -> None:
    # In a process of its own: it makes an application of Qt, and a test process has one already.
    code = (
        f"from pathlib import Path; from icons import *; draw_icons(Path({str(drawing())!r}), Path({str(tmp_path)!r}))"
    )
    subprocess.run([sys.executable, "-c", code], check=True, cwd=INSTALLER, timeout=120)
    for size in icons.SIZES:
        data = (tmp_path / f"familiar-{size}.png").read_bytes()
        assert data.startswith(PNG)
        assert struct.unpack(">II", data[16:24]) == (size, size)
    whole = (tmp_path / "familiar.ico").read_bytes()
    _, kind, count = struct.unpack("<HHH", whole[:6])
    assert (kind, count) == (1, 7)
    for number in range(count):
        length, at = struct.unpack("<II", whole[6 + 16 * number + 8 : 6 + 16 * number + 16])
        assert whole[at : at + 8] == PNG
        assert at + length <= len(whole)
    apple = (tmp_path / "familiar.icns").read_bytes()
    assert (apple[:4], struct.unpack(">I", apple[4:8])[0]) == (b"icns", len(apple))


def drawing() -> Path:
    return ROOT / "resources" / "app" / "familiar.svg"


def test_version_is_the_one_of_the_program() -> None:
    from familiar_app import __version__

    assert build.version_of(ROOT / "familiar_app" / "__init__.py") == __version__


def test_share_has_what_a_desktop_looks_for(tmp_path: Path) -> None:
    pictures = tmp_path / "icons"
    pictures.mkdir()
    for size in (16, 256):
        (pictures / f"familiar-{size}.png").write_bytes(PNG)
    linux.lay_out_share(tmp_path / "share", pictures)
    found = {path.relative_to(tmp_path / "share").as_posix() for path in (tmp_path / "share").rglob("*.*")}
    assert found == {
        "applications/familiar.desktop",
        "mime/packages/familiar.xml",
        "icons/hicolor/16x16/apps/familiar.png",
        "icons/hicolor/256x256/apps/familiar.png",
    }
    entry = (tmp_path / "share/applications/familiar.desktop").read_text(encoding="utf-8")
    kinds = (tmp_path / "share/mime/packages/familiar.xml").read_text(encoding="utf-8")
    (declared,) = re.findall(r"MimeType=(.*);", entry)
    assert f'type="{declared}"' in kinds


@pytest.mark.skipif(sys.platform == "win32", reason="a shell script")
def test_install_script_puts_the_program_into_the_menu_and_out_again(tmp_path: Path) -> None:
    folder, home = tmp_path / "a folder", tmp_path / "home"
    pictures = tmp_path / "icons"
    for made in (folder, home, pictures):
        made.mkdir()
    (pictures / "familiar-48.png").write_bytes(PNG)
    (folder / "familiar").write_text("#!/bin/sh\n", encoding="utf-8")
    linux.lay_out_share(folder / "share", pictures)
    (folder / "install.sh").write_bytes((INSTALLER / "install.sh").read_bytes())
    environment = {"HOME": str(home), "PATH": "/usr/bin:/bin"}
    subprocess.run(["sh", str(folder / "install.sh")], check=True, env=environment, capture_output=True)
    entry = (home / ".local/share/applications/familiar.desktop").read_text(encoding="utf-8")
    assert f'Exec="{folder}/familiar" --open %f' in entry
    assert (home / ".local/share/icons/hicolor/48x48/apps/familiar.png").read_bytes() == PNG
    assert (home / ".local/bin/familiar").resolve() == folder / "familiar"
    subprocess.run(["sh", str(folder / "install.sh"), "--remove"], check=True, env=environment, capture_output=True)
    assert not [path for path in home.rglob("familiar*") if "share/mime/application" not in path.as_posix()]


def test_packed_program_takes_every_package_that_the_program_names() -> None:
    """Qt's modules that are left out must not be among those that the program imports."""
    spec = (INSTALLER / "familiar.spec").read_text(encoding="utf-8")
    left_out = set(re.findall(r'"(PySide6\.\w+)"', spec))
    imported = {
        name
        for path in (ROOT / "familiar_app").rglob("*.py")
        for name in re.findall(r"from (PySide6\.\w+) import", path.read_text(encoding="utf-8"))
    }
    assert left_out
    assert not left_out & imported
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    assert any(line.startswith("pyinstaller") for line in project["dependency-groups"]["dev"])
