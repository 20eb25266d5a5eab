from __future__ import annotations

import dataclasses
import json
import stat
import sys
from pathlib import Path

import pytest

from familiar_app.domain.errors import LockedError, OutsideError
from familiar_app.store.keys import DEFAULT_COST, KdfCost, KeyFile, new_data_key, new_recovery_code
from tests.unit.store.vault_maker import CHEAP

SALT = bytes(range(16))


@pytest.fixture
def key() -> bytes:
    return new_data_key()


def test_either_way_gives_the_key_and_the_file_shows_neither_key_nor_words(tmp_path: Path, key: bytes) -> None:
    code = new_recovery_code()
    KeyFile.new(key, SALT, {"passphrase": "blue heron", "recovery_code": code}, CHEAP).write(tmp_path / "vault.keys")
    text = (tmp_path / "vault.keys").read_text()
    read = KeyFile.read(tmp_path / "vault.keys")
    assert read.unwrap("passphrase", "blue heron") == key
    assert read.unwrap("recovery_code", code.replace("-", "").lower()) == key
    for secret in (key.hex(), "heron", code, code.replace("-", "")):
        assert secret not in text


def test_the_stored_costs_are_those_asked_for_and_salts_differ(key: bytes) -> None:
    file = KeyFile.new(key, SALT, {"passphrase": "a", "recovery_code": new_recovery_code()}, CHEAP)
    wraps = [file.wraps["passphrase"], file.wraps["recovery_code"]]
    assert [(w["kdf"], w["time_cost"], w["memory_kib"], w["parallelism"]) for w in wraps] == [
        ("argon2id", 1, 8192, 1)
    ] * 2
    assert len({w["salt"] for w in wraps} | {w["nonce"] for w in wraps}) == 4
    assert DEFAULT_COST.memory_kib >= 64 * 1024


def test_lowering_the_stored_cost_is_noticed(key: bytes) -> None:
    file = KeyFile.new(key, SALT, {"passphrase": "a"}, dataclasses.replace(CHEAP, time_cost=2))
    cheaper = dataclasses.replace(file, wraps={"passphrase": {**file.wraps["passphrase"], "time_cost": 1}})
    with pytest.raises(LockedError):
        cheaper.unwrap("passphrase", "a")


def test_a_wrap_of_another_vault_does_not_fit(key: bytes) -> None:
    file = KeyFile.new(key, SALT, {"passphrase": "a"}, CHEAP)
    with pytest.raises(LockedError):
        dataclasses.replace(file, vault="another").unwrap("passphrase", "a")


@pytest.mark.parametrize(
    "cost",
    [
        KdfCost(0, 8192, 1),
        KdfCost(1, 1024, 1),
        KdfCost(1, 1 << 30, 1),
        KdfCost(1 << 20, 8192, 1),
        KdfCost(64, 2 << 20, 1),
        KdfCost(1, 8192, 0),
        KdfCost(1, 8192, 1000),
    ],
)
def test_absurd_costs_are_refused_before_any_work(cost: KdfCost) -> None:
    with pytest.raises(OutsideError, match="out of range"):
        cost.refuse_absurd()


def test_a_vault_without_a_recovery_code_says_so(key: bytes) -> None:
    with pytest.raises(LockedError, match="no recovery code"):
        KeyFile.new(key, SALT, {"passphrase": "a"}, CHEAP).unwrap("recovery_code", new_recovery_code())


def test_every_flipped_bit_of_the_file_is_noticed(tmp_path: Path, key: bytes) -> None:
    path = tmp_path / "vault.keys"
    KeyFile.new(key, SALT, {"passphrase": "a"}, CHEAP).write(path)
    raw = path.read_bytes()
    original = json.loads(raw)
    for position in range(0, len(raw), 7):
        path.write_bytes(raw[:position] + bytes([raw[position] ^ 4]) + raw[position + 1 :])
        try:
            same = json.loads(path.read_bytes()) == original  # a changed blank changes nothing
        except ValueError:
            same = False
        if not same:
            with pytest.raises(OutsideError):
                KeyFile.read(path)


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has other permissions")
def test_the_file_is_for_its_owner_and_replaced_as_a_whole(tmp_path: Path, key: bytes) -> None:
    path = tmp_path / "vault.keys"
    file = KeyFile.new(key, SALT, {"passphrase": "a"}, CHEAP)
    file.write(path)
    inode = path.stat().st_ino
    file.with_wrap("passphrase", "b", key, CHEAP).write(path)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert path.stat().st_ino != inode
    assert [entry.name for entry in tmp_path.iterdir()] == ["vault.keys"]
