"""Nothing that was said, nobody's name and no key is readable in any file, while the program runs and after a kill."""

from __future__ import annotations

import base64
import json
import os
import signal
import threading
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import TYPE_CHECKING, Any

import psutil
import pytest

from tests.doubles.waiting import PATIENCE_S, until_seen

if TYPE_CHECKING:
    from subprocess import Popen

    from tests.e2e.cli.conftest import Familiar

pytestmark = [pytest.mark.slow, pytest.mark.skipif(os.name == "nt", reason="signals of POSIX")]

SENTENCE = "The quince jam stands behind the blue accordion"
ANSWER = "Then nobody but the postman will ever find it"
IMPORTED = "Wolves were counted near the third lighthouse"
NAME = "Wilhelmine Quastenflosser"
API_KEY = "sk-planted-0451-zanzibar"


def forms(secret: str) -> list[bytes]:
    """Return the bytes in which a text could stand in a file."""
    plain = secret.encode()
    return [plain, plain.lower(), secret.encode("utf-16-le"), base64.b64encode(plain)[:-4], plain.hex().encode()]


SECRETS = (SENTENCE, ANSWER, IMPORTED, NAME, API_KEY)


def files_of(familiar: Familiar, processes: list[psutil.Process]) -> Iterator[tuple[str, bytes]]:
    """Yield every file the program may write, and every file it has open that nobody else could name any more."""
    for path in familiar.root.rglob("*"):
        if path.is_file():
            yield str(path), path.read_bytes()
    for process in processes:
        for handle in Path(f"/proc/{process.pid}/fd").glob("*"):
            try:
                target = handle.readlink()
                if "(deleted)" in str(target) and handle.is_file():
                    yield str(target), handle.read_bytes()
            except OSError:
                continue


def found_in(familiar: Familiar, processes: list[psutil.Process]) -> list[tuple[str, str]]:
    needles = {needle: secret for secret in (*SECRETS, familiar.passphrase) for needle in forms(secret)}
    found = []
    seen = 0
    for name, data in files_of(familiar, processes):
        seen += 1
        lowered = data.lower()
        found += [(name, secret) for needle, secret in needles.items() if needle in data or needle in lowered]
    assert seen >= 4, "there was nothing to search: the test saw nothing"
    return found


def family(process: Popen[str]) -> list[psutil.Process]:
    parent = psutil.Process(process.pid)
    return [parent, *parent.children(recursive=True)]


def search_paused(familiar: Familiar, process: Popen[str]) -> list[tuple[str, str]]:
    """Search while the program and its children stand still."""
    everybody = family(process)
    for one in everybody:
        one.send_signal(signal.SIGSTOP)
    try:
        return found_in(familiar, everybody)
    finally:
        for one in everybody:
            one.send_signal(signal.SIGCONT)


class SlowServer:
    """A model server that says half of its answer and then waits. Keeps the keys it was sent."""

    def __init__(self) -> None:
        self.keys: list[str | None] = []
        self.half_said = threading.Event()
        self.go_on = threading.Event()
        server = self

        class Handler(BaseHTTPRequestHandler):
            def log_message(self, *args: object) -> None:
                pass

            def do_POST(self) -> None:
                server.keys.append(self.headers.get("Authorization"))
                self.rfile.read(int(self.headers["Content-Length"]))
                self.send_response(200)
                self.send_header("Content-Type", "text/event-stream")
                self.end_headers()
                half = len(ANSWER) // 2
                self._say(ANSWER[:half])
                server.half_said.set()
                server.go_on.wait(120)
                try:
                    self._say(ANSWER[half:], "stop")
                    self.wfile.write(b"data: [DONE]\n\n")
                except OSError:
                    return

            def _say(self, text: str, finish: str | None = None) -> None:
                choice: dict[str, Any] = {"index": 0, "delta": {"content": text}, "finish_reason": finish}
                self.wfile.write(f"data: {json.dumps({'choices': [choice]})}\n\n".encode())
                self.wfile.flush()

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = False
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}/v1"
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.05,))
        self._thread.start()

    def close(self) -> None:
        self.go_on.set()
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


@pytest.fixture
def server() -> Iterator[SlowServer]:
    server = SlowServer()
    yield server
    server.close()


@pytest.fixture
def hosted(familiar: Familiar, server: SlowServer) -> Familiar:
    """A familiar that answers by the slow server, with a key."""
    key = familiar.outside / "key"
    key.write_text(API_KEY + "\n")
    made = familiar(
        "init", "--id", "slow", "--name", "Slow", "--model", f"openai:{server.url}#m", "--api-key-file", str(key)
    )
    assert made.code == 0, made.err
    return familiar


def test_nothing_is_readable_while_the_answer_comes_nor_after_a_kill(hosted: Familiar, server: SlowServer) -> None:
    source = hosted.outside / "in.jsonl"
    author = {"key": "discord:7", "name": NAME, "username": NAME}
    source.write_text(
        "".join(
            json.dumps(
                {
                    "channel": "discord:1",
                    "role": "user",
                    "content": f"{IMPORTED} {n}",
                    "at": "2024-05-01",
                    "author": author,
                }
            )
            + "\n"
            for n in range(500)
        )
    )
    assert hosted("import", str(source), "--familiar", "slow").code == 0
    assert found_in(hosted, []) == []

    process = hosted.start("say", SENTENCE, "--as", NAME, "--familiar", "slow")
    assert server.half_said.wait(60)
    assert process.stdout is not None
    assert ANSWER.startswith(process.stdout.read(5))
    assert server.keys == [f"Bearer {API_KEY}"]
    assert search_paused(hosted, process) == []
    hosted.kill(process)
    assert found_in(hosted, []) == []
    [said] = [turn for turn in hosted.turns() if turn.content == SENTENCE]
    assert said.author is not None
    assert said.author.name == NAME


def test_nothing_is_readable_after_a_whole_exchange(hosted: Familiar, server: SlowServer) -> None:
    server.go_on.set()
    said = hosted("say", SENTENCE, "--as", NAME, "--familiar", "slow", "--json")
    assert said.json["reply"] == ANSWER
    assert hosted("rekey").code == 0
    assert found_in(hosted, []) == []
    assert [turn.content for turn in hosted.turns()] == [SENTENCE, ANSWER]


def test_a_failure_tells_no_file_what_was_said(familiar: Familiar) -> None:
    script = familiar.script("never", name="deaf.jsonl", match="words that nobody says")
    familiar("init", "--id", "deaf", "--name", "Deaf", "--model", f"scripted:{script}")
    assert familiar("say", SENTENCE, "--as", NAME, "--familiar", "deaf").code == 5
    bad = familiar.outside / "bad.jsonl"
    bad.write_text(json.dumps({"channel": "discord:1", "role": "king", "content": IMPORTED, "author": NAME}) + "\n")
    failed = familiar("import", str(bad), "--familiar", "deaf")
    assert failed.code == 4
    assert IMPORTED not in failed.out + failed.err
    assert NAME not in failed.out + failed.err
    assert found_in(familiar, []) == []


def test_the_models_own_process_leaves_nothing_readable(bundled: Familiar) -> None:
    process = bundled.start("say", SENTENCE, "--as", NAME)
    assert process.stderr is not None
    assert process.stderr.readline() == "Turn 1 is stored.\n"
    until_seen(lambda: len(family(process)) > 1, "the model's own process")
    children = family(process)[1:]
    assert len(children) == 1, "the model has no process of its own"
    for _ in range(3):
        if process.poll() is None:
            assert search_paused(bundled, process) == []
            time.sleep(0.3)
    bundled.kill(process)
    assert found_in(bundled, []) == []
    assert bundled.turns()[0].content == SENTENCE
    _, alive = psutil.wait_procs(children, timeout=PATIENCE_S)
    assert alive == [], "the model's process outlived the program"


def test_a_paused_import_has_nothing_readable(familiar: Familiar) -> None:
    author = {"key": "discord:7", "name": NAME}
    line = {"channel": "discord:1", "role": "user", "at": "2024-05-01", "author": author}
    source = familiar.outside / "in.jsonl"
    source.write_text("".join(json.dumps(line | {"content": f"{IMPORTED} {n}"}) + "\n" for n in range(20_000)))
    with source.open("rb") as stream:
        ran = familiar.start("import", "-", given=stream)
        assert ran.stderr is not None
        while "stored" not in ran.stderr.readline():
            pass
        assert search_paused(familiar, ran) == []
        familiar.kill(ran)
    assert found_in(familiar, []) == []
    assert familiar.turns()[0].content == f"{IMPORTED} 0"
