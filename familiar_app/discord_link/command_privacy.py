"""`/privacy`: how much of whoever asks may be kept, what each level does, and the privacy statement."""

from __future__ import annotations

from familiar_app.discord_link.page import Ask, Page, Press, Routes
from familiar_app.domain.privacy import PrivacyLevel

_SET, _STATEMENT, _ASK_FIRST = "privacy.set", "privacy.statement", "privacy.server"
_LEVELS = {
    PrivacyLevel.NONE: (
        "Remember me",
        "your messages are kept where the familiar listens, and it may note facts, write a portrait of you, and save "
        "memories about you",
    ),
    PrivacyLevel.PARTIAL: (
        "Messages only",
        "your messages are kept for the conversation, but nothing is noted, saved or shown about you",
    ),
    PrivacyLevel.FULL: (
        "Nothing at all",
        "your messages are not kept either, and the familiar does not hear them; what you said before is hidden",
    ),
}


def add_routes(routes: Routes) -> None:
    """Say what the buttons of these pages do."""
    routes.does |= {_SET: _set, _STATEMENT: _statement}


async def show(ask: Ask) -> Page:
    """Show the level with what each one does."""
    return await _page(ask)


async def ask_first(ask: Ask) -> Page:
    """Let the server ask people before anything about them is kept, or not; for those who manage it."""
    if not ask.asker.manages or ask.asker.guild is None:
        return Page("Only those who manage this server can do that.")
    on = bool(ask.args) and ask.args[0] == "on"
    privacy = ask.host.vault.privacy
    await privacy.set_opt_in(ask.asker.guild, on, familiar=ask.host.familiar, by=ask.asker.key)
    if on:
        return Page(
            f"{ask.host.name} asks first on this server: nothing is noted or saved about people who have not agreed "
            "with /privacy. What was noted before about those who have not is hidden."
        )
    return Page(
        f"{ask.host.name} does not ask first on this server. Everybody still chooses for themselves with /privacy."
    )


async def _page(ask: Ask, note: str = "") -> Page:
    privacy, asker = ask.host.vault.privacy, ask.asker
    level = await privacy.get(asker.key)
    unasked = asker.guild in await privacy.opt_in_servers() and not await privacy.has_chosen(asker.key)
    lines = [note, f"**What {ask.host.name} may keep about you**"]
    if unasked:
        level = max(level, PrivacyLevel.PARTIAL, key=list(PrivacyLevel).index)
        lines.append("This server asks first, and you have not agreed: only your messages are kept until you do.")
    else:
        lines.append(f"Now: **{_LEVELS[level][0]}**.")
    lines += [f"- **{label}**: {meaning}." for label, meaning in _LEVELS.values()]
    lines.append("Your choice holds wherever this program listens, for all of its familiars.")
    rows = (
        tuple(
            Press(_label(one, unasked=unasked), _SET, (str(one),), disabled=one is level and not unasked)
            for one in PrivacyLevel
        ),
        (
            Press("How memory is handled here", _STATEMENT),
            Press("What do you know?", "know.page", ("0",)),
            Press("Erase everything…", "forget.everything"),
        ),
    )
    return Page("\n".join(line for line in lines if line), rows)


def _label(level: PrivacyLevel, *, unasked: bool) -> str:
    return "I agree: remember me" if unasked and level is PrivacyLevel.NONE else _LEVELS[level][0]


async def _set(ask: Ask) -> Page:
    chosen = ask.args[0] if ask.args else ""
    if chosen not in list(PrivacyLevel):
        return await _page(ask)
    level, asker = PrivacyLevel(chosen), ask.asker
    privacy = ask.host.vault.privacy
    before = await privacy.get(asker.key)
    await privacy.set(asker.key, level, familiar=ask.host.familiar, by=asker.key)
    note = "Your choice is kept."
    order = list(PrivacyLevel)
    if order.index(level) > order.index(before):
        note += " What was noted before is hidden from now on; `/forget` erases it for good."
    return await _page(ask, note)


async def _statement(ask: Ask) -> Page:
    text = await ask.host.statement(ask.asker.guild)
    return Page("How memory is handled here, from the settings as they are now:", file=("privacy.md", text))
