"""What an erasure is told in, before, while and after it: plain sentences out of its plan and its receipt. No Qt."""

from __future__ import annotations

from collections.abc import Sequence

from familiar_app.domain.erasure import ErasurePlan, Receipt, in_words
from familiar_app.domain.text import tr, tr_later
from familiar_app.store.profile_inventory import WholePlan

WHAT = {
    "person": tr_later(
        "Everything they said and all that is known of them is removed for good. What others said stays, without "
        "their name."
    ),
    "message": tr_later("The message is removed for good, with whatever was drawn from it alone."),
    "channel": tr_later(
        "Everything that was said in this channel is removed for good, with whatever was drawn from it alone."
    ),
    "familiar": tr_later(
        "The familiar is removed for good, with all that it said and believes, and its folder: character, picture "
        "and lorebook."
    ),
    "everything": tr_later(
        "The whole profile is removed from this computer for good: all familiars, all that was said, the settings and "
        "the keys. Afterwards Familiar starts as on its first day."
    ),
}
BACKUPS = tr_later("Backups made before still have it until they are pruned. Going back to one erases it again.")
_CANON = tr_later("Character texts and lorebooks were written by you and stay as they are.")
_OTHERS = tr_later("Other familiars and the lorebooks of everybody stay as they are.")
BUSY = tr_later("Should the program end meanwhile, it goes on when the vault is next opened.")
BACKUP_FIRST = tr_later("Make a backup first")
BACKUP_KEEPS = tr_later(
    "A backup keeps everything as it is now, this familiar too: whoever opens it finds it there. It is removed after "
    "thirty days, with all others in the folder of backups that still have it; copies elsewhere are yours to look "
    "after."
)
MODELS_TOO = tr_later("Erase downloaded models too")
MODELS_HOLD = tr_later("{models}. Such files hold nothing of you, and would have to be fetched again.")
ERASE_WORD = tr_later("erase everything")
"""What has to be typed before everything goes."""
ELSEWHERE = tr_later(
    "Backups that you copied elsewhere, exported files and what was sent to others are not touched: they are yours to "
    "look after."
)
KEY_LEFT = tr_later(
    "The keyring of this computer did not give up its copy of the key. Nothing is left that it opens here; remove the "
    "entry “Familiar vault” there by hand."
)


def title(plan: ErasurePlan) -> str:
    """Return the heading of the question."""
    if plan.kind == "message":
        return tr("Erase message {name}?", name=plan.label)
    return tr("Erase {name}?", name=plan.label)


def title_while(plan: ErasurePlan) -> str:
    """Return the heading while it is going on."""
    if plan.kind == "message":
        return tr("Erase message {name}", name=plan.label)
    return tr("Erase {name}", name=plan.label)


def notes(plan: ErasurePlan) -> list[str]:
    """Return what stands below every plan."""
    texts = _OTHERS if plan.kind == "familiar" else _CANON
    return [tr(texts), tr(BACKUPS)]


def removed_lines(plan: ErasurePlan) -> list[str]:
    """Return what goes."""
    return [", ".join(in_words(plan.removed)) or tr("Nothing is stored any more.")]


def redacted_lines(plan: ErasurePlan | Receipt) -> list[str]:
    """Return where the name is taken out, nothing where it stands nowhere."""
    return [", ".join(in_words(plan.redacted))] if in_words(plan.redacted) else []


def sample_lines(plan: ErasurePlan) -> list[str]:
    """Return some texts as they will be."""
    return [f"{one.where[:1].upper()}{one.where[1:]}: {one.after}" for one in plan.samples]


def kept_line(names: Sequence[str]) -> str:
    """Return what is said of names that stay, "" where there are none."""
    if not names:
        return ""
    listed = ", ".join(tr("“{name}”", name=name) for name in names)
    return tr("Somebody else is called {names} too, so that name stays where it is written.", names=listed)


def done_line(receipt: Receipt) -> str:
    """Return the one sentence about an erasure that is complete."""
    return tr("Erased: {what}.", what=", ".join(in_words(receipt.removed)) or tr("nothing"))


def whole_lines(plan: WholePlan) -> list[str]:
    """Return what goes with a profile, but for its models, which are a choice of their own."""
    return [part.in_words() for part in plan.parts if part.kind != "models"]


def models_line(plan: WholePlan) -> str:
    """Return what there is of downloaded models, "" where there are none."""
    return next((part.in_words() for part in plan.parts if part.kind == "models"), "")


def staying_lines(plan: WholePlan) -> list[str]:
    """Return what stays, and why."""
    lines = []
    if plan.stays:
        names = ", ".join(plan.stays)
        lines.append(tr("In its folder, but not made by Familiar: {names}", names=names))
    if plan.foreign:
        lines.append(tr("Backups of other vaults in {folder}: {n}", folder=str(plan.elsewhere), n=plan.foreign))
    return lines
