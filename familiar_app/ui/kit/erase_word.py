"""What an erasure is told in, before, while and after it: plain sentences out of its plan and its receipt. No Qt."""

from __future__ import annotations

from collections.abc import Sequence

from familiar_app.domain.erasure import ErasurePlan, Receipt, in_words

WHAT = {
    "person": "Everything they said and all that is known of them is removed for good. What others said stays, without "
    "their name.",
    "message": "The message is removed for good, with whatever was drawn from it alone.",
    "channel": "Everything that was said in this channel is removed for good, with whatever was drawn from it alone.",
    "familiar": "The familiar is removed for good, with all that it said and believes, and its folder.",
}
NOTES = (
    "Character texts and lorebooks were written by you and stay as they are.",
    "Backups made before still have it until they are pruned. Going back to one erases it again.",
)
BUSY = "Should the program end meanwhile, it goes on when the vault is next opened."


def title(plan: ErasurePlan) -> str:
    """Return the heading of the question."""
    return f"Erase message {plan.label}?" if plan.kind == "message" else f"Erase {plan.label}?"


def removed_lines(plan: ErasurePlan) -> list[str]:
    """Return what goes."""
    return [", ".join(in_words(plan.removed)) or "Nothing is stored any more."]


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
    listed = ", ".join(f"“{name}”" for name in names)
    return f"Somebody else is called {listed} too, so that name stays where it is written."


def done_line(receipt: Receipt) -> str:
    """Return the one sentence about an erasure that is complete."""
    return f"Erased: {', '.join(in_words(receipt.removed)) or 'nothing'}."
