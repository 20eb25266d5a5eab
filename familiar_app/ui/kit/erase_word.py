"""What an erasure is told in, before, while and after it: plain sentences out of its plan and its receipt. No Qt."""

from __future__ import annotations

from collections.abc import Sequence

from familiar_app.domain.erasure import ErasurePlan, Receipt, in_words
from familiar_app.domain.text import tr, tr_later

WHAT = {
    "person": tr_later(
        "Everything they said and all that is known of them is removed for good. What others said stays, without "
        "their name."
    ),
    "message": tr_later("The message is removed for good, with whatever was drawn from it alone."),
    "channel": tr_later(
        "Everything that was said in this channel is removed for good, with whatever was drawn from it alone."
    ),
    "familiar": tr_later("The familiar is removed for good, with all that it said and believes, and its folder."),
}
NOTES = (
    tr_later("Character texts and lorebooks were written by you and stay as they are."),
    tr_later("Backups made before still have it until they are pruned. Going back to one erases it again."),
)
BUSY = tr_later("Should the program end meanwhile, it goes on when the vault is next opened.")


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
