"""The key file `vault.keys`: the random data key of a vault, wrapped by the passphrase and by the recovery code.

A JSON object: `format`, `version`, `vault` (a random name for this vault), `salt` (the first 16 bytes of the database
it belongs to), `check` (tells a right data key from a wrong one), and one `wraps` entry for each way in. A wrap holds
the Argon2id parameters and salt, and the data key under AES-256-GCM, with the parameters authenticated too.
`checksum` tells a damaged file from a wrong passphrase. Nothing in the file is secret without one of the two.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import json
import os
import secrets
import uuid
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, Literal

from argon2.exceptions import HashingError
from argon2.low_level import ARGON2_VERSION, Type, hash_secret_raw
from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from familiar_app.domain.errors import BadInputError, LockedError, OutsideError
from familiar_app.domain.text import reworded, tr
from familiar_app.store.fault import translated
from familiar_app.store.passphrase import Strength, normalise_passphrase, passphrase_strength
from familiar_app.store.recovery_code import new_recovery_code, normalise_recovery_code
from familiar_app.store.written_file import write_atomically

__all__ = [
    "DEFAULT_COST",
    "KdfCost",
    "KeyFile",
    "Strength",
    "new_recovery_code",
    "normalise_recovery_code",
    "passphrase_strength",
]

FORMAT, VERSION = "familiar-vault-keys", 1
KEY_SIZE_BYTES, _SALT_SIZE_BYTES, _NONCE_SIZE_BYTES = 32, 16, 12
_MAX_FILE_SIZE_BYTES = 64 * 1024
_CHECK_TEXT = b"familiar vault data key"
Way = Literal["passphrase", "recovery_code"]


@dataclass(frozen=True, slots=True)
class KdfCost:
    """What one guess costs an attacker, and one unlocking us."""

    time_cost: int
    memory_kib: int
    parallelism: int

    def refuse_absurd(self) -> None:
        """Raise OutsideError for stored costs that would hang or exhaust the computer, or protect nothing."""
        if not (
            1 <= self.time_cost <= 64
            and 1 <= self.parallelism <= 64
            and 8 * 1024 <= self.memory_kib <= 2 * 1024 * 1024
            and self.time_cost * self.memory_kib <= 8 * 1024 * 1024
        ):
            raise _damaged_key_file(tr("its key derivation costs are out of range"))


# The second recommended choice of RFC 9106: about a quarter of a second on an ordinary computer.
DEFAULT_COST = KdfCost(time_cost=3, memory_kib=64 * 1024, parallelism=4)


@dataclass(frozen=True, slots=True)
class KeyFile:
    """The contents of a key file. Immutable: changes give a new one, to be written with `write`."""

    vault: str
    salt: str
    check: str
    wraps: Mapping[str, Mapping[str, Any]]

    @classmethod
    def new(
        cls,
        data_key: bytes,
        salt: bytes,
        ways: Mapping[Way, str],
        cost: KdfCost = DEFAULT_COST,
        *,
        vault: str | None = None,
    ) -> KeyFile:
        """Wrap `data_key` once for each of `ways`. Takes about as many quarter seconds; call it off the loop."""
        file = cls(vault if vault is not None else uuid.uuid4().hex, salt.hex(), _check(data_key), {})
        for way, secret in ways.items():
            file = file.with_wrap(way, secret, data_key, cost)
        return file

    def with_wrap(self, way: Way, secret: str, data_key: bytes, cost: KdfCost = DEFAULT_COST) -> KeyFile:
        """Return a copy in which `way` opens the vault with `secret`. Raises BadInputError where that is blank."""
        cost.refuse_absurd()
        if not secret.strip():
            raise BadInputError(tr("the passphrase is empty."), next_step=tr("Type at least a few words."))
        head = {"kdf": "argon2id", "argon2_version": ARGON2_VERSION, **asdict(cost)}
        wrap = {**head, "salt": _text(os.urandom(_SALT_SIZE_BYTES)), "nonce": _text(os.urandom(_NONCE_SIZE_BYTES))}
        cipher = AESGCM(_derive(way, secret, wrap))
        wrap["wrapped"] = _text(cipher.encrypt(_bytes(wrap["nonce"]), data_key, _authenticated(self.vault, way, wrap)))
        return replace(self, wraps={**self.wraps, way: wrap})

    def unwrap(self, way: Way, secret: str) -> bytes:
        """Return the data key. Raises LockedError where `secret` is not the right one."""
        wrap = self.wraps.get(way)
        if wrap is None:
            raise LockedError(tr("This vault has no recovery code."), tr("Open it with the passphrase."))
        try:
            key = AESGCM(_derive(way, secret, wrap)).decrypt(
                _bytes(wrap["nonce"]), _bytes(wrap["wrapped"]), _authenticated(self.vault, way, wrap)
            )
        except InvalidTag as error:
            raise _wrong(way) from error
        except BadInputError as error:
            raise LockedError(reworded(error.reason, _capital), error.next_step) from error
        if not self.accepts(key):
            raise _damaged_key_file(tr("its data key fails its check"))
        return key

    def accepts(self, data_key: bytes) -> bool:
        """Tell whether `data_key` is the key of this vault, without touching the database."""
        return hmac.compare_digest(_check(data_key), self.check)

    @classmethod
    def read(cls, path: Path) -> KeyFile:
        """Read a key file. Raises OutsideError where it is missing, damaged, or of a newer form."""
        if not path.exists():
            raise OutsideError(
                tr(
                    "The key file {file} is missing from {folder}; without it the vault cannot be opened.",
                    file=path.name,
                    folder=path.parent,
                ),
                tr("Put it back from a backup. It belongs beside vault.db."),
            )
        with translated(path), path.open("rb") as stream:
            return _parse(stream.read(_MAX_FILE_SIZE_BYTES + 1))

    @classmethod
    def parse(cls, raw: bytes) -> KeyFile:
        """Return what the bytes of a key file say. Raises OutsideError as `read`."""
        return _parse(raw)

    def for_database(self, salt: bytes) -> KeyFile:
        """Return the key file of another database under the same data key, whose first bytes are `salt`."""
        return replace(self, salt=salt.hex())

    def rendered(self) -> bytes:
        """Return the bytes of the file."""
        body = {"format": FORMAT, "version": VERSION, **asdict(self)}
        text = json.dumps({**body, "checksum": _checksum(body)}, indent=2, sort_keys=True)
        return text.encode("ascii") + b"\n"

    def write(self, path: Path) -> None:
        """Replace the file at `path` as a whole: afterwards there is the old one or the new one, never a part."""
        with translated(path):
            write_atomically(path, self.rendered(), private=True)


def new_data_key() -> bytes:
    """Return 32 random bytes."""
    return secrets.token_bytes(KEY_SIZE_BYTES)


def wipe(key: bytearray) -> None:
    """Overwrite a key in memory. Copies that Python or a library made on the way are out of reach."""
    key[:] = bytes(len(key))


def _parse(raw: bytes) -> KeyFile:
    try:
        body = json.loads(raw) if len(raw) <= _MAX_FILE_SIZE_BYTES else None
    except (ValueError, RecursionError) as error:
        raise _damaged_key_file(tr("it is not JSON")) from error
    if not isinstance(body, dict) or body.get("format") != FORMAT:
        raise _damaged_key_file(tr("it does not have the form of a key file"))
    if isinstance(body.get("version"), int) and body["version"] > VERSION:
        raise OutsideError(
            tr("The key file was written by a newer Familiar. Nothing was changed."),
            tr("Install the newer version of Familiar to open this vault."),
        )
    checksum = body.pop("checksum", None)
    if checksum != _checksum(body):
        raise _damaged_key_file(tr("its checksum does not fit"))
    try:
        file = KeyFile(str(body["vault"]), str(body["salt"]), str(body["check"]), dict(body["wraps"]))
        for wrap in file.wraps.values():
            _cost_of(wrap).refuse_absurd()
            if wrap["kdf"] != "argon2id" or wrap["argon2_version"] != ARGON2_VERSION:
                raise _damaged_key_file(tr("it names a key derivation this program does not know"))
            for name in ("salt", "nonce", "wrapped"):
                _bytes(wrap[name])
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise _damaged_key_file(tr("a part of it is missing")) from error
    return file


def _cost_of(wrap: Mapping[str, Any]) -> KdfCost:
    return KdfCost(int(wrap["time_cost"]), int(wrap["memory_kib"]), int(wrap["parallelism"]))


def _derive(way: Way, secret: str, wrap: Mapping[str, Any]) -> bytes:
    cost = _cost_of(wrap)
    cost.refuse_absurd()
    words = normalise_passphrase(secret) if way == "passphrase" else normalise_recovery_code(secret).encode("ascii")
    try:
        return hash_secret_raw(
            secret=words,
            salt=_bytes(wrap["salt"]),
            time_cost=cost.time_cost,
            memory_cost=cost.memory_kib,
            parallelism=cost.parallelism,
            hash_len=KEY_SIZE_BYTES,
            type=Type.ID,
            version=ARGON2_VERSION,
        )
    except HashingError as error:
        raise OutsideError(
            tr("There is not enough free memory to open the vault (it takes {size} MB).", size=cost.memory_kib // 1024),
            tr("Close other programs and try again."),
            retryable=True,
        ) from error


def _authenticated(vault: str, way: Way, wrap: Mapping[str, Any]) -> bytes:
    """What a wrap vouches for besides the key: the vault, the way in, and the cost of guessing."""
    head = {name: value for name, value in wrap.items() if name not in ("nonce", "wrapped")}
    return json.dumps([vault, way, head], sort_keys=True).encode("ascii")


def _check(data_key: bytes) -> str:
    return hmac.new(data_key, _CHECK_TEXT, hashlib.sha256).hexdigest()


def _checksum(body: Mapping[str, Any]) -> str:
    return hashlib.sha256(json.dumps(body, sort_keys=True).encode("ascii")).hexdigest()


def _text(data: bytes) -> str:
    return base64.b64encode(data).decode("ascii")


def _bytes(text: str) -> bytes:
    try:
        return base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError) as error:
        raise _damaged_key_file(tr("a part of it is not base 64")) from error


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def _wrong(way: Way) -> LockedError:
    if way == "passphrase":
        return LockedError(
            tr("The passphrase is wrong."), tr("Check Caps Lock and the keyboard, or use the recovery code.")
        )
    return LockedError(
        tr("The recovery code does not belong to this vault."), tr("Use the code printed for this vault.")
    )


def _damaged_key_file(detail: str) -> OutsideError:
    return OutsideError(
        tr("The key file vault.keys is damaged: {detail}. Nothing was changed.", detail=detail),
        tr("Put it back from a backup; any copy made since the last change of passphrase will do."),
    )
