"""What a model says reaches the reader as speech and nothing else, however it is cut into pieces."""

from __future__ import annotations

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from familiar_app.conversation.reply_filter import ReplyFilter

OTHERS = ("Ann", "Ben Lee")


def run(pieces: list[str], *, silent: bool = False, others: tuple[str, ...] = OTHERS) -> tuple[str, bool, bool]:
    speech = ReplyFilter(char="Mira", others=others, may_stay_silent=silent)
    shown = []
    for piece in pieces:
        shown.append(speech.feed(piece))
        assert "".join(shown) == speech.text
        if speech.ended:
            break
    if not speech.ended:
        shown.append(speech.finish())
    assert "".join(shown) == speech.text
    return speech.text, speech.silent, speech.ended


PIECES = st.lists(
    st.sampled_from(
        [
            "Mira",
            "Ann",
            "Ben Lee",
            ":",
            " ",
            "\n",
            "\n\n",
            "[14:32 ",
            "[2024-05-01 9:05 ",
            "]",
            "#general",
            "↩",
            "**",
            "<silent>",
            "<think>",
            "</think>",
            "<tool_call>",
            "</tool_call>",
            "<function=x>",
            "</function>",
            "<|im_end|>",
            "</s>",
            "```",
            "`",
            "<",
            "[",
            "hello",
            "a",
            "x: ",
            "\t",
            "  ",
            "[14:32]",
            "[INST]",
            "é👩‍👩‍👧",
            "<silent",
            "/>",
        ]
    ),
    max_size=14,
).map("".join)


@settings(max_examples=400, deadline=None)
@given(PIECES, st.booleans(), st.data())
@example("[14:32 Mira]: hi", False, None)
@example("hi\n**Ann:** x", False, None)
def test_cutting_makes_no_difference(text: str, silent: bool, data: st.DataObject | None) -> None:
    whole = run([text], silent=silent)
    assert run(list(text), silent=silent) == whole
    if data is not None and text:
        cuts = sorted(data.draw(st.sets(st.integers(0, len(text)))))
        pieces = [text[a:b] for a, b in zip([0, *cuts], [*cuts, len(text)], strict=True)]
        assert run(pieces, silent=silent) == whole
    assert whole[0] == whole[0].strip()


@settings(max_examples=200, deadline=None)
@given(st.text(alphabet=st.characters(exclude_characters="<["), max_size=200))
def test_ordinary_text_is_kept(text: str) -> None:
    assert (
        run(list(text), others=()) == (text.strip(), False, False)
        or text.lstrip().lower().startswith(("mira:", "**mira"))
        or "\nMira:" in text
    )


@pytest.mark.parametrize(
    ("answer", "shown"),
    [
        ("Hello there.", "Hello there."),
        ("  \n Hello \n", "Hello"),
        ("Mira: Hello", "Hello"),
        ("**Mira:** Hello", "Hello"),
        ("mira: Hello", "Hello"),
        ("[14:32 Mira] Hello", "Hello"),
        ("[2024-05-01 14:32 Mira #general ↩ Ann: “x”]: Hello", "Hello"),
        ("[14:32 Mira] Mira: Hello", "Hello"),
        ("[14:32 Ann] Hello", "Hello"),
        ("[14:32] Tea\n[15:00] Bath", "[14:32] Tea\n[15:00] Bath"),
        ("[x] done [y](z)", "[x] done [y](z)"),
        ("Ann: come here.", "Ann: come here."),
        ("Hi.\n[14:33 Ann] And you?", "Hi."),
        ("Hi.\n\nAnn: And you?\nMira: Fine.", "Hi."),
        ("Hi.\n**Ben Lee:** what?", "Hi."),
        ("Hi.\n[14:33 Mira] More.\nMira: Still more.", "Hi.\nMore.\nStill more."),
        ("Hi.\n[14:33 Breakfast] eggs", "Hi.\n[14:33 Breakfast] eggs"),
        ("They bring:\nAnn: cake\nBen Lee: wine\n\nDone.", "They bring:\nAnn: cake\nBen Lee: wine\n\nDone."),
        ("They bring:\nAnn: cake\n\nAnn: me again", "They bring:\nAnn: cake"),
        ("Annabel: hm", "Annabel: hm"),
        ("Hi\nAnn:x", "Hi\nAnn:x"),
        ("<think>secret Mira: plan</think>\nMira: Hello", "Hello"),
        ("Hello <think>a</think> world", "Hello world"),
        ("<think>never closed", ""),
        ('Wait.\n<tool_call>{"name": "x"}</tool_call>\nDone.', "Wait.\n\nDone."),
        ("<function=look>{}</function>Seen.", "Seen."),
        ("Bye<|im_end|>\n<|im_start|>user\nmore", "Bye"),
        ("Bye</s>", "Bye"),
        ("1 < 2 and <b>x</b> <", "1 < 2 and <b>x</b> <"),
        ("Write `<think>` so", "Write `<think>` so"),
        (
            "Code:\n```\nAnn: x\n[14:33 Ann] y\n<tool_call>\n```\nEnd",
            "Code:\n```\nAnn: x\n[14:33 Ann] y\n<tool_call>\n```\nEnd",
        ),
        ("<silent>", ""),
        ("I am <silent> now", "I am <silent> now"),
        ("[14:3", "[14:3"),
        ("Mira:", ""),
    ],
)
def test_answers(answer: str, shown: str) -> None:
    assert run([answer])[0] == shown
    assert run(list(answer))[0] == shown


@pytest.mark.parametrize(
    "answer", ["<silent>", " <SILENT> because", "<silent/>", "[14:32 Mira] <silent>", "<think>no</think><silent>"]
)
def test_silence_shows_nothing(answer: str) -> None:
    assert run(list(answer), silent=True) == ("", True, True)


def test_silence_is_decided_on_the_first_tokens() -> None:
    speech = ReplyFilter(char="Mira", may_stay_silent=True)
    assert [speech.feed(piece) for piece in ("<", "sil", "ent", ">")] == ["", "", "", ""]
    assert speech.silent


def test_speech_is_held_back_only_while_undecided() -> None:
    speech = ReplyFilter(char="Mira", others=OTHERS, may_stay_silent=True)
    assert speech.feed("M") == ""
    assert speech.feed("y") == "My"
    assert speech.feed(" dear,") == " dear,"
    assert speech.feed("\n") == ""
    assert speech.feed("A") == ""
    assert speech.feed("x") == "\nAx"


def test_other_speakers_can_be_let_through() -> None:
    speech = ReplyFilter(char="Mira", others=OTHERS, stop_at_others=False)
    text = "Hi.\nAnn: and\n[14:33 Ann] more"
    assert speech.feed(text) + speech.finish() == text
