"""Makes the Windows installer with Inno Setup, and a zip that runs from any folder."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

HERE = Path(__file__).resolve().parent


def make_zip(folder: Path, out: Path, version: str) -> Path:
    """Pack the program as it is."""
    base = out / f"Familiar-{version}-windows"
    return Path(shutil.make_archive(str(base), "zip", root_dir=folder.parent, base_dir=folder.name))


def make_setup(folder: Path, icons: Path, out: Path, version: str) -> Path | None:
    """Make the installer, or return None where Inno Setup's compiler is not on the search path."""
    compiler = shutil.which("iscc")
    if compiler is None:
        return None
    values = {"Version": version, "Source": str(folder), "Icons": str(icons), "Out": str(out)}
    defined = [f"/D{name}={value}" for name, value in values.items()]
    subprocess.run([compiler, "/Q", *defined, str(HERE / "familiar.iss")], check=True)
    return out / f"Familiar-{version}-setup.exe"
