"""Telling the format of a file whose first line is broken or long."""

from __future__ import annotations

import io

import pytest

from familiar_app.interchange import turn_format
from familiar_app.interchange.turn_format import find_turn_format
from familiar_app.interchange.turn_source import source_from_pipe

TURN = b'{"channel": "discord:1", "guild": null, "author": {"key": "discord:2"}, "content": "%s'


def found(start: bytes) -> str:
    return find_turn_format(source_from_pipe(io.BytesIO(start)))


def test_a_first_turn_that_breaks_off_is_still_a_line_of_turns() -> None:
    assert found(TURN % b"cut of") == "jsonl"


@pytest.mark.parametrize("guild", [b"null", b'"discord:9"'])
def test_a_first_turn_longer_than_what_is_looked_at_is_a_line_of_turns(
    monkeypatch: pytest.MonkeyPatch, guild: bytes
) -> None:
    monkeypatch.setattr(turn_format, "_START_BYTES", 200)
    line = (TURN % (b"x" * 500)).replace(b"null", guild) + b'", "role": "user"}\n'
    assert found(line) == "jsonl"


def test_a_long_export_of_discord_on_one_line_is_told_by_its_guild(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(turn_format, "_START_BYTES", 60)
    line = b'{"guild":{"id":"1"},"channel" : {"id":"2"},"messages":[' + b'{"id":"3"},' * 20
    assert found(line) == "discord-chat-exporter"
