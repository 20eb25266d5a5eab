"""`status` names everybody the program would speak to or has spoken to."""

from __future__ import annotations

from typing import Any

from familiar_app.cli import network_shape
from familiar_app.domain.clock import FixedClock
from familiar_app.domain.contact import MODEL_ENDPOINT, Contacts
from tests.unit.cli.conftest import NOW, Program


async def test_status_lists_the_hosts(program: Program, monkeypatch: Any) -> None:
    contacts = Contacts(FixedClock(NOW))
    contacts.note("models.example", MODEL_ENDPOINT)
    use = type(program.gate)._use

    def with_contacts(self: Any, vault: Any) -> None:
        use(self, vault)
        self.opened.network.contacts = contacts

    monkeypatch.setattr(type(program.gate), "_use", with_contacts)
    told = (await program("status", "--json")).json["network"]
    assert [(one["host"], one["expected"], one["allowed"], one["count"]) for one in told] == [
        ("huggingface.co", True, True, 0),
        ("models.example", False, True, 1),
    ]
    lines = (await program("status")).out
    assert "Host models.example: Model endpoint, allowed, once, last 2026-01-01T12:00:00Z" in lines
    assert "Host huggingface.co: Fetching models, allowed, never so far" in lines


def test_a_refused_host_is_told_with_the_reason() -> None:
    shape = {"host": "h", "purpose": "p", "used_by": ["Mira"], "allowed": False, "last_at": None, "count": 0}
    assert network_shape.network_lines([shape]) == [
        "Host h: p for Mira, refused while local-only mode is on, never so far"
    ]
