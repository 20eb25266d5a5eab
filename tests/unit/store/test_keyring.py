from __future__ import annotations

from collections.abc import Iterator

import keyring as system_keyring
import keyring.backend
import keyring.errors
import pytest

from familiar_app.domain.errors import OutsideError
from familiar_app.store import keyring as vault_keyring

KEY = bytes(range(32))


class MemoryKeyring(keyring.backend.KeyringBackend):
    """A keyring in memory; `refusing` makes it fail as a locked one does."""

    priority = 1  # type: ignore[assignment]

    def __init__(self) -> None:
        super().__init__()
        self.entries: dict[tuple[str, str], str] = {}
        self.refusing = False

    def get_password(self, service: str, username: str) -> str | None:
        if self.refusing:
            raise keyring.errors.KeyringLocked("locked")
        return self.entries.get((service, username))

    def set_password(self, service: str, username: str, password: str) -> None:
        if self.refusing:
            raise keyring.errors.PasswordSetError("locked")
        self.entries[service, username] = password

    def delete_password(self, service: str, username: str) -> None:
        del self.entries[service, username]


@pytest.fixture
def backend() -> Iterator[MemoryKeyring]:
    before = system_keyring.get_keyring()
    memory = MemoryKeyring()
    system_keyring.set_keyring(memory)
    yield memory
    system_keyring.set_keyring(before)


def test_a_key_is_kept_for_its_vault_only(backend: MemoryKeyring) -> None:
    assert vault_keyring.load("one") is None
    vault_keyring.save("one", KEY)
    assert vault_keyring.load("one") == KEY
    assert vault_keyring.load("two") is None
    vault_keyring.forget("one")
    vault_keyring.forget("one")
    assert vault_keyring.load("one") is None


@pytest.mark.parametrize("stored", ["not base 64!", "AAAA", ""])
def test_what_is_no_key_counts_as_none(backend: MemoryKeyring, stored: str) -> None:
    vault_keyring.save("one", KEY)
    backend.entries = dict.fromkeys(backend.entries, stored)
    assert vault_keyring.load("one") is None


def test_a_refusing_keyring_is_an_outside_error(backend: MemoryKeyring) -> None:
    backend.refusing = True
    for use in (
        lambda: vault_keyring.save("one", KEY),
        lambda: vault_keyring.load("one"),
        lambda: vault_keyring.forget("one"),
    ):
        with pytest.raises(OutsideError, match="refused"):
            use()


def test_a_computer_without_a_keyring_says_so() -> None:
    with pytest.raises(OutsideError, match="no keyring"):
        vault_keyring.save("one", KEY)
