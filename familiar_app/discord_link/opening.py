"""Opens the company of a vault, for the window and for `serve` alike: where Discord is, and where tokens are locked."""

from __future__ import annotations

import os

from familiar_app.discord_link.company import Company, Report, addresses_from
from familiar_app.domain.clock import Clock
from familiar_app.domain.task import TaskRegistry
from familiar_app.models.network import NetworkPolicy
from familiar_app.store.token_lock import default_lock_folder
from familiar_app.store.vault import Vault


def open_company(vault: Vault, network: NetworkPolicy, clock: Clock, tasks: TaskRegistry, report: Report) -> Company:
    """Return the company of a vault, with nobody connected yet. Raises UserError where the environment misleads."""
    return Company(
        vault=vault,
        network=network,
        clock=clock,
        tasks=tasks,
        locks=default_lock_folder(),
        addresses=addresses_from(os.environ),
        report=report,
    )
