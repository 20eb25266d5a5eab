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


async def test_times_of_backups_are_written_like_all_others(program: Program, tmp_path: Path) -> None:
    made = (await program("backup", str(tmp_path / "one.backup"), "--json")).json
    assert made["made_at"] == "2026-01-01T12:00:00Z"
    await program("backup")
    assert [one["made_at"] for one in (await program("backup", "--list", "--json")).json] == ["2026-01-01T12:00:00Z"]


async def test_status_tells_of_backups(program: Program) -> None:
    settings = program.profile.values["backup"]
    program.profile.values["backup"] = settings.model_copy(update={"every_hours": 24})
    none = (await program("status", "--json")).json["backups"]
    assert (none["count"], none["newest"], none["due"], none["error"]) == (0, None, True, None)
    assert "Backups: none yet; made every 24 hours while" in (await program("status")).out
    made = (await program("backup", "--json")).json
    one = (await program("status", "--json")).json["backups"]
    assert (one["count"], one["newest"]["file"], one["due"]) == (1, made["file"], False)
    assert "Backups: 1, the newest of 2026-01-01T12:00:00Z; made every 24 hours" in (await program("status")).out


async def test_status_tells_where_no_backup_is_scheduled(program: Program) -> None:
    assert (await program("status", "--json")).json["backups"]["due"] is False
    assert "Backups: none yet; made only when asked for" in (await program("status")).out
