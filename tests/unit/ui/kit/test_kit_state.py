"""Actions, the status and the choice of a model, as far as they are plain Python."""

from __future__ import annotations

from pathlib import Path

import pytest

from familiar_app.ui.kit.action import Action, ActionRegistry
from familiar_app.ui.kit.avatar import initials
from familiar_app.ui.kit.model_choice import ModelChoice, choice_from_slot, is_this_computer
from familiar_app.ui.kit.new_passphrase import passphrase_problem
from familiar_app.ui.kit.recovery_code import RecoveryCheck, recovery_text
from familiar_app.ui.kit.status import Status, StatusModel, model_text, speed_text

CODE = "7K3M-9XQ2-HB4T-0RWE-5PNV-JD8C-6GYS"


def action(name: str, shortcut: str = "") -> Action:
    return Action(name, name.title(), lambda: None, shortcut)


class TestActionRegistry:
    def test_an_offer_replaces_the_one_before(self) -> None:
        registry = ActionRegistry()
        registry.offer("panel", [action("one"), action("two")])
        registry.offer("shell", [action("three")])
        registry.offer("panel", [action("four")])
        assert [one.id for one in registry.all()] == ["four", "three"]
        assert registry.find("three") == action("three")
        assert registry.find("one") is None

    def test_listeners_hear_of_offers_and_withdrawals_only(self) -> None:
        registry, heard = ActionRegistry(), []
        registry.listen(lambda: heard.append(len(registry.all())))
        registry.offer("panel", [action("one")])
        registry.withdraw("panel")
        registry.withdraw("panel")
        assert heard == [1, 0]

    def test_clashes_name_both_actions(self) -> None:
        registry = ActionRegistry()
        registry.offer("a", [action("one", "Ctrl+N"), action("two")])
        registry.offer("b", [action("three", "Ctrl+N"), action("four")])
        assert registry.clashes() == {"Ctrl+N": ["one", "three"]}


class TestStatus:
    def test_only_real_changes_are_told(self) -> None:
        model, heard = StatusModel(), []
        model.listen(heard.append)
        model.update(model="smollm2", model_state="idle")
        model.update(model="smollm2")
        assert heard == [Status(model="smollm2", model_state="idle")]
        model.unlisten(heard.append)
        model.update(tokens_per_s=3.0)
        assert len(heard) == 1

    @pytest.mark.parametrize(
        ("status", "text"),
        [
            (Status(), "no model"),
            (Status(model="m", model_state="idle"), "m"),
            (Status(model="m", model_state="idle", tokens_per_s=41.7), "m · 42 tok/s"),
            (Status(model="m", model_state="answering"), "m · answering"),
            (Status(model="m", model_state="answering", tokens_per_s=3.14), "m · 3.1 tok/s"),
            (Status(model="m", model_state="loading", tokens_per_s=9.0), "m · loading"),
            (Status(model="m", model_state="failed", tokens_per_s=9.0), "m · not working"),
            (Status(model="x" * 40, model_state="idle"), "x" * 31 + "…"),
        ],
    )
    def test_words_for_the_model(self, status: Status, text: str) -> None:
        assert model_text(status) == text

    def test_speed_keeps_a_decimal_where_it_matters(self) -> None:
        assert [speed_text(speed) for speed in (None, 0.0, 9.94, 10.0)] == ["", "0.0 tok/s", "9.9 tok/s", "10 tok/s"]


class TestModelChoice:
    @pytest.mark.parametrize(
        ("url", "here"),
        [
            ("http://127.0.0.1:11434/v1", True),
            ("http://localhost:1234/v1", True),
            ("http://[::1]:8080/v1", True),
            ("http://127.0.0.1.example.org/v1", False),
            ("http://192.168.1.20:11434/v1", False),
            ("https://openrouter.ai/api/v1", False),
            ("http://[broken", False),
            ("", False),
        ],
    )
    def test_which_addresses_are_this_computer(self, url: str, here: bool) -> None:
        assert is_this_computer(url) is here

    def test_specs(self, tmp_path: Path) -> None:
        file = tmp_path / "a model.gguf"
        file.write_bytes(b"GGUF")
        assert ModelChoice().spec() == "smollm2"
        assert ModelChoice("gguf", file=f" {file} ").spec() == f"gguf:{file}"
        endpoint = ModelChoice("openai", url=" http://127.0.0.1:1/v1 ", model=" a:b ", key="secret")
        assert endpoint.spec() == "openai:http://127.0.0.1:1/v1#a:b"
        assert "secret" not in endpoint.spec()

    def test_problems_name_the_field(self, tmp_path: Path) -> None:
        assert ModelChoice().problem() is None
        assert ModelChoice("gguf").problem() == ("file", "Choose the file of the model.")
        assert ModelChoice("gguf", file=str(tmp_path / "no.gguf")).problem() == ("file", "There is no such file.")
        assert ModelChoice("openai", model="m").problem() == ("url", "Type the address of the endpoint.")
        wrong = ModelChoice("openai", url="ftp://x", model="m").problem()
        assert wrong is not None
        assert wrong[0] == "url"
        assert "http" in wrong[1]
        keyed = ModelChoice("openai", url="https://me:pass@host/v1", model="m").problem()
        assert keyed is not None
        assert "pass@" not in keyed[1]
        assert ModelChoice("openai", url="http://host/v1").problem() == (
            "model",
            "Type the name of the model at this endpoint.",
        )

    def test_what_leaves(self) -> None:
        assert not ModelChoice().leaves()
        assert not ModelChoice("openai", url="http://127.0.0.1:1/v1", model="m").leaves()
        assert ModelChoice("openai", url="https://host/v1", model="m").leaves()

    def test_a_slot_becomes_the_choice_it_came_from(self) -> None:
        assert choice_from_slot("llama_cpp", "smollm2", "").spec() == "smollm2"
        assert choice_from_slot("llama_cpp", "/m.gguf", "").spec() == "gguf:/m.gguf"
        assert choice_from_slot("openai", "m", "http://h/v1").spec() == "openai:http://h/v1#m"
        assert choice_from_slot("scripted", "/a.jsonl", "").spec() == "scripted:/a.jsonl"


class TestRecoveryCheck:
    def test_asks_for_the_group_it_names(self) -> None:
        check = RecoveryCheck(CODE, group=2)
        assert check.question == "Type the third group of the code"
        assert check.fits("HB4T")
        assert not check.fits("9XQ2")
        assert not check.fits("")

    def test_forgives_case_spaces_and_look_alikes(self) -> None:
        assert RecoveryCheck(CODE, group=3).fits(" orw e ")
        assert RecoveryCheck(CODE, group=2).fits("hb-4t")

    def test_chance_reaches_every_group(self) -> None:
        assert {RecoveryCheck(CODE).group for _ in range(400)} == set(range(7))

    def test_the_printed_text_says_what_it_opens(self) -> None:
        text = recovery_text(CODE, Path("/home/me/familiar"))
        assert CODE in text
        assert "/home/me/familiar" in text


@pytest.mark.parametrize(
    ("first", "second", "field"),
    [("", "", "first"), ("short", "short", "first"), ("long enough", "", "second"), ("long enough", "long", "second")],
)
def test_passphrases_that_cannot_stay(first: str, second: str, field: str) -> None:
    problem = passphrase_problem(first, second)
    assert problem is not None
    assert problem[0] == field


def test_the_same_passphrase_twice_is_fine() -> None:
    assert passphrase_problem("pässword ß", "pässword ß") is None


@pytest.mark.parametrize(
    ("name", "letters"),
    [("Mira", "M"), ("Old Tom & Sons", "OS"), ("静香", "静"), ("", "?"), ("🦊 fox", "F"), ("…", "…")],
)
def test_initials(name: str, letters: str) -> None:
    assert initials(name) == letters
