"""Each kind of fault of driver and file system becomes its own error, and none of them tells a text or a key."""

from __future__ import annotations

import errno
import os
from pathlib import Path

import pytest
from sqlcipher3 import dbapi2

from familiar_app.domain.errors import BadInputError, BugError, FamiliarError, OutsideError, UserError
from familiar_app.store.fault import DamagedVaultError, VaultInUseError, translate

PATH = Path("/home/ann/profile/vault.db")


def driver_error(code: int) -> dbapi2.Error:
    error = dbapi2.DatabaseError("secret text")
    error.sqlite_errorcode = code
    return error


@pytest.mark.parametrize(
    ("code", "kind", "words"),
    [
        (26, DamagedVaultError, "is damaged"),
        (11, DamagedVaultError, "is damaged"),
        (13, OutsideError, "no room left"),
        (8, OutsideError, "cannot be written to"),
        (3, OutsideError, "cannot be written to"),
        (14, OutsideError, "cannot be opened"),
        (5, VaultInUseError, "in use by another"),
        (6 | 1 << 8, VaultInUseError, "in use by another"),
        (10 | 4 << 8, OutsideError, "disk failed"),
        (7, OutsideError, "not enough free memory"),
        (18, BadInputError, "too large"),
        (19, BugError, "rule of the vault"),
        (1, BugError, "refused a statement"),
    ],
)
def test_driver_codes(code: int, kind: type[FamiliarError], words: str) -> None:
    found = translate(driver_error(code), PATH)
    assert type(found) is kind
    assert words in found.message
    assert "secret text" not in str(found)
    assert found.next_step or kind is BugError or kind is BadInputError


@pytest.mark.parametrize(
    ("said", "kind", "words"),
    [
        ("database or disk is full", OutsideError, "no room left"),
        ("database disk image is malformed", DamagedVaultError, "is damaged"),
        ("disk I/O error", OutsideError, "disk failed"),
        ("no such table: x", BugError, "refused a statement"),
    ],
)
def test_a_fault_inside_an_exporting_function_is_known_by_its_words(
    said: str, kind: type[FamiliarError], words: str
) -> None:
    error = dbapi2.OperationalError(said)
    error.sqlite_errorcode = 1
    found = translate(error, PATH)
    assert type(found) is kind
    assert words in found.message


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="nothing is unreadable to root")
def test_a_file_that_may_not_be_read_is_named(tmp_path: Path) -> None:
    file = tmp_path / "vault.keys"
    file.touch(mode=0)
    with pytest.raises(PermissionError) as caught:
        file.read_bytes()
    assert "vault.keys in" in translate(caught.value, PATH).message


@pytest.mark.parametrize(
    ("error", "kind", "words"),
    [
        (OSError(errno.ENOSPC, "x"), OutsideError, "no room left"),
        (OSError(errno.EROFS, "x"), OutsideError, "cannot be written to"),
        (PermissionError(errno.EACCES, "x"), OutsideError, "cannot be written to"),
        (FileNotFoundError(errno.ENOENT, "x"), UserError, "does not exist"),
        (OSError(errno.EIO, "Input/output error"), OutsideError, "Input/output error"),
        (MemoryError(), OutsideError, "memory"),
        (UnicodeError("secret text"), BadInputError, "Unicode"),
        (OverflowError("secret text"), BadInputError, "too large"),
        (ZeroDivisionError("secret text"), BugError, "ZeroDivisionError"),
    ],
)
def test_other_errors(error: Exception, kind: type[FamiliarError], words: str) -> None:
    found = translate(error, PATH)
    assert type(found) is kind
    assert words in found.message
    assert "secret text" not in str(found)


def test_errors_of_the_program_pass_through() -> None:
    known = UserError("known")
    assert translate(known, PATH) is known
