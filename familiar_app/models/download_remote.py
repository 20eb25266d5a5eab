"""What a host says of a file before and while it is fetched: where it lies, its exact size and its checksum.

The Hub tells size and SHA-256 of a large file in headers of its own, beside the redirect to the server that has the
bytes. They are believed from the host that was asked, never from one that it led to.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from urllib.parse import urljoin, urlsplit

import httpx

from familiar_app.domain.errors import OutsideError
from familiar_app.domain.text import tr
from familiar_app.models.network import host_of, is_loopback
from familiar_app.models.openai_error import RETRIED_STATUSES, Refusal, read_retry_after

LARGEST_BYTES = 500 * 10**9
_MOST_REDIRECTS = 6
_REDIRECTS = (301, 302, 303, 307, 308)
_SHA256 = re.compile(r'(?:W/)?"?([0-9a-fA-F]{64})"?\Z')
_RANGE = re.compile(r"bytes (\d+)-(\d+)/(\d+|\*)\Z")
Told = Callable[[str], object]


@dataclass(frozen=True, slots=True)
class RemoteFile:
    """What is known of a file. `version` is a strong ETag: the same one means the same bytes."""

    url: str
    size_bytes: int | None
    sha256: str | None
    version: str | None

    @property
    def resumable(self) -> bool:
        """Whether a piece that was fetched before can be told to be of the same file."""
        return self.sha256 is not None or self.version is not None


class RetryableRefusalError(OutsideError):
    """The host asks to come again later."""

    def __init__(self, host: str, refusal: Refusal) -> None:
        wait = refusal.retry_after_s
        when = tr("Try again in a while.")
        if wait:
            when = tr("It asks to wait {seconds} seconds; what is here is kept.", seconds=str(round(wait)))
        status = str(refusal.status)
        super().__init__(
            tr("{host} does not give the file now (status {status}).", host=host, status=status), when, retryable=True
        )
        self.refusal = refusal


async def ask_remote(client: httpx.AsyncClient, url: str, told: Told) -> RemoteFile:
    """Ask for a file without fetching it. Raises OutsideError; httpx.HTTPError where nobody answers.

    A host that does not take the question is asked nothing: its file then comes without an exact size or a checksum.
    """
    response = await open_redirected(client, "HEAD", url, {}, told, stop_at_facts=True)
    try:
        if response.status_code in (405, 501):
            return RemoteFile(url, None, None, None)
        if response.status_code not in (200, *_REDIRECTS):
            raise refused(response)
        return _facts(url, response)
    finally:
        await response.aclose()


def _facts(url: str, response: httpx.Response) -> RemoteFile:
    headers = response.headers
    linked = _SHA256.match(headers.get("x-linked-etag", ""))
    same_host = response.url.host == urlsplit(url).hostname
    tag = headers.get("etag", "")
    size = _size(headers.get("x-linked-size")) if same_host else None
    if size is None and response.status_code == 200:
        size = _size(headers.get("content-length"))
    if size is not None and size > LARGEST_BYTES:
        raise OutsideError(
            tr("{host} speaks of a file larger than any model.", host=response.url.host), tr("Check the address.")
        )
    return RemoteFile(
        url,
        size,
        linked.group(1).lower() if linked and same_host else None,
        tag if response.status_code == 200 and tag.startswith('"') else None,
    )


async def open_redirected(
    client: httpx.AsyncClient,
    method: str,
    url: str,
    headers: Mapping[str, str],
    told: Told,
    *,
    stop_at_facts: bool = False,
) -> httpx.Response:
    """Send a request and follow where it leads; the answer's body is still to be read.

    Each host is told before it is reached. Another host is only gone to over https, and never from https to http.
    With `stop_at_facts` an answer that has the Hub's own headers ends the way.
    """
    for _ in range(_MOST_REDIRECTS):
        told(host_of(url))
        try:
            response = await client.send(client.build_request(method, url, headers=dict(headers)), stream=True)
        except httpx.InvalidURL as error:
            raise OutsideError(
                tr("{host} leads to no address.", host=host_of(url)), tr("Check the address in a browser.")
            ) from error
        if response.status_code not in _REDIRECTS or (stop_at_facts and "x-linked-size" in response.headers):
            return response
        await response.aclose()
        url = _next(url, response.headers.get("location", ""))
    raise OutsideError(
        tr("{host} leads from one address to the next without end.", host=host_of(url)), tr("Check the address.")
    )


def _next(url: str, location: str) -> str:
    target = urljoin(url, location)
    old, new = urlsplit(url), urlsplit(target)
    if not location or not new.hostname or new.scheme not in ("http", "https"):
        raise OutsideError(tr("{host} leads to no address.", host=old.hostname), tr("Check the address in a browser."))
    other = (new.hostname, new.scheme) != (old.hostname, old.scheme)
    if other and new.scheme != "https" and not (is_loopback(url) and is_loopback(target)):
        raise OutsideError(
            tr(
                "{host} leads to {other} without encryption, which is not followed.",
                host=old.hostname,
                other=new.hostname,
            ),
            tr("Fetch the file in a browser if you trust it, and choose it as a file."),
        )
    return target


def refused(response: httpx.Response) -> OutsideError:
    """Say what a refusal means and what to do about it."""
    host, status = response.url.host, response.status_code
    refusal = Refusal(status, "", read_retry_after(response.headers, datetime.now(UTC)))
    if status in RETRIED_STATUSES:
        return RetryableRefusalError(host, refusal)
    if status in (404, 410):
        return OutsideError(
            tr("{host} has no such file.", host=host), tr("Check the address, or choose another model.")
        )
    if status in (401, 402, 403, 451):
        return OutsideError(
            tr(
                "{host} gives this file only to people who have an account or agreed to its licence (status {status}).",
                host=host,
                status=str(status),
            ),
            tr("Fetch it there in a browser, then choose it as a file."),
        )
    return OutsideError(
        tr("{host} refused the request (status {status}).", host=host, status=str(status)),
        tr("Check the address in a browser."),
    )


def start_of_range(response: httpx.Response) -> tuple[int, int | None]:
    """Return where a partial answer begins, and the size of the whole where it says. Raises OutsideError."""
    found = _RANGE.match(response.headers.get("content-range", ""))
    if found is None:
        raise OutsideError(
            tr("{host} sent a piece without saying which.", host=response.url.host), tr("Try again."), retryable=True
        )
    return int(found.group(1)), None if found.group(3) == "*" else int(found.group(3))


def whole_size(response: httpx.Response) -> int | None:
    """Return the size of a whole answer, None where it does not say."""
    return _size(response.headers.get("content-length"))


def _size(text: str | None) -> int | None:
    return int(text) if text is not None and text.isascii() and text.isdecimal() and len(text) < 16 else None
