"""The log keeps nothing private."""

from __future__ import annotations

import logging
from pathlib import Path

from familiar_app.bootstrap.log import LogBuffer, LogLine, log_to_file, safe_exception
from familiar_app.domain.errors import OutsideError, UnscriptedError

SECRET = "the violet heron sleeps at noon"


def record(name: str, message: str, *args: object, error: BaseException | None = None) -> logging.LogRecord:
    info = (type(error), error, error.__traceback__) if error else None
    return logging.LogRecord(name, logging.WARNING, "somewhere.py", 7, message, args, info)


def raised(error: Exception) -> Exception:
    try:
        raise error
    except type(error) as caught:
        return caught


def test_our_messages_are_kept_whole_without_the_package_name() -> None:
    buffer = LogBuffer()
    buffer.handle(record("familiar_app.store.vault", "opened with %d turns", 3))
    (line,) = buffer.records()
    assert (line.part, line.text) == ("store.vault", "opened with 3 turns")


def test_other_libraries_leave_only_their_place() -> None:
    buffer = LogBuffer()
    buffer.handle(record("httpx", f"sent {SECRET}"))
    (line,) = buffer.records()
    assert line.text == "warning at somewhere:7"
    assert line.part == "httpx"


def test_an_exception_keeps_type_and_frames_but_not_its_text() -> None:
    text = safe_exception(raised(ValueError(SECRET)))
    assert text.startswith("ValueError; test_log.py:")
    assert SECRET not in text


def test_our_own_errors_keep_their_sentence() -> None:
    assert "OutsideError: The disk is full." in safe_exception(raised(OutsideError("The disk is full.")))


def test_a_private_error_of_ours_keeps_its_sentence_to_itself() -> None:
    text = safe_exception(raised(UnscriptedError("No line fits.", SECRET)))
    assert text.startswith("UnscriptedError; test_log.py:")
    assert SECRET not in text


def test_the_ring_forgets_the_oldest_and_tells_listeners() -> None:
    buffer = LogBuffer(size=2)
    heard: list[LogLine] = []
    stop = buffer.listen(heard.append)
    for number in range(3):
        buffer.handle(record("familiar_app.x", "line %d", number))
    stop()
    buffer.handle(record("familiar_app.x", "unheard"))
    assert [line.text for line in buffer.records()] == ["line 2", "unheard"]
    assert [line.text for line in heard] == ["line 0", "line 1", "line 2"]


def test_the_file_has_no_private_text(tmp_path: Path) -> None:
    handler = log_to_file(tmp_path)
    try:
        handler.handle(record("familiar_app.x", "failed", error=raised(ValueError(SECRET))))
        handler.handle(record("asyncio", SECRET))
    finally:
        logging.getLogger().removeHandler(handler)
        handler.close()
    written = (tmp_path / "familiar.log").read_text(encoding="utf-8")
    assert SECRET not in written
    assert "x: failed (ValueError; test_log.py:" in written
    assert "asyncio: warning at somewhere:7" in written
