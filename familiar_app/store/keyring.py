"""Keeps a convenience copy of a vault's data key in the operating system's keyring. It is never the only key.

These functions wait for the keyring service, which may ask the person something: call them in a thread.
"""

from __future__ import annotations

import base64
import binascii
from collections.abc import Iterator
from contextlib import contextmanager

import keyring
import keyring.errors

from familiar_app.domain.errors import OutsideError
from familiar_app.domain.text import tr
from familiar_app.store.keys import KEY_SIZE_BYTES

_SERVICE = "Familiar vault"


def save(profile_id: str, key: bytes) -> None:
    """Store the data key under the vault's id. Raises OutsideError where there is no keyring or it refuses."""
    with _translated():
        keyring.set_password(_SERVICE, profile_id, base64.b64encode(key).decode("ascii"))


def load(profile_id: str) -> bytes | None:
    """Return the stored data key; None where there is none or it is not a key. Raises OutsideError as `save`."""
    with _translated():
        stored = keyring.get_password(_SERVICE, profile_id)
    try:
        key = base64.b64decode(stored or "", validate=True)
    except (binascii.Error, ValueError):
        return None
    return key if len(key) == KEY_SIZE_BYTES else None


def forget(profile_id: str) -> None:
    """Remove the stored key. One that is not there is no error. Raises OutsideError as `save`."""
    with _translated():
        if keyring.get_password(_SERVICE, profile_id) is not None:
            keyring.delete_password(_SERVICE, profile_id)


def available() -> bool:
    """Tell whether this computer has a keyring that can keep a key. Asks the system, so call it in a thread."""
    try:
        return bool(keyring.get_keyring().priority > 0)
    except (keyring.errors.KeyringError, OSError, RuntimeError):
        return False


@contextmanager
def _translated() -> Iterator[None]:
    try:
        yield
    except keyring.errors.NoKeyringError as error:
        raise OutsideError(
            tr("This computer has no keyring that can keep the key."), tr("Type the passphrase when Familiar starts.")
        ) from error
    except (keyring.errors.KeyringError, OSError, RuntimeError) as error:
        raise OutsideError(
            tr("The keyring of this computer refused."),
            tr("Unlock the keyring and try again, or type the passphrase."),
            retryable=True,
        ) from error
