"""The short form of a model's name."""

from __future__ import annotations

from pathlib import Path

import pytest

from familiar_app.domain.errors import BadInputError
from familiar_app.domain.settings import model_slot_from_spec


def test_each_form() -> None:
    assert model_slot_from_spec("smollm2")["model"] == "smollm2"
    assert model_slot_from_spec(" SmolLM2 ")["provider"] == "llama_cpp"
    gguf = model_slot_from_spec("gguf:models/a b.gguf", base_dir=Path("/base"))
    assert (gguf["provider"], Path(gguf["model"])) == ("llama_cpp", Path("/base/models/a b.gguf"))
    assert model_slot_from_spec("scripted:answers.jsonl")["provider"] == "scripted"
    assert model_slot_from_spec("openai:http://127.0.0.1:11434/v1/#hf.co/a/b:Q4#x") == {
        "provider": "openai",
        "model": "hf.co/a/b:Q4#x",
        "base_url": "http://127.0.0.1:11434/v1",
        "api_key_secret": "",
    }


@pytest.mark.parametrize(
    ("spec", "words"),
    [
        ("gpt", "no kind of model"),
        ("", "no kind of model"),
        ("smollm2:x", "no kind of model"),
        ("gguf:", "file is missing"),
        ("scripted: ", "file is missing"),
        ("openai:http://127.0.0.1/v1", "behind a #"),
        ("openai:127.0.0.1/v1#m", "http://"),
        ("openai:http://[::1/v1#m", "not a valid address"),
        ("openai:https://me:secret@host/v1#m", "kept in the vault"),
    ],
)
def test_wrong_forms_are_explained(spec: str, words: str) -> None:
    with pytest.raises(BadInputError) as caught:
        model_slot_from_spec(spec)
    assert words in str(caught.value)
    assert "secret" not in str(caught.value)
