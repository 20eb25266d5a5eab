"""Makes what Linux installs: a tarball that runs where it is unpacked, and a Debian package."""

from __future__ import annotations

import platform
import shutil
import subprocess
import tarfile
from collections.abc import Iterator
from pathlib import Path

HERE = Path(__file__).resolve().parent
# What is a good deal smaller once its debugging symbols are gone. Not those of Qt and numpy: they carry none, or were
# put together anew after linking, which `strip` may break.
_STRIPPED = (
    "libpython3*.so*",
    "xllamacpp/*.so",
    "sqlcipher3/*.so",
    "tantivy/*.so",
    "tokenizers/*.so",
    "cryptography/hazmat/bindings/*.so",
    "regex/*.so",
    "aiohttp/**/*.so",
    "multidict/*.so",
    "propcache/*.so",
    "frozenlist/*.so",
)
_MACHINES = {"x86_64": "amd64", "aarch64": "arm64"}
_NEEDS = ("libc6", "libegl1", "libgl1", "libxcb1", "libxkbcommon0", "libfontconfig1", "libdbus-1-3")
_CONTROL = """\
Package: familiar
Version: {version}
Architecture: {machine}
Maintainer: The Familiar project
Installed-Size: {kilobytes}
Depends: {needs}
Section: net
Priority: optional
Description: home for AI characters that remember
 Hosts AI characters in a window of its own and on Discord. Everything they
 remember is kept in one encrypted file on this computer.
"""


def strip(folder: Path) -> None:
    """Take debugging symbols out of the libraries that carry many, where the tool is there."""
    if shutil.which("strip") is None:
        return
    for pattern in _STRIPPED:
        for path in (folder / "_internal").glob(pattern):
            subprocess.run(["strip", "--strip-unneeded", str(path)], check=True)


def make_tarball(folder: Path, icons: Path, out: Path, version: str) -> Path:
    """Pack the program with its desktop file, icons and an `install.sh` for one person's own account."""
    lay_out(folder, icons)
    path = out / f"familiar-{version}-linux-{platform.machine()}.tar.xz"
    plain = path.with_suffix("")
    with tarfile.open(plain, "w") as archive:
        archive.add(folder, arcname=f"familiar-{version}", filter=_nobodys)
    # Not Python's own: this one takes every core, and a minute instead of ten.
    subprocess.run(["xz", "--threads=0", "-2", "--force", str(plain)], check=True)
    return path


def lay_out(folder: Path, icons: Path) -> None:
    """Put `install.sh`, and what it installs, beside the packed program."""
    shutil.rmtree(folder / "share", ignore_errors=True)
    lay_out_share(folder / "share", icons)
    shutil.copy(HERE / "install.sh", folder / "install.sh")


def make_deb(folder: Path, icons: Path, out: Path, version: str, work: Path) -> Path | None:
    """Make a Debian package, or return None where `dpkg-deb` is missing."""
    if shutil.which("dpkg-deb") is None:
        return None
    tree = work / "deb"
    shutil.rmtree(tree, ignore_errors=True)
    own = shutil.ignore_patterns("install.sh", "share") if folder.joinpath("install.sh").exists() else None
    shutil.copytree(folder, tree / "opt" / "familiar", symlinks=True, ignore=own)
    lay_out_share(tree / "usr" / "share", icons)
    (tree / "usr" / "bin").mkdir(parents=True)
    (tree / "usr" / "bin" / "familiar").symlink_to("/opt/familiar/familiar")
    machine = _MACHINES.get(platform.machine(), platform.machine())
    size = sum(path.stat().st_size for path in _files(tree)) // 1024
    control = _CONTROL.format(version=version, machine=machine, kilobytes=size, needs=", ".join(_NEEDS))
    (tree / "DEBIAN").mkdir()
    (tree / "DEBIAN" / "control").write_text(control, encoding="utf-8")
    path = out / f"familiar_{version}_{machine}.deb"
    command = ["dpkg-deb", "--root-owner-group", "-Zxz", "-z2", "--build", str(tree), str(path)]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    shutil.rmtree(tree)
    return path


def lay_out_share(share: Path, icons: Path) -> None:
    """Put desktop file, kinds of files and icons where the desktops look for them below `share`."""
    for part, name in (("applications", "familiar.desktop"), ("mime/packages", "familiar-mime.xml")):
        (share / part).mkdir(parents=True)
        shutil.copy(HERE / name, share / part / name.replace("-mime", ""))
    for picture in sorted(icons.glob("familiar-*.png")):
        size = picture.stem.removeprefix("familiar-")
        place = share / "icons" / "hicolor" / f"{size}x{size}" / "apps"
        place.mkdir(parents=True)
        shutil.copy(picture, place / "familiar.png")


def _files(folder: Path) -> Iterator[Path]:
    return (path for path in folder.rglob("*") if path.is_file() and not path.is_symlink())


def _nobodys(member: tarfile.TarInfo) -> tarfile.TarInfo:
    """Leave out whose files they were on the machine that packed them."""
    member.uid = member.gid = 0
    member.uname = member.gname = ""
    return member
