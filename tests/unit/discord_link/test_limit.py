"""Which limits are in force, by what Discord's answers say."""

from __future__ import annotations

from dataclasses import dataclass

from familiar_app.discord_link.limit import Limit, Limits

SEND = "/api/v10/channels/1/messages"


@dataclass
class Watch:
    now: float = 100.0

    def __call__(self) -> float:
        return self.now


def test_a_limit_holds_until_its_time_is_over() -> None:
    watch = Watch()
    limits = Limits(watch)
    assert not limits.answered(SEND, 200, {"X-RateLimit-Remaining": "3", "X-RateLimit-Reset-After": "5"})
    assert limits.answered(SEND, 200, {"X-RateLimit-Remaining": "0", "X-RateLimit-Reset-After": "5"})
    assert limits.answered("/api/v10/channels/1/typing", 429, {"Retry-After": "2.5"})
    assert limits.now() == (Limit("messages", 105.0, False), Limit("the typing indicator", 102.5, True))
    watch.now = 103.0
    assert limits.now() == (Limit("messages", 105.0, False),)
    watch.now = 105.0
    assert limits.now() == ()


def test_a_limit_without_a_time_holds_for_a_second() -> None:
    limits = Limits(Watch())
    assert limits.answered("/api/v10/elsewhere", 429, {"Retry-After": "soon"})
    assert limits.now() == (Limit("requests", 101.0, True),)
