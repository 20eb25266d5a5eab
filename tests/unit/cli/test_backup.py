"""`backup` and `vacuum` in this process: what they print and refuse. The way back is tested as a process."""

from __future__ import annotations

from pathlib import Path

from tests.unit.cli.conftest import Program


async def test_a_backup_tells_what_it_holds(program: Program, tmp_path: Path) -> None:
    target = tmp_path / "kept.backup"
    made = await program("backup", str(target), "--json")
    assert made.code == 0
    assert made.json["file"] == str(target)
    assert made.json["size_bytes"] == target.stat().st_size
    assert (made.json["cause"], made.json["counts"]["turns"]) == ("asked", 0)
    again = await program("backup", str(target), "--json")
    assert (again.code, again.json["error"]["kind"]) == (4, "user")


async def test_backups_are_listed_newest_first(program: Program) -> None:
    assert (await program("backup", "--list")).out == "There are no backups yet.\n"
    await program("backup")
    [listed] = (await program("backup", "--list", "--json")).json
    assert Path(listed["file"]).parent == program.profile.root / "backups"
    assert listed["cause"] == "asked"


async def test_a_vacuum_tells_both_sizes(program: Program) -> None:
    ran = await program("vacuum", "--json")
    assert ran.code == 0
    assert ran.json["after_bytes"] <= ran.json["before_bytes"]
