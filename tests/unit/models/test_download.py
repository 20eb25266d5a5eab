"""Fetching a model from hosts that break off, lie, stall and change their minds."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from familiar_app.domain.clock import FixedClock, parse_time
from familiar_app.domain.contact import Contacts
from familiar_app.domain.errors import OutsideError, UserError
from familiar_app.domain.model_catalogue import ModelSource, source_from_url
from familiar_app.models.download import SPARE_BYTES, Download
from familiar_app.models.download_part import PartFile
from familiar_app.models.download_progress import Persistence, Progress
from familiar_app.models.model_shelf import ModelShelf
from familiar_app.models.network import NetworkPolicy, RefusedByLocalOnlyError
from tests.doubles.model_host import ModelHost, model_bytes, model_host
from tests.doubles.waiting import until

GGUF = "model.gguf"


@pytest.fixture
async def host() -> AsyncIterator[ModelHost]:
    async with model_host() as running:
        yield running


class Fetch:
    """Downloads into one folder, with waits that take no time and are kept."""

    def __init__(self, folder: Path, *, local_only: bool = True) -> None:
        self.folder = folder
        self.network = NetworkPolicy(local_only=local_only)
        self.steps: list[Progress] = []
        self.waits: list[float] = []

    def download(self, url: str, **options: Any) -> Download:
        async def sleep(seconds: float) -> None:
            self.waits.append(seconds)

        patience = Persistence(options.pop("silence_s", 30.0), options.pop("max_retries", 3), sleep)
        return Download(self.network, self.folder, source_from_url(url), self.steps.append, patience, **options)

    async def __call__(self, url: str, **options: Any) -> Any:
        return await self.download(url, **options).run()

    @property
    def files(self) -> list[str]:
        return sorted(path.name for path in self.folder.iterdir())


@pytest.fixture
def fetch(tmp_path: Path) -> Fetch:
    return Fetch(tmp_path / "models")


async def test_a_file_arrives_whole_and_checked(host: ModelHost, fetch: Fetch) -> None:
    fetched = await fetch(host.url)
    assert fetched.path.read_bytes() == host.data
    assert (fetched.checked, fetched.sha256, fetched.size_bytes) == (True, host.sha256, len(host.data))
    assert fetch.files == [GGUF]
    assert [step.phase for step in fetch.steps][:1] == ["asking"]
    assert fetch.steps[-1].phase == "done"
    assert fetch.steps[0].host == f"127.0.0.1:{host.port}"


async def test_the_host_is_named_before_it_is_connected_to(host: ModelHost, fetch: Fetch) -> None:
    seen: list[int] = []
    download = Download(
        fetch.network, fetch.folder, source_from_url(host.url), lambda _step: seen.append(len(host.requests))
    )
    await download.run()
    assert seen[0] == 0


async def test_without_a_checksum_it_is_said_that_nothing_was_compared(host: ModelHost, fetch: Fetch) -> None:
    host.linked = False
    fetched = await fetch(host.url)
    assert not fetched.checked
    assert fetched.sha256 == host.sha256


async def test_a_host_that_takes_no_question_gives_the_file_all_the_same(host: ModelHost, fetch: Fetch) -> None:
    host.head_status = 405
    assert (await fetch(host.url)).path.read_bytes() == host.data


async def test_a_broken_connection_is_gone_on_from(host: ModelHost, fetch: Fetch) -> None:
    host.break_after, host.times = 100_000, 2
    fetched = await fetch(host.url)
    assert fetched.path.read_bytes() == host.data
    assert host.sent == len(host.data), "nothing was sent twice"
    assert [one.get("range") for one in host.asked("GET")] == [None, "bytes=100000-", "bytes=200000-"]
    assert len(fetch.waits) == 2


async def test_it_gives_up_in_the_end_and_goes_on_the_next_day(host: ModelHost, fetch: Fetch) -> None:
    host.break_after, host.times = 0, 10
    with pytest.raises(OutsideError, match="broke off"):
        await fetch(host.url, max_retries=2)
    assert len(fetch.waits) == 2
    host.break_after, host.times = 100_000, 1
    with pytest.raises(OutsideError, match="broke off"):
        await fetch(host.url, max_retries=0)
    [begun] = ModelShelf(fetch.folder.parent).unfinished()
    assert (begun.file, begun.done_bytes, begun.size_bytes) == (GGUF, 100_000, len(host.data))
    host.break_after = None
    assert (await fetch(host.url)).path.read_bytes() == host.data
    assert host.asked("GET")[-1]["range"] == "bytes=100000-"
    assert fetch.files == [GGUF]


async def test_a_host_that_ignores_ranges_begins_anew(host: ModelHost, fetch: Fetch) -> None:
    host.ranges, host.break_after = False, 100_000
    assert (await fetch(host.url)).path.read_bytes() == host.data


async def test_nothing_is_gone_on_from_that_cannot_be_told_to_be_the_same(host: ModelHost, fetch: Fetch) -> None:
    host.linked, host.break_after = False, 100_000
    assert (await fetch(host.url)).path.read_bytes() == host.data
    assert all("range" not in one for one in host.asked("GET"))


async def test_an_etag_tells_it_too(host: ModelHost, fetch: Fetch) -> None:
    host.linked, host.with_etag, host.break_after = False, True, 100_000
    await fetch(host.url)
    last = host.asked("GET")[-1]
    assert last["range"] == "bytes=100000-"
    assert last["if-range"].startswith('"v-')


async def test_a_file_that_changed_since_yesterday_begins_anew(host: ModelHost, fetch: Fetch) -> None:
    host.break_after = 100_000
    with pytest.raises(OutsideError):
        await fetch(host.url, max_retries=0)
    host.break_after, host.data = None, model_bytes(250_000, seed=2)
    assert (await fetch(host.url)).path.read_bytes() == host.data
    assert "range" not in host.asked("GET")[-1]


async def test_a_file_that_changes_while_it_is_fetched_is_asked_for_again(host: ModelHost, fetch: Fetch) -> None:
    host.after_head = model_bytes(250_000, seed=2)
    fetched = await fetch(host.url)
    assert fetched.path.read_bytes() == model_bytes(250_000, seed=2)
    assert fetched.checked


async def test_a_changed_file_of_the_same_size_fails_its_checksum(host: ModelHost, fetch: Fetch) -> None:
    host.after_head = model_bytes(seed=2)
    with pytest.raises(OutsideError, match="checksum is wrong"):
        await fetch(host.url)
    assert fetch.files == []


async def test_a_wrong_checksum_leaves_nothing_behind(host: ModelHost, fetch: Fetch) -> None:
    host.claimed_sha256 = "0" * 64
    with pytest.raises(OutsideError, match="checksum is wrong"):
        await fetch(host.url)
    assert fetch.files == []


@pytest.mark.parametrize("claimed", [200_000, 400_000])
async def test_a_host_that_lies_about_the_size_is_not_believed(host: ModelHost, fetch: Fetch, claimed: int) -> None:
    host.claimed_size = claimed
    with pytest.raises(OutsideError, match="changes while it is fetched"):
        await fetch(host.url)
    assert GGUF not in fetch.files


async def test_silence_is_borne_for_a_time_only(host: ModelHost, fetch: Fetch) -> None:
    host.stall_after = 100_000
    assert (await fetch(host.url, silence_s=0.3)).path.read_bytes() == host.data
    assert len(fetch.waits) == 1


@pytest.mark.parametrize("status", [429, 503])
async def test_a_host_that_asks_to_wait_is_waited_for(host: ModelHost, fetch: Fetch, status: int) -> None:
    host.refusals, host.retry_after = [status], "7"
    await fetch(host.url)
    assert fetch.waits == [7.0]


async def test_a_host_that_asks_for_too_long_a_wait_is_left(host: ModelHost, fetch: Fetch) -> None:
    host.refusals, host.retry_after = [429], "4000"
    with pytest.raises(OutsideError, match="4000 seconds"):
        await fetch(host.url)
    assert fetch.waits == []


@pytest.mark.parametrize(("status", "word"), [(404, "no such file"), (401, "account"), (403, "licence")])
async def test_a_refusal_says_what_to_do(host: ModelHost, fetch: Fetch, status: int, word: str) -> None:
    host.head_status = status
    with pytest.raises(OutsideError, match=word) as failed:
        await fetch(host.url)
    assert failed.value.next_step
    assert fetch.waits == []


async def test_a_page_in_place_of_a_model_is_thrown_away(host: ModelHost, fetch: Fetch) -> None:
    host.data = b"<html>Please log in</html>"
    with pytest.raises(OutsideError, match="no model"):
        await fetch(host.url)
    assert fetch.files == []


async def test_a_full_disk_is_told_before_anything_is_fetched(host: ModelHost, fetch: Fetch) -> None:
    with pytest.raises(OutsideError, match="the disk has"):
        await fetch(host.url, free_bytes=lambda _folder: SPARE_BYTES + len(host.data) - 1)
    assert host.asked("GET") == []


async def test_local_only_refuses_before_a_file_or_a_socket_is_made(fetch: Fetch) -> None:
    contacts = Contacts(FixedClock(parse_time("2024-05-01T12:00:00Z")))
    fetch.network.contacts = contacts
    with pytest.raises(RefusedByLocalOnlyError):
        await fetch("https://example.com/model.gguf")
    assert not fetch.folder.exists()
    assert fetch.steps == []


@pytest.mark.parametrize("target", ["http://example.com/model.gguf", "ftp://127.0.0.1/model.gguf", ""])
async def test_a_redirect_goes_nowhere_without_encryption(host: ModelHost, tmp_path: Path, target: str) -> None:
    host.redirect = target or "mailto:x"
    fetch = Fetch(tmp_path / "models", local_only=False)
    with pytest.raises(OutsideError, match="leads to"):
        await fetch(host.url)


async def test_a_redirect_elsewhere_is_refused_in_local_only_mode(host: ModelHost, fetch: Fetch) -> None:
    host.redirect = "https://example.com/model.gguf"
    with pytest.raises(RefusedByLocalOnlyError):
        await fetch(host.url)


async def test_a_checksum_is_not_believed_from_a_host_that_was_led_to(host: ModelHost, fetch: Fetch) -> None:
    async with model_host() as door:
        door.redirect = f"http://localhost:{host.port}/model.gguf"
        fetched = await fetch(door.url)
    assert fetched.path.read_bytes() == host.data
    assert not fetched.checked
    assert any(step.host == f"localhost:{host.port}" for step in fetch.steps)


async def test_a_ring_of_redirects_ends(host: ModelHost, fetch: Fetch) -> None:
    host.redirect = host.url
    with pytest.raises(OutsideError, match="without end"):
        await fetch(host.url)


async def test_a_cancelled_download_keeps_what_came(host: ModelHost, fetch: Fetch) -> None:
    host.stall_after = 150_000
    running = asyncio.create_task(fetch(host.url))
    await until(lambda: any(step.done_bytes >= 150_000 for step in fetch.steps))
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running
    [begun] = ModelShelf(fetch.folder.parent).unfinished()
    assert begun.done_bytes == 150_000
    host.stall_after = None
    assert (await fetch(host.url)).path.read_bytes() == host.data
    assert host.sent == len(host.data)


async def test_two_downloads_of_one_file_do_not_meet(host: ModelHost, fetch: Fetch) -> None:
    part = PartFile(fetch.folder, GGUF)
    try:
        with pytest.raises(UserError, match="being fetched already"):
            await fetch(host.url)
    finally:
        part.close()


async def test_a_model_that_is_here_is_not_fetched_again(host: ModelHost, fetch: Fetch) -> None:
    await fetch(host.url)
    asked = len(host.requests)
    assert (await fetch(host.url)).was_here
    assert len(host.requests) == asked


async def test_every_host_is_noted_with_its_purpose(host: ModelHost, fetch: Fetch) -> None:
    fetch.network.contacts = Contacts(FixedClock(parse_time("2024-05-01T12:00:00Z")))
    await fetch(host.url)
    [one] = fetch.network.contacts.newest_first()
    assert (one.host, one.purpose, one.count) == (f"127.0.0.1:{host.port}", "Fetching models", 2)


def test_progress_tells_what_is_left() -> None:
    step = Progress("fetching", "h", done_bytes=250, total_bytes=1000, bytes_per_s=50)
    assert (step.left_s, step.part) == (15.0, 0.25)
    assert Progress("fetching", "h", done_bytes=250).left_s is None


def test_a_source_knows_its_host() -> None:
    assert ModelSource("https://huggingface.co/a/b.gguf", "b.gguf").host == "huggingface.co"


async def test_the_hub_tells_size_and_checksum_and_another_host_has_the_bytes(host: ModelHost, fetch: Fetch) -> None:
    host.linked, host.break_after = False, 100_000
    async with model_host() as hub:
        hub.redirect, hub.redirect_linked = f"http://localhost:{host.port}/signed?x=1", True
        fetched = await fetch(hub.url)
        assert [verb for verb, _ in hub.requests] == ["HEAD", "GET", "GET"]
    assert fetched.checked
    assert fetched.path.read_bytes() == host.data
    assert host.asked("HEAD") == [], "the hub's own word is enough"
    assert host.sent == len(host.data)


async def test_other_bytes_than_the_hub_promised_are_thrown_away(host: ModelHost, fetch: Fetch) -> None:
    host.data = model_bytes(seed=2)
    async with model_host() as hub:
        hub.redirect, hub.redirect_linked = f"http://localhost:{host.port}/signed", True
        with pytest.raises(OutsideError, match="checksum is wrong"):
            await fetch(hub.url)
    assert fetch.files == []


async def test_the_proxy_of_the_system_is_used(
    host: ModelHost, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("NO_PROXY", "no_proxy", "HTTP_PROXY"):
        monkeypatch.delenv(name, raising=False)
    async with model_host() as proxy:
        monkeypatch.setenv("http_proxy", f"http://127.0.0.1:{proxy.port}")
        fetched = await Fetch(tmp_path / "models", local_only=False)(host.url)
        assert len(proxy.requests) == 2
    assert fetched.checked
    assert host.requests == []
