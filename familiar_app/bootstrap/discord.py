"""Makes the hub that connects the window's familiars to Discord; loads the client library once one is to connect."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from familiar_app.discord_link.hub import Hub
from familiar_app.services import Services

if TYPE_CHECKING:
    from familiar_app.discord_link.company import Company


def build_hub(services: Services) -> Hub:
    """Return a hub over open services, with nobody connected yet."""

    async def make(hub: Hub) -> Company:
        await asyncio.to_thread(_load)
        from familiar_app.discord_link.opening import open_company

        company = open_company(
            services.vault, services.profile, services.network, services.clock, services.tasks, hub.report
        )
        company.journals, company.on_surroundings = hub.journals, hub.look_soon
        return company

    return Hub(
        services.vault,
        services.tasks,
        lambda: {familiar: hosted.conversation for familiar, hosted in services.familiars.items()},
        make,
    )


def _load() -> None:
    """Import what takes long, away from the loop."""
    import familiar_app.discord_link.opening  # noqa: F401
