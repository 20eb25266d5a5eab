"""A process that has the program imported already and forks one child for each command: the real program, without the
second that its imports take.

Reads one JSON object a line: what to run, and what shall go wrong. Answers with the child's process id, and with its
exit code once it has ended. Run with `bad_disk.c` loaded before everything else; starts no thread itself.
"""

from __future__ import annotations

import ctypes
import gc
import importlib
import json
import os
import resource
import sys
import time
from typing import Any

# Loaded by the first command in any case, but not by the first import.
LATE = (
    "argon2",
    "cryptography.hazmat.primitives.ciphers.aead",
    "familiar_app.bootstrap.application",
    "familiar_app.bootstrap.main",
    "familiar_app.cli.parser",
    "familiar_app.discord_link.link",
    "httpx",
    "keyring.backends.fail",
    "sqlcipher3.dbapi2",
)


def main() -> int:
    """Serve until standard input ends. A child returns its program's exit code from here."""
    for name in LATE:
        importlib.import_module(name)
    gc.freeze()
    answers = os.dup(1)
    for line in sys.stdin:
        wish = json.loads(line)
        child = os.fork()
        if child == 0:
            os.close(answers)
            return _be(wish)
        os.write(answers, json.dumps({"pid": child}).encode() + b"\n")
        _, status = os.waitpid(child, 0)
        os.write(answers, json.dumps({"code": os.waitstatus_to_exitcode(status)}).encode() + b"\n")
    return 0


def _be(wish: dict[str, Any]) -> int:
    """Become the program."""
    os.setsid()
    os.chdir(wish["folder"])
    os.environ.clear()
    os.environ.update(wish["environment"])
    time.tzset()
    _place(wish["input"], os.O_RDONLY, 0)
    _place(wish["out"], os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 1)
    _place(wish["err"], os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 2)
    _strike(wish)
    sys.argv = ["familiar", *wish["argv"]]
    from familiar_app.__main__ import main as run

    return run()


def _place(path: str, flags: int, number: int) -> None:
    opened = os.open(path, flags, 0o600)
    os.dup2(opened, number)
    os.close(opened)


def _strike(wish: dict[str, Any]) -> None:
    """Let happen what shall go wrong."""
    disk = ctypes.CDLL(None)
    disk.bad_disk_root(wish["root"].encode())
    if wish["record"]:
        disk.bad_disk_record(wish["record"].encode())
    if wish["rule"]:
        on, what, nth, forever, extra = wish["rule"]
        disk.bad_disk_rule(on, what, ctypes.c_long(nth), forever, ctypes.c_long(extra))
    for name, most in wish["limits"].items():
        kind = getattr(resource, name)
        resource.setrlimit(kind, (_now_used() + most if name == "RLIMIT_AS" else most, resource.RLIM_INFINITY))


def _now_used() -> int:
    with open("/proc/self/statm") as stream:  # noqa: PTH123 - nothing else is imported here
        return int(stream.read().split()[0]) * resource.getpagesize()


if __name__ == "__main__":
    sys.exit(main())
