"""Says in a sentence what an endpoint's refusal means, and how long to wait before the next try."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

from familiar_app.domain.errors import OutsideError
from familiar_app.domain.text import tr, tr_later
from familiar_app.models.llama_cpp import context_overflow

RETRIED_STATUSES = frozenset({408, 425, 429, 500, 502, 503, 504, 520, 522, 524, 529})
LONGEST_WAIT_S = 60.0
_FIRST_BACKOFF_S = 0.5
_LONGEST_BACKOFF_S = 20.0
_OVERFLOW = re.compile(
    r"context[ _](length|size|window)|maximum context|too many tokens|prompt is too long", re.IGNORECASE
)
_CODE = re.compile(r"[a-z][a-z0-9_.-]{1,50}", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Refusal:
    """An answer that is none: its status, the server's own words (never shown: they can repeat the prompt or a key)."""

    status: int
    text: str
    retry_after_s: float | None = None

    @property
    def retried(self) -> bool:
        """Whether waiting and asking again can help, and the server does not ask for a longer wait than is made."""
        return self.status in RETRIED_STATUSES and (self.retry_after_s or 0) <= LONGEST_WAIT_S

    def mentions(self, *words: str) -> bool:
        """Tell whether the server speaks of one of these, in lower case."""
        text = self.text.lower()
        return any(word in text for word in words)


def read_retry_after(headers: Mapping[str, str], now: datetime) -> float | None:
    """Return the seconds a server asks to wait, given as a number or as a date; None where it does not."""
    value = headers.get("retry-after", "").strip()
    if not value:
        return None
    try:
        seconds = float(value)
    except ValueError:
        try:
            when = parsedate_to_datetime(value)
        except ValueError:
            return None
        seconds = ((when if when.tzinfo else when.replace(tzinfo=UTC)) - now).total_seconds()
    return seconds if 0 <= seconds < float("inf") else (0.0 if seconds < 0 else None)


def backoff_s(attempt: int, refusal: Refusal) -> float:
    """Return how long to wait before try `attempt + 1`, counted from 0: as asked, else doubling with some chance."""
    if refusal.retry_after_s is not None:
        return min(refusal.retry_after_s, LONGEST_WAIT_S)
    wait = min(_FIRST_BACKOFF_S * 2.0**attempt, _LONGEST_BACKOFF_S)
    return wait * random.uniform(0.75, 1.25)  # noqa: S311 - spreads retries, guards nothing


def refusal_error(refusal: Refusal, *, host: str, model: str, context_tokens: int) -> OutsideError:
    """Return the error for a refusal, in words of our own."""
    status = refusal.status
    if status in (400, 413, 422) and (_OVERFLOW.search(refusal.text) or status == 413):
        return context_overflow(_prompt_tokens(refusal.text), context_tokens)
    if status == 404:
        return _not_found(refusal, host, model)
    if status == 429:
        return _too_many(refusal, host)
    if status in _SENTENCES:
        message, next_step = _SENTENCES[status]
        return OutsideError(tr(message, host=host), tr(next_step))
    if 300 <= status < 400:
        return OutsideError(
            tr("{host} sends requests on to another address.", host=host), tr("Enter the address it moved to.")
        )
    if status >= 500 or status in RETRIED_STATUSES:
        return OutsideError(
            tr("{host} failed to answer (status {status}).", host=host, status=str(status)),
            tr("Try again later."),
            retryable=True,
        )
    return OutsideError(
        tr(
            "{host} refused the request (status {status}{code}).",
            host=host,
            status=str(status),
            code=_code(refusal.text),
        ),
        tr("Check the model's name and its sampling settings."),
    )


_SENTENCES = {
    401: (tr_later("{host} did not accept the API key."), tr_later("Enter the key again in the model's settings.")),
    402: (
        tr_later("The account at {host} has no credit left."),
        tr_later("Add credit there, or choose another model."),
    ),
    403: (
        tr_later("{host} does not allow this model with this API key."),
        tr_later("Check the key's rights, or choose another model."),
    ),
}


def _not_found(refusal: Refusal, host: str, model: str) -> OutsideError:
    if refusal.mentions("model"):
        return OutsideError(
            tr("{host} has no model named {model!r}.", host=host, model=model),
            tr("Choose one of the models that it offers."),
        )
    return OutsideError(
        tr("There is no OpenAI-compatible endpoint at this address of {host}.", host=host),
        tr("Check the address; it often ends in /v1."),
    )


def _too_many(refusal: Refusal, host: str) -> OutsideError:
    wait = refusal.retry_after_s
    if refusal.mentions("insufficient_quota"):
        return OutsideError(
            tr("The quota at {host} is used up.", host=host), tr("Add credit there, or choose another model.")
        )
    when = tr("Wait a little, then try again.")
    if wait:
        when = tr("Wait {seconds} seconds, then try again.", seconds=str(round(wait)))
    return OutsideError(tr("{host} takes no more requests for now.", host=host), when, retryable=True)


def _prompt_tokens(text: str) -> int | None:
    try:
        count = json.loads(text)["error"]["n_prompt_tokens"]
    except (ValueError, LookupError, TypeError, RecursionError):
        return None
    return count if isinstance(count, int) else None


def _code(text: str) -> str:
    """Return the server's code for the error, if it is a plain word."""
    try:
        error = json.loads(text)["error"]
        code = error.get("code") or error.get("type")
    except (ValueError, LookupError, TypeError, AttributeError, RecursionError):
        return ""
    return f", {code}" if isinstance(code, str) and _CODE.fullmatch(code) else ""
