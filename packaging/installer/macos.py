"""Makes the disk image for macOS. Signing wants an identity of one's own, named in `FAMILIAR_SIGN_AS`."""

from __future__ import annotations

import os
import platform
import shutil
import subprocess
from pathlib import Path

HERE = Path(__file__).resolve().parent


def sign(app: Path) -> None:
    """Sign the program: with the identity that is named, else only so that this computer runs it."""
    identity = os.environ.get("FAMILIAR_SIGN_AS", "-")
    hardened = ["--options", "runtime", "--timestamp"] if identity != "-" else []
    entitlements = ["--entitlements", str(HERE / "entitlements.plist")]
    command = ["codesign", "--force", "--deep", *hardened, *entitlements, "--sign", identity, str(app)]
    subprocess.run(command, check=True)


def make_dmg(app: Path, out: Path, version: str, work: Path) -> Path:
    """Put the program beside a link to the folder of programs, where people drag it."""
    tree = work / "dmg"
    shutil.rmtree(tree, ignore_errors=True)
    tree.mkdir(parents=True)
    shutil.copytree(app, tree / app.name, symlinks=True)
    (tree / "Applications").symlink_to("/Applications")
    path = out / f"Familiar-{version}-{platform.machine()}.dmg"
    command = [
        "hdiutil",
        "create",
        "-volname",
        "Familiar",
        "-srcfolder",
        str(tree),
        "-ov",
        "-format",
        "ULFO",
        str(path),
    ]
    subprocess.run(command, check=True)
    shutil.rmtree(tree)
    return path
