"""Opens the company of a vault, for the window and for `serve` alike: where Discord is, and where tokens are locked."""

from __future__ import annotations

import logging
import os
from functools import partial

from familiar_app.discord_link.company import Company, Report, addresses_from
from familiar_app.domain.clock import Clock
from familiar_app.domain.ids import FamiliarId
from familiar_app.domain.task import TaskRegistry
from familiar_app.models.network import NetworkPolicy
from familiar_app.store.profile import Profile
from familiar_app.store.token_lock import default_lock_folder
from familiar_app.store.vault import Vault

log = logging.getLogger(__name__)


def open_company(
    vault: Vault, profile: Profile, network: NetworkPolicy, clock: Clock, tasks: TaskRegistry, report: Report
) -> Company:
    """Return the company of a vault, with nobody connected yet. Raises UserError where the environment misleads."""
    return Company(
        vault=vault,
        network=network,
        clock=clock,
        tasks=tasks,
        locks=default_lock_folder(),
        addresses=addresses_from(os.environ),
        report=report,
        picture=partial(_picture, profile),
    )


def _picture(profile: Profile, familiar: FamiliarId) -> bytes | None:
    """Return a familiar's picture; without one, or where it cannot be read, it goes without."""
    path = profile.avatar(familiar)
    try:
        return None if path is None else path.read_bytes()
    except OSError:
        log.warning("a familiar's picture could not be read")
        return None
