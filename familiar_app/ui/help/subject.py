"""Which page of the manual belongs to which panel."""

from __future__ import annotations

from familiar_app.ui.help.manual import CONTENTS

PANEL = "panel:"
"""What a place of the help begins with when it is asked for by the panel one comes from."""

_PAGES = {
    "about": "manual/desktop#about-familiar",
    "backups": "manual/backups",
    "character": "manual/characters",
    "chat": "manual/talking",
    "discord": "manual/discord",
    "help": CONTENTS,
    "inbox": "manual/memory#the-inbox",
    "log": "manual/troubleshooting#the-log",
    "lorebook": "manual/lorebook",
    "models": "manual/models",
    "memories": "manual/saved-memories",
    "network": "manual/privacy",
    "people": "manual/memory#people",
    "prompts": "manual/prompts",
    "reflections": "manual/memory#reflections",
    "search": "manual/talking#finding-things",
    "settings": "manual/settings",
    "timeline": "manual/memory#the-timeline",
    "upkeep": "manual/memory#upkeep",
}


def page_of(panel: str) -> str:
    """Return the key of the page that tells about a panel; the contents where none does."""
    return _PAGES.get(panel, CONTENTS)


def wanted_key(key: str) -> str:
    """Turn the key of a place of the help into that of a spot of the manual."""
    return page_of(key.removeprefix(PANEL)) if key.startswith(PANEL) else key
