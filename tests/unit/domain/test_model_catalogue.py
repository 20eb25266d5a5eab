"""The shipped catalogue of models, and what addresses of one's own are taken."""

from __future__ import annotations

import re

import pytest

from familiar_app.domain.errors import BadInputError
from familiar_app.domain.model_catalogue import (
    WORK_BYTES,
    find_model,
    is_model_file_name,
    needed_memory,
    read_catalogue,
    source_from_url,
    source_of,
)
from familiar_app.store.resource import resource

SHIPPED = read_catalogue(resource("models", "catalogue.toml").read_text(encoding="utf-8"))


def test_there_is_a_choice_from_small_to_large() -> None:
    assert 6 <= len(SHIPPED) <= 10
    assert [one.about_bytes for one in SHIPPED] == sorted(one.about_bytes for one in SHIPPED)
    assert SHIPPED[0].memory_bytes < 4 * 10**9 < SHIPPED[-1].memory_bytes


@pytest.mark.parametrize("model", SHIPPED, ids=lambda one: one.name)
def test_each_entry_is_whole(model) -> None:  # type: ignore[no-untyped-def]
    assert all((model.title, model.maker, model.licence, model.parameters, model.good, model.bad))
    assert source_from_url(model.url).file == model.file, "the same rules hold as for an address of one's own"
    assert source_of(model).host == "huggingface.co"
    assert model.trained_context_tokens >= 8192


def test_names_are_not_used_twice() -> None:
    assert len({one.name for one in SHIPPED}) == len({one.file for one in SHIPPED}) == len(SHIPPED)


def test_no_checksum_is_shipped() -> None:
    text = resource("models", "catalogue.toml").read_text(encoding="utf-8")
    assert re.search(r"[0-9a-fA-F]{32}", text) is None


def test_a_model_is_found_by_name_title_and_file() -> None:
    model = SHIPPED[1]
    for word in (model.name, model.title.upper(), f" {model.file} "):
        assert find_model(SHIPPED, word) is model
    assert find_model(SHIPPED, "no such") is None


def test_memory_is_the_file_the_context_and_room_to_work() -> None:
    assert needed_memory(1000, 10) == 1000 + 81_920 + WORK_BYTES
    assert needed_memory(1000, 10, 100) == 1000 + 1000 + WORK_BYTES
    assert needed_memory(1000, None) == 1250 + WORK_BYTES


def test_a_page_of_the_hub_means_its_file() -> None:
    source = source_from_url("https://huggingface.co/a/b/blob/main/c.Q4_K_M.gguf")
    assert source.url == "https://huggingface.co/a/b/resolve/main/c.Q4_K_M.gguf"
    assert source.file == "c.Q4_K_M.gguf"


def test_other_hosts_are_taken_as_they_are() -> None:
    assert source_from_url("https://example.com/blob/c.gguf?download=true#x").url == (
        "https://example.com/blob/c.gguf?download=true"
    )
    assert source_from_url("http://127.0.0.1:8000/c.gguf").host == "127.0.0.1"


@pytest.mark.parametrize(
    "address",
    [
        "",
        "c.gguf",
        "http://example.com/c.gguf",
        "ftp://example.com/c.gguf",
        "https://example.com/c.zip",
        "https://example.com/",
        "https://u:p@example.com/c.gguf",
        "https://example.com/..%2f..%2fc.gguf",
        "https://[broken/c.gguf",
        "https://example.com:99999/c.gguf",
        "https://example.com/.gguf",
    ],
)
def test_an_address_that_cannot_be_fetched_is_refused(address: str) -> None:
    with pytest.raises(BadInputError):
        source_from_url(address)


@pytest.mark.parametrize("name", ["../a.gguf", "a/b.gguf", "a\\b.gguf", ".a.gguf", "a.gguf\n", "a", "a.gguf.part", ""])
def test_a_name_never_leads_out_of_the_folder(name: str) -> None:
    assert not is_model_file_name(name)


def test_a_broken_catalogue_is_an_error() -> None:
    for text in ("nothing", "[[model]]\nname = 'a'", ""):
        with pytest.raises(BadInputError):
            read_catalogue(text)
