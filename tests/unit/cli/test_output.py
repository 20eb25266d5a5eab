"""What commands print: streams kept apart, control characters harmless, broken streams survived."""

from __future__ import annotations

import errno
import io
import json
from pathlib import Path

import pytest

from familiar_app.cli.output import Output, printable
from familiar_app.domain.errors import (
    BadInputError,
    BugError,
    FamiliarError,
    LockedError,
    OutsideError,
    UsageError,
    UserError,
)


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


class Broken(io.StringIO):
    def __init__(self, error: OSError) -> None:
        super().__init__()
        self.error = error
        self.tries = 0

    def write(self, text: str) -> int:
        self.tries += 1
        raise self.error


@pytest.fixture
def streams() -> tuple[io.StringIO, io.StringIO]:
    return io.StringIO(), io.StringIO()


def test_results_and_messages_go_to_their_own_streams(streams: tuple[io.StringIO, io.StringIO]) -> None:
    out = Output(False, *streams)
    out.line("result")
    out.piece("bit")
    out.message("by the way")
    assert [stream.getvalue() for stream in streams] == ["result\nbit", "by the way\n"]


def test_json_is_one_line_in_utf8(streams: tuple[io.StringIO, io.StringIO]) -> None:
    Output(True, *streams).json({"text": "é\n\u2028"})
    assert streams[0].getvalue() == '{"text": "é\\n\u2028"}\n'


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("a\tb\nc", "a\tb\nc"),
        ("\x1b[2Jgone", "\ufffd[2Jgone"),
        ("a\r\nb\rc", "a\nb\ufffdc"),
        ("\x9b31m\x07", "\ufffd31m\ufffd"),
    ],
)
def test_text_cannot_steer_the_terminal(text: str, shown: str) -> None:
    assert printable(text) == shown


def test_an_error_is_json_on_standard_output_only_where_asked_for(streams: tuple[io.StringIO, io.StringIO]) -> None:
    error = BadInputError("it is blue.", source="x", line=3, next_step="Paint it.")
    Output(True, *streams).error(error, {"turn_id": 4})
    assert json.loads(streams[0].getvalue()) == {
        "error": {"kind": "user", "message": "x, line 3: it is blue.", "next": "Paint it.", "turn_id": 4}
    }
    assert streams[1].getvalue() == ""
    plain = io.StringIO(), io.StringIO()
    Output(False, *plain).error(error)
    assert [stream.getvalue() for stream in plain] == ["", "familiar: x, line 3: it is blue.\nPaint it.\n"]


@pytest.mark.parametrize(
    ("error", "step"),
    [
        (OutsideError("gone"), "See what works with 'familiar status', and try again."),
        (OutsideError("slow", retryable=True), "Try again in a while."),
        (UserError("no"), "Correct it and run the command again."),
        (UsageError("no"), "See 'familiar --help', or --help behind the command."),
        (LockedError("no"), "Unlock the vault first."),
        (BugError("oh"), "The log has the place. Nothing private is in it."),
        (BadInputError("bad", source="x", line=3), "Correct line 3 and run the command again; nothing was changed."),
        (BadInputError("bad", field="at"), "Correct 'at' and run the command again; nothing was changed."),
        (BadInputError("bad", source=Path("x")), "Choose another file, or make this one anew; nothing was changed."),
        (BadInputError("bad"), "Correct it and run the command again; nothing was changed."),
    ],
)
def test_an_error_that_has_no_next_step_gets_one(
    error: FamiliarError, step: str, streams: tuple[io.StringIO, io.StringIO]
) -> None:
    Output(True, *streams).error(error)
    assert json.loads(streams[0].getvalue())["error"]["next"] == step
    plain = io.StringIO(), io.StringIO()
    Output(False, *plain).error(error)
    assert plain[1].getvalue().splitlines() == [f"familiar: {error.message}", step]


def test_progress_is_rare_and_its_last_step_always_shown(streams: tuple[io.StringIO, io.StringIO]) -> None:
    out = Output(False, *streams)
    for number in range(1000):
        out.progress(f"{number}")
    out.progress("1000", last=True)
    lines = streams[1].getvalue().splitlines()
    assert (lines[0], lines[-1]) == ("0", "1000")
    assert len(lines) < 20


def test_on_a_terminal_progress_stays_on_one_line() -> None:
    screen = Terminal()
    out = Output(False, io.StringIO(), screen)
    out.progress("1", last=True)
    out.progress("2", last=True)
    out.message("done")
    assert screen.getvalue() == "\r\x1b[K1\r\x1b[K2\ndone\n"


def test_a_reader_that_went_away_ends_the_writing_only() -> None:
    gone = Broken(BrokenPipeError())
    out = Output(False, gone, io.StringIO())
    out.line("one")
    out.line("two")
    out.finish()
    assert gone.tries == 1


def test_a_full_disk_behind_standard_output_is_an_error() -> None:
    out = Output(False, Broken(OSError(errno.ENOSPC, "No space left on device")), io.StringIO())
    with pytest.raises(OutsideError, match="No space left on device"):
        out.line("one")


def test_messages_that_cannot_be_said_are_no_error() -> None:
    out = Output(False, io.StringIO(), Broken(OSError(errno.EIO, "no")))
    out.message("one")
    out.finish()


def test_an_error_after_the_one_json_value_is_a_message(streams: tuple[io.StringIO, io.StringIO]) -> None:
    out = Output(True, *streams)
    out.json([1])
    out.error(OutsideError("The disk went away.", "Look for it."))
    assert json.loads(streams[0].getvalue()) == [1]
    assert streams[1].getvalue() == "familiar: The disk went away.\nLook for it.\n"
