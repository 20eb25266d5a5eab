"""Refuses places that no export may write to, whatever was asked: folders, devices, and the files of a vault."""

from __future__ import annotations

import re
from pathlib import Path

from familiar_app.domain.errors import UserError
from familiar_app.domain.text import tr

# The database and key file with everything that can lie beside them: logs, locks, halves, copies before an upgrade.
_OF_A_VAULT = re.compile(r"vault\.(?:db|keys|lock)(?:[-.].*)?", re.IGNORECASE)


def refuse_target(path: Path) -> None:
    """Raise UserError where `path` is no place for a file that is written or replaced. Links are followed."""
    try:
        real = path.resolve()
        if real.is_dir():
            raise UserError(tr("{path} is a folder.", path=path), tr("Name a file."))
        if real.exists() and not real.is_file():
            raise UserError(tr("{path} is not an ordinary file.", path=path), tr("Name a file."))
    except (OSError, RuntimeError) as error:  # links in a circle, or a folder that may not be looked into
        raise UserError(tr("{path} cannot be looked up.", path=path), tr("Name another file.")) from error
    if any(_OF_A_VAULT.fullmatch(name) for name in (path.name, real.name)):
        raise UserError(tr("{path} has the name of a vault's file.", path=path), tr("Choose another name."))
