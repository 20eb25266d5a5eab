"""What must hold after a fault, in small checks that name what they miss; nothing here knows which fault it was."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from familiar_app.domain.errors import FamiliarError
from familiar_app.store.profile_inventory import MARK
from tests.faults.act import Attempt
from tests.faults.house import House, Known, Ran

CODES = frozenset({0, 2, 3, 4, 5})
LITTER = re.compile(r"\.(new|writing|part|partial|tmp)$|-journal$|\.new-(wal|shm)$")
_NEXT_STEP = re.compile(r"[A-Z'\"<].{8,}[.!?]$", re.DOTALL)


def ending(ran: Ran) -> Iterator[str]:
    """The exit code is one of the contract, and a failure is told in a sentence with a next step."""
    if "Traceback" in ran.err or "Fatal Python" in ran.err:
        yield f"a traceback was shown: {ran.err[-600:]}"
    if ran.killed or ran.code == 0:
        return
    if ran.code not in CODES:
        yield f"exit code {ran.code}: {(ran.out + ran.err)[-400:]}"
        return
    yield from sentence(ran)


def sentence(ran: Ran) -> Iterator[str]:
    """What went wrong is said, and what can be done about it."""
    if "--json" in ran.argv:
        error = ran.json.get("error") if ran.out.endswith("\n") else None
        told = [error["message"], error["next"]] if error else []
    else:
        marks = [place for place, line in enumerate(ran.lines) if line.startswith("familiar: ")]
        told = [line.strip() for line in ran.lines[marks[-1] :]] if marks else []
    if len(told) < 2:
        yield f"a failure without a sentence and a next step: {(ran.out + ran.err)[-300:]!r}"
    elif not _NEXT_STEP.search(told[-1]):
        yield f"the next step is no sentence: {told[-1]!r}"


def whole(found: Known | FamiliarError) -> Iterator[str]:
    """The vault opens, and nothing is wrong with it."""
    if isinstance(found, FamiliarError):
        yield f"the vault does not open: {found}"
        return
    yield from (f"verify: {one.where}: {one.what}" for one in found.problems)


def nothing_lost(before: Mapping[int, str], attempt: Attempt, ran: Ran, found: Known) -> Iterator[str]:
    """Every turn that was acknowledged, before or during the act, is there with its text."""
    wanted = {**before, **attempt.promised(ran)}
    if any(_there(other, found.turns, attempt) for other in attempt.instead):
        return
    if not _there(wanted, found.turns, attempt):
        lost = sorted(key for key, text in wanted.items() if found.turns.get(key) != text and not attempt.goes(text))
        yield f"{len(lost)} acknowledged turns are lost or changed, such as {lost[:5]}"


def _there(wanted: Mapping[int, str], turns: Mapping[int, str], attempt: Attempt) -> bool:
    return all(turns.get(key) == text or attempt.goes(text) for key, text in wanted.items())


def no_litter(house: House) -> Iterator[str]:
    """Nothing half-made lies in the profile after the next whole run."""
    for path in house.profile.rglob("*"):
        if path.is_file() and LITTER.search(path.name):
            yield f"left behind: {path.relative_to(house.profile)}"


def after(house: House, before: Mapping[int, str], attempt: Attempt, ran: Ran, harmless: bool) -> list[str]:
    """All checks of a profile that a fault has hit; what they miss, in words."""
    missed = list(ending(ran))
    if harmless and ran.code != 0 and not ran.killed:
        missed.append(f"a harmless fault let it end with {ran.code}: {(ran.out + ran.err)[-300:]}")
    if attempt.ends_all and _is_ending(house):
        return missed
    found = house.look()
    if attempt.sets_up and ran.code != 0 and not (house.profile / "vault.db").exists():
        return missed
    missed += whole(found)
    if isinstance(found, Known):
        missed += nothing_lost(before, attempt, ran, found)
        missed += attempt.judge(house, ran, found)
    if ran.code == 0:
        missed += attempt.reaches(house, ran)
    return missed


def _is_ending(house: House) -> bool:
    """Tell whether the profile is erased, or the next start will go on with that."""
    return (house.profile / MARK).exists() or not (house.profile / "vault.db").exists()


def once_more(house: House, attempt: Attempt) -> list[str]:
    """The same act without the fault succeeds, and leaves a vault without a fault or litter."""
    ran = house.run(*attempt.argv)
    missed = [f"once more: {one}" for one in ending(ran)]
    if ran.code not in attempt.again:
        missed.append(f"once more it ended with {ran.code}: {(ran.out + ran.err)[-300:]}")
    if attempt.sets_up and (said := house.run("say", "hello")).code != 0:
        missed.append(f"nobody answers: {(said.out + said.err)[-300:]}")
    missed += attempt.at_last(house)
    checked = house.run("verify", "--json")
    if checked.code != (4 if attempt.ends_all else 0):
        missed.append(f"verify ended with {checked.code}: {(checked.out + checked.err)[-400:]}")
    return missed + list(no_litter(house))
