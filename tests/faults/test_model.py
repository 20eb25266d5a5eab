"""A model that hangs, breaks off or dies: the message is stored, and the person hears what happened."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from typing import TYPE_CHECKING

import psutil
import pytest

from familiar_app.domain.ids import FamiliarId
from familiar_app.store.profile import Profile
from tests.doubles.waiting import PATIENCE_S, until_seen
from tests.faults import check
from tests.faults.house import House, Known, Ran

if TYPE_CHECKING:
    from tests.e2e.cli.conftest import Familiar

pytestmark = pytest.mark.slow
HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n"
HALF = b'data: {"choices": [{"index": 0, "delta": {"content": "Half an"}, "finish_reason": null}]}\n\n'
WAYS = {
    "never answers": (b"", False),
    "stops in the middle": (HEAD + HALF, False),
    "breaks off in the middle": (HEAD + HALF, True),
    "says nothing and hangs up": (b"", True),
    "talks nonsense": (b"\x00\xff" * 5_000, True),
}


class Endpoint:
    """A server that takes a request and then behaves badly, for as long as it lives."""

    def __init__(self, answer: bytes, hangs_up: bool) -> None:
        self._answer, self._hangs_up = answer, hangs_up
        self._listening = socket.create_server(("127.0.0.1", 0))
        self._held: list[socket.socket] = []
        self.url = f"http://127.0.0.1:{self._listening.getsockname()[1]}/v1"
        self._thread = threading.Thread(target=self._serve)
        self._thread.start()

    def _serve(self) -> None:
        while True:
            try:
                one, _ = self._listening.accept()
            except OSError:
                return
            one.recv(65_536)
            one.sendall(self._answer)
            if self._hangs_up:
                one.close()
            else:
                self._held.append(one)

    def close(self) -> None:
        self._listening.shutdown(socket.SHUT_RDWR)
        self._listening.close()
        self._thread.join()
        for one in self._held:
            one.close()


@pytest.fixture
def endpoint(request: pytest.FixtureRequest) -> Iterator[Endpoint]:
    made = Endpoint(*WAYS[request.param])
    yield made
    made.close()


@pytest.mark.parametrize("endpoint", WAYS, indirect=True)
def test_an_endpoint_that_fails_costs_the_answer_and_nothing_else(house: House, endpoint: Endpoint) -> None:
    made = house.run("init", "--id", "far", "--name", "Far", "--model", f"openai:{endpoint.url}#m")
    assert made.code == 0, made.err
    Profile(house.profile).save_config(
        FamiliarId("far"), {"models.prose.timeout_s": 1.0, "models.prose.max_retries": 0}
    )
    ran = house.run("say", "is anybody there?", "--familiar", "far", "--json")
    assert ran.code == 5, ran.out
    assert not list(check.ending(ran))
    found = house.look()
    assert isinstance(found, Known)
    assert not found.problems
    assert found.turns[ran.json["error"]["turn_id"]] == "is anybody there?"
    assert house.run("say", "and you?", "--familiar", "aria").code == 0


def test_a_model_process_that_dies_costs_the_answer_and_nothing_else(bundled: Familiar) -> None:
    process = bundled.start("say", "tell me a long story")
    assert process.stderr is not None
    assert process.stderr.readline() == "Turn 1 is stored.\n"
    parent = psutil.Process(process.pid)
    until_seen(lambda: parent.children() or process.poll() is not None, "the model's own process")
    for child in parent.children():
        child.kill()
    out, err = process.communicate(timeout=PATIENCE_S)
    assert process.returncode == 5, err
    assert not list(check.ending(Ran(("say",), process.returncode, out, err)))
    assert bundled.turns()[0].content == "tell me a long story"
    assert bundled("verify").code == 0
