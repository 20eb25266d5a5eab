"""Pack the program for people without Python, on the system this runs on, into `dist/`.

    python3 packaging/start.py build [--without-models] [--folder-only]

Prints the size of everything it made. docs/building.md tells what each system needs for it.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
sys.path.insert(0, str(HERE))

import linux  # noqa: E402
import macos  # noqa: E402
import windows  # noqa: E402
from icons import draw_icons  # noqa: E402

MB = 1_000_000


def main(arguments: Sequence[str]) -> int:
    """Build what the arguments ask for."""
    parser = argparse.ArgumentParser(prog="build", description="Pack the program for people without Python.")
    parser.add_argument("--without-models", action="store_true", help="leave out the two models that come along")
    parser.add_argument("--folder-only", action="store_true", help="make the folder, and no installer of it")
    parser.add_argument("--out", type=Path, default=ROOT / "dist", help="where to (default: dist)")
    options = parser.parse_args(arguments)
    work = ROOT / "build"
    folder = pack(options.out, work, with_models=not options.without_models)
    print(f"{folder}: {size_of(folder) / MB:.0f} MB")
    if not options.folder_only:
        for path in make_installers(folder, options.out, work):
            print(f"{path}: {path.stat().st_size / MB:.1f} MB")
    return 0


def pack(out: Path, work: Path, *, with_models: bool = True) -> Path:
    """Pack the program into a folder of its own and return that. Raises CalledProcessError with PyInstaller's words."""
    draw_icons(ROOT / "resources" / "app" / "familiar.svg", work / "icons")
    out.mkdir(parents=True, exist_ok=True)
    command = [sys.executable, "-m", "PyInstaller", "--noconfirm", "--log-level", "WARN"]
    places = ["--distpath", str(out), "--workpath", str(work / "pyinstaller")]
    environment = {**os.environ, "FAMILIAR_WITH_MODELS": "1" if with_models else "0"}
    subprocess.run([*command, *places, str(HERE / "familiar.spec")], check=True, env=environment)
    if sys.platform == "darwin":
        macos.sign(out / "Familiar.app")
        return out / "Familiar.app"
    folder = out / "Familiar"
    if sys.platform == "linux":
        linux.strip(folder)
    return folder


def make_installers(folder: Path, out: Path, work: Path) -> list[Path]:
    """Make every installer that this system can make of the packed folder; say which one it can't, and why."""
    version = version_of(ROOT / "familiar_app" / "__init__.py")
    if sys.platform == "darwin":
        return [macos.make_dmg(folder, out, version, work)]
    icons = work / "icons"
    if sys.platform == "win32":
        made = [windows.make_zip(folder, out, version), windows.make_setup(folder, icons, out, version)]
        missing = "Inno Setup's iscc"
    else:
        made = [linux.make_tarball(folder, icons, out, version), linux.make_deb(folder, icons, out, version, work)]
        missing = "dpkg-deb"
    if None in made:
        print(f"One installer was left out: {missing} is not on the search path.", file=sys.stderr)
    return [path for path in made if path is not None]


def version_of(module: Path) -> str:
    """Read `__version__` without importing the program."""
    line = next(line for line in module.read_text(encoding="utf-8").splitlines() if line.startswith("__version__"))
    return line.split("=")[1].strip().strip('"')


def size_of(folder: Path) -> int:
    """Give the bytes of all files below a folder."""
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file() and not path.is_symlink())


if __name__ == "__main__":
    missing = [tool for tool in ("objdump", "xz") if shutil.which(tool) is None]
    if missing and sys.platform == "linux":
        sys.exit(f"Missing: {', '.join(missing)}. Install the packages binutils and xz-utils first.")
    sys.exit(main(sys.argv[1:]))
