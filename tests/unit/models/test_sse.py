"""Server-sent events, however the bytes are cut."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from familiar_app.models.sse import SseParser, SseTooLargeError

LINES = st.text(st.characters(exclude_categories=("Cs",), exclude_characters="\r\n"), min_size=1)


@given(st.lists(LINES, max_size=6), st.sampled_from(["\n", "\r\n"]), st.integers(1, 7))
def test_events_come_whole_however_they_are_cut(texts: list[str], end: str, step: int) -> None:
    stream = "".join(f": note{end}event: x{end}data: {text}{end}{end}" for text in texts).encode()
    parser, events = SseParser(), []
    for start in range(0, len(stream), step):
        events += parser.feed(stream[start : start + step])
    assert [*events, *parser.end()] == texts


def test_several_data_lines_are_one_event() -> None:
    assert SseParser().feed(b"data: a\ndata:b\n\ndata\n\n") == ["a\nb"]


def test_an_event_at_the_end_needs_no_blank_line() -> None:
    parser = SseParser()
    assert parser.feed(b"data: last") == []
    assert parser.end() == ["last"]


def test_a_line_without_end_is_refused() -> None:
    parser = SseParser()
    for _ in range(64):
        parser.feed(b"x" * 65536)
    with pytest.raises(SseTooLargeError):
        parser.feed(b"x")
