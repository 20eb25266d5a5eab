"""Names, once for each, the computers elsewhere that conversations are sent to, before a command can send anything."""

from __future__ import annotations

from familiar_app.cli.output import Output
from familiar_app.domain.statement import endpoint_hosts
from familiar_app.services import Services

_TOLD = "endpoint.told."


async def name_endpoints(services: Services, out: Output) -> None:
    """Tell of endpoints that were not told of before. In local-only mode nothing is sent, so nothing is told."""
    if services.network.local_only:
        return
    state = services.vault.state
    for host in endpoint_hosts(one.config for one in services.familiars.values()):
        if await state.get(f"{_TOLD}{host}") is None:
            whose = [one.name for one in services.familiars.values() if host in endpoint_hosts([one.config])]
            out.message(f"Conversations of {', '.join(whose)} are sent to {host}, as the settings say.")
            await state.set(f"{_TOLD}{host}", "told")
