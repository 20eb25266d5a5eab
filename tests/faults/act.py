"""What a person does when the fault comes: each act with its command, and what it may change."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from familiar_app.domain.errors import FamiliarError
from familiar_app.store.restore import look_inside
from tests.e2e.cli.conftest import PASSPHRASE
from tests.faults.house import House, Known, Ran

LINES = 700
PAST_LINES = 300
FORGOTTEN = "discord:3"
_STORED = re.compile(r"Turn (\d+) is stored\.$")
_ANSWERED = re.compile(r"Turn (\d+) is stored; its trace is \d+\.$")
_IMPORTED = re.compile(r"(\d+) of \d+ turns stored$")


def _nothing(_house: House, _ran: Ran) -> list[str]:
    return []


def _no_turn(_ran: Ran) -> Mapping[int, str]:
    return {}


def _all_kept(_text: str) -> bool:
    return False


@dataclass(frozen=True)
class Attempt:
    """One act about to be done.

    `promised` reads out of what was said which turns are stored. `goes` tells which texts it may take away. `reaches`
    looks at its effect once it was acknowledged. `again` are the codes with which it may end when it is done once more.
    """

    argv: Sequence[str]
    promised: Callable[[Ran], Mapping[int, str]] = _no_turn
    goes: Callable[[str], bool] = _all_kept
    instead: Sequence[Mapping[int, str]] = ()
    reaches: Callable[[House, Ran], list[str]] = _nothing
    judge: Callable[[House, Ran, Known], list[str]] = field(default=lambda _house, _ran, _known: [])
    again: frozenset[int] = frozenset({0})
    sets_up: bool = False
    """Whether there was no vault before, so that there may be none afterwards."""
    ends_all: bool = False
    """Whether it takes the vault away, so that the next start goes on with that."""
    at_last: Callable[[House], list[str]] = lambda _house: []
    """Looks at what is left once the act was done to its end."""


def lines_of(path: Path, name: str, count: int, people: int = 9) -> Path:
    """Write turns of a channel as JSON Lines."""
    with path.open("w", encoding="utf-8") as stream:
        for place in range(count):
            author = {"key": f"discord:{place % people}", "name": f"Name {place % people}"}
            turn = {"channel": "discord:1", "role": "user", "at": "2024-05-01T12:00:00Z", "author": author}
            words = f"{name} {place} by {place % people}: the quince stands behind the mill"
            stream.write(json.dumps(turn | {"content": words, "message_id": f"{name}:{place}"}) + "\n")
    return path


def build_past(house: House, make_cheap: Callable[[Path], None]) -> None:
    """Make a profile with a log, facts, a memory, a lorebook, and a backup outside of it."""
    answers = house.familiar.script(*[f"Answer {n}." for n in range(1, 6)])
    _well(house.run("init", "--name", "Aria", "--model", f"scripted:{answers}", "--json"))
    make_cheap(house.profile)
    _well(house.run("import", str(lines_of(house.outside / "past.jsonl", "past", PAST_LINES))))
    for number in range(3):
        _well(house.run("say", f"hello {number}"))
        _well(house.run("fact", "add", f"The mill has {number + 2} wheels.", "--subject", "discord:1"))
    _well(house.run("backup", str(house.outside / "kept.backup")))
    _well(house.run("say", "after the backup"))


def _well(ran: Ran) -> None:
    assert ran.code == 0, ran.out + ran.err


def _say(house: House, number: int) -> Attempt:
    text = f"message {number}"

    def promised(ran: Ran) -> Mapping[int, str]:
        asked = {int(match[1]): text for line in ran.lines if (match := _STORED.match(line))}
        return asked | {int(match[1]): "Answer 1." for line in ran.lines if (match := _ANSWERED.match(line))}

    return Attempt(("say", text), promised)


def _import(house: House, number: int) -> Attempt:
    name = f"new{number}"
    source = lines_of(house.outside / "new.jsonl", name, LINES)

    def judge(_house: House, ran: Ran, known: Known) -> list[str]:
        said = max((int(match[1]) for line in ran.lines if (match := _IMPORTED.match(line))), default=0)
        said = LINES if ran.code == 0 else said
        there = [text.split()[1] for text in known.turns.values() if text.startswith(f"{name} ")]
        if there != [str(place) for place in range(len(there))]:
            return ["the import is not the beginning of its file"]
        return [f"{said} turns were acknowledged, {len(there)} are there"] if len(there) < said else []

    return Attempt(("import", str(source)), judge=judge)


def _fact(house: House, number: int) -> Attempt:
    def reaches(house: House, ran: Ran) -> list[str]:
        shown = house.run("fact", "show", str(ran.json["id"]), "--json")
        return [] if shown.code == 0 and f"{number} herons" in shown.out else ["an acknowledged fact is not there"]

    return Attempt(("fact", "add", f"There are {number} herons.", "--subject", "discord:2", "--json"), reaches=reaches)


def _memory(house: House, number: int) -> Attempt:
    def reaches(house: House, _ran: Ran) -> list[str]:
        return [] if f"{number} lanterns" in house.run("memory", "list", "--json").out else ["a memory is not there"]

    return Attempt(
        ("memory", "add", f"There are {number} lanterns.", "--person", "discord:2", "--json"), reaches=reaches
    )


def _backup(house: House, number: int) -> Attempt:
    name = f"{number}.backup"

    def judge(house: House, ran: Ran, known: Known) -> list[str]:
        target = house.outside / name
        if not target.exists():
            return ["an acknowledged backup is not there"] if ran.code == 0 else []
        return _unsound_backup(target)

    return Attempt(("backup", str(house.outside / name)), judge=judge, again=frozenset({0, 4}))


def _own_backup(house: House, _number: int) -> Attempt:
    def judge(house: House, _ran: Ran, _known: Known) -> list[str]:
        return [one for path in (house.profile / "backups").glob("*.backup") for one in _unsound_backup(path)]

    return Attempt(("backup",), judge=judge)


def _unsound_backup(path: Path) -> list[str]:
    try:
        look_inside(path, "passphrase", PASSPHRASE)
    except FamiliarError as error:
        return [f"a file that bears a backup's name is none: {error.message}"]
    return []


def _restore(house: House, _number: int) -> Attempt:
    kept = house.outside / "kept.backup"
    old = {key: text for key, text in _log(house).items() if key <= PAST_LINES + 6 + 3}
    return Attempt(("restore", str(kept)), instead=(old,))


def _log(house: House) -> Mapping[int, str]:
    known = house.look()
    assert isinstance(known, Known)
    return known.turns


def _plain(*argv: str) -> Callable[[House, int], Attempt]:
    return lambda _house, _number: Attempt(argv)


def _forget(house: House, _number: int) -> Attempt:
    # Whoever is gone is not known any more when it is asked for once more.
    def reaches(house: House, _ran: Ran) -> list[str]:
        left = [text for text in _log(house).values() if "by 3:" in text]
        return [f"{len(left)} messages of an erased person are there"] if left else []

    return Attempt(
        ("person", "forget", FORGOTTEN, "--yes"),
        goes=lambda text: "by 3:" in text,
        reaches=reaches,
        again=frozenset({0, 4}),
    )


def _export(house: House, number: int) -> Attempt:
    target = house.outside / "out.jsonl"
    target.write_text("the old file\n", encoding="utf-8")

    def judge(house: House, ran: Ran, known: Known) -> list[str]:
        text = (house.outside / "out.jsonl").read_text(encoding="utf-8")
        if text == "the old file\n":
            return ["an acknowledged export is not there"] if ran.code == 0 else []
        bad = [line for line in text.splitlines() if not line.endswith("}")]
        return ["an exported file is cut off"] if bad or len(text.splitlines()) < PAST_LINES else []

    return Attempt(("export", "turns", str(target), "--force"), judge=judge)


def _second(house: House, number: int) -> Attempt:
    answers = house.outside / "answers.jsonl"
    return Attempt(
        ("init", "--id", "second", "--name", "Bela", "--model", f"scripted:{answers}"), again=frozenset({0, 4})
    )


def _set_up(house: House, _number: int) -> Attempt:
    shutil.rmtree(house.profile)
    answers = house.outside / "answers.jsonl"
    argv = ("init", "--id", "aria", "--name", "Aria", "--model", f"scripted:{answers}")
    return Attempt(argv, instead=({},), again=frozenset({0, 4}), sets_up=True)


def _erase_familiar(house: House, number: int) -> Attempt:
    answers = house.outside / "answers.jsonl"
    _well(house.run("init", "--id", "second", "--name", "Bela", "--model", f"scripted:{answers}"))
    _well(house.run("say", f"only Bela hears {number}", "--familiar", "second"))

    def judge(house: House, _ran: Ran, known: Known) -> list[str]:
        folder = house.profile / "familiars" / "second"
        left = [text for text in known.turns.values() if "only Bela hears" in text]
        return ["a familiar's folder went before its words"] if left and not folder.exists() else []

    def at_last(house: House) -> list[str]:
        left = [text for text in _log(house).values() if "only Bela hears" in text]
        left += [path.name for path in (house.profile / "familiars").iterdir() if "second" in path.name]
        left += ["its id in the settings"] * ("second" in (house.profile / "settings.toml").read_text(encoding="utf-8"))
        return [f"of an erased familiar there is {left}"] if left else []

    argv = ("familiar", "forget", "second", "--yes")
    return Attempt(argv, judge=judge, again=frozenset({0, 4}), at_last=at_last)


def _erase_all(house: House, _number: int) -> Attempt:
    (house.profile / "theirs.txt").write_text("theirs", encoding="utf-8")
    (house.profile / "backups" / "theirs.zip").parent.mkdir(exist_ok=True)
    (house.profile / "backups" / "theirs.zip").write_text("theirs", encoding="utf-8")

    def at_last(house: House) -> list[str]:
        left = sorted(path.name for path in house.profile.rglob("*") if path.is_file())
        return [] if left == ["theirs.txt", "theirs.zip", "vault.lock"] else [f"of an erased profile there is {left}"]

    argv = ("everything", "forget", "--yes-erase-everything", house.profile.name)
    return Attempt(argv, again=frozenset({0, 4}), ends_all=True, at_last=at_last)


def _lorebook(house: House, number: int) -> Attempt:
    entry = {"keys": [f"mill{number}"], "content": f"The mill of {number}.", "enabled": True, "insertion_order": 1}
    book = {
        "spec": "lorebook_v3",
        "data": {"name": "Mills", "entries": [entry | {"extensions": {}, "use_regex": False}]},
    }
    source = house.outside / "book.json"
    source.write_text(json.dumps(book), encoding="utf-8")

    def reaches(house: House, _ran: Ran) -> list[str]:
        path = house.profile / "familiars" / "aria" / "lorebook.toml"
        there = path.exists() and f"mill{number}" in path.read_text(encoding="utf-8")
        return [] if there else ["an imported entry is not there"]

    return Attempt(("import", str(source)), reaches=reaches)


ACTS: Mapping[str, Callable[[House, int], Attempt]] = {
    "say": _say,
    "import": _import,
    "fact add": _fact,
    "memory add": _memory,
    "backup to a file": _backup,
    "backup": _own_backup,
    "restore": _restore,
    "rekey": _plain("rekey"),
    "vacuum": _plain("vacuum"),
    "rebuild": _plain("rebuild", "all"),
    "salvage": _plain("salvage"),
    "person forget": _forget,
    "familiar forget": _erase_familiar,
    "everything forget": _erase_all,
    "export": _export,
    "init": _set_up,
    "init a second familiar": _second,
    "import a lorebook": _lorebook,
}
WEIGHTS: Mapping[str, int] = {"say": 5, "import": 4, "restore": 2, "rekey": 2, "person forget": 2}
