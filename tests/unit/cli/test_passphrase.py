"""Where a passphrase comes from, and in which order."""

from __future__ import annotations

import asyncio
import getpass
import io
import signal
import sys
from pathlib import Path
from typing import Any

import pytest

from familiar_app.cli import passphrase
from familiar_app.cli.output import Output
from familiar_app.domain.errors import BadInputError, LockedError, OutsideError


class Door:
    """A gate that only unlocks, and remembers with what."""

    def __init__(self, *, keyring: bool = False) -> None:
        self.keyring = keyring
        self.tried: list[str] = []

    async def unlock(self, *, passphrase: str | None = None, keyring: bool = False) -> str:
        self.tried.append("keyring" if keyring else str(passphrase))
        if keyring and not self.keyring:
            raise OutsideError("There is no keyring here.")
        return "services"


def out() -> Output:
    return Output(False, io.StringIO(), io.StringIO())


@pytest.fixture(autouse=True)
def no_variable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(passphrase.VARIABLE, raising=False)


def terminal(monkeypatch: pytest.MonkeyPatch, *answers: str | BaseException) -> list[str]:
    left, asked = list(answers), []

    class Keyboard(io.StringIO):
        def isatty(self) -> bool:
            return True

    def type_it(question: str) -> str:
        asked.append(question)
        answer = left.pop(0)
        if isinstance(answer, BaseException):
            raise answer
        return answer

    monkeypatch.setattr(sys, "stdin", Keyboard())
    monkeypatch.setattr(getpass, "getpass", type_it)
    return asked


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (b"secret", "secret"),
        (b"secret\n", "secret"),
        (b"secret\r\n", "secret"),
        (b"secret\n\n", "secret\n"),
        (b" spaced \n", " spaced "),
        (b"secret\r", "secret\r"),
        ("\ufeffgeheim\N{LATIN SMALL LETTER SHARP S}".encode(), "geheimß"),
    ],
)
def test_one_line_end_is_no_part_of_a_file(data: bytes, expected: str, tmp_path: Path) -> None:
    file = tmp_path / "secret"
    file.write_bytes(data)
    assert passphrase.given(file) == expected


@pytest.mark.parametrize("data", [b"", b"\n", b"\xff", b"x" * 70_000])
def test_a_file_that_holds_no_passphrase_is_refused(data: bytes, tmp_path: Path) -> None:
    file = tmp_path / "secret"
    file.write_bytes(data)
    with pytest.raises(BadInputError):
        passphrase.given(file)


def test_a_file_that_is_missing_or_a_folder_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BadInputError, match="no such file"):
        passphrase.given(tmp_path / "none")
    with pytest.raises(OutsideError):
        passphrase.given(tmp_path)


def test_the_file_goes_before_the_environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(passphrase.VARIABLE, "from the environment")
    (tmp_path / "secret").write_text("from the file")
    assert passphrase.given(tmp_path / "secret") == "from the file"
    assert passphrase.given(None) == "from the environment"


async def open_it(door: Any, file: Path | None = None) -> Any:
    return await passphrase.unlock(door, file, out())


async def test_the_environment_goes_before_the_keyring(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(passphrase.VARIABLE, "secret")
    door = Door(keyring=True)
    assert await open_it(door) == "services"
    assert door.tried == ["secret"]


async def test_the_keyring_goes_before_the_person(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = terminal(monkeypatch)
    door = Door(keyring=True)
    await open_it(door)
    assert (door.tried, asked) == (["keyring"], [])


async def test_the_person_is_asked_last(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = terminal(monkeypatch, "typed")
    door = Door()
    await open_it(door)
    assert (door.tried, asked) == (["keyring", "typed"], ["Passphrase: "])


async def test_without_a_terminal_the_vault_stays_locked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.StringIO("secret\n"))
    with pytest.raises(LockedError, match="locked") as caught:
        await open_it(Door())
    assert "--passphrase-file" in caught.value.next_step


def test_a_new_passphrase_is_typed_twice(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = terminal(monkeypatch, "one", "one")
    assert passphrase.new(None, out()) == "one"
    assert asked == ["New passphrase: ", "The same again: "]
    terminal(monkeypatch, "one", "two")
    with pytest.raises(LockedError, match="differ"):
        passphrase.new(None, out())


@pytest.mark.parametrize("answer", ["", EOFError()])
def test_nothing_typed_is_no_passphrase(answer: str | BaseException, monkeypatch: pytest.MonkeyPatch) -> None:
    terminal(monkeypatch, answer)
    with pytest.raises(LockedError, match="No passphrase was typed"):
        passphrase.known(None, out())


def test_an_interrupt_at_the_question_cancels_and_the_signal_is_given_back(monkeypatch: pytest.MonkeyPatch) -> None:
    before = signal.getsignal(signal.SIGINT)
    terminal(monkeypatch, KeyboardInterrupt())
    with pytest.raises(asyncio.CancelledError):
        passphrase.ask(out(), "?")
    assert signal.getsignal(signal.SIGINT) is before
