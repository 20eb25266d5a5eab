"""Where the command line gets a passphrase from: a file, the environment, the keyring, or the person at a terminal."""

from __future__ import annotations

import asyncio
import getpass
import os
import signal
import sys
from pathlib import Path

from familiar_app.cli.output import Output
from familiar_app.domain.errors import BadInputError, LockedError, OutsideError
from familiar_app.interchange.json_text import READABLE
from familiar_app.services import Gate, Services

VARIABLE = "FAMILIAR_PASSPHRASE"
MAX_FILE_BYTES = 64 * 1024


def given(file: Path | None) -> str | None:
    """Return the passphrase from `file`, else from the environment; None where neither is given.

    One line end at the end of the file is no part of it. Raises BadInputError, OutsideError.
    """
    if file is not None:
        return from_file(file)
    return os.environ.get(VARIABLE) or None


def from_file(file: Path) -> str:
    """Return the secret that a file holds. Raises BadInputError, OutsideError."""
    try:
        with file.open("rb") as stream:
            data = stream.read(MAX_FILE_BYTES + 1)
    except FileNotFoundError as error:
        raise BadInputError("there is no such file.", source=file, next_step="Check the path.") from error
    except OSError as error:
        raise OutsideError(f"{file} cannot be read: {error.strerror or type(error).__name__}.", READABLE) from error
    if len(data) > MAX_FILE_BYTES:
        raise BadInputError("this is too long for a passphrase or key.", source=file)
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise BadInputError("this is not UTF-8 text.", source=file) from error
    secret = text.removesuffix("\n").removesuffix("\r") if text.endswith("\n") else text
    if not secret:
        raise BadInputError("the file is empty.", source=file, next_step="Write the passphrase into its first line.")
    return secret


async def unlock(gate: Gate, file: Path | None, out: Output) -> Services:
    """Open the vault. Raises LockedError where nothing that is at hand opens it."""
    passphrase = given(file)
    if passphrase is not None:
        return await gate.unlock(passphrase=passphrase)
    try:
        return await gate.unlock(keyring=True)
    except (LockedError, OutsideError) as error:
        if not _can_ask():
            raise LockedError("The vault is locked.", _HOW_TO_GIVE) from error
    return await gate.unlock(passphrase=ask(out, "Passphrase: "))


def known(file: Path | None, out: Output) -> str:
    """Return the passphrase itself, for commands that need it; the keyring does not have it."""
    passphrase = given(file)
    if passphrase is not None:
        return passphrase
    if not _can_ask():
        raise LockedError("The passphrase is needed.", _HOW_TO_GIVE)
    return ask(out, "Passphrase: ")


def new(file: Path | None, out: Output) -> str:
    """Return the passphrase for a new vault; at a terminal it is asked for twice."""
    passphrase = given(file)
    if passphrase is not None:
        return passphrase
    if not _can_ask():
        raise LockedError("A new vault needs a passphrase.", _HOW_TO_GIVE)
    first = ask(out, "New passphrase: ")
    if ask(out, "The same again: ") != first:
        raise LockedError("The two passphrases differ.", "Nothing was made; try again.")
    return first


def ask(out: Output, question: str) -> str:
    """Ask at the terminal, without showing what is typed. Blocks the loop, on which nothing else runs yet."""
    out.end_progress()
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        passphrase = getpass.getpass(question)
    except EOFError as error:
        raise LockedError("No passphrase was typed.", "Type it, or name a file with --passphrase-file.") from error
    except KeyboardInterrupt:
        raise asyncio.CancelledError from None
    finally:
        signal.signal(signal.SIGINT, before)
    if not passphrase:
        raise LockedError("No passphrase was typed.", "Type it, or name a file with --passphrase-file.")
    return passphrase


def _can_ask() -> bool:
    return sys.stdin is not None and sys.stdin.isatty()


_HOW_TO_GIVE = f"Give the passphrase with --passphrase-file or in {VARIABLE}, or type it at a terminal."
