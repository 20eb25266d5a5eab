"""`model`: which models are at hand on this computer, and whether a familiar's models answer."""

from __future__ import annotations

import argparse
from typing import Any

from familiar_app.cli.context import Command
from familiar_app.domain.chat import ModelInfo
from familiar_app.domain.errors import OutsideError
from familiar_app.domain.model_spec import BUNDLED_MODEL
from familiar_app.models.bundled import BUNDLED_NAME, bundled_model_path
from familiar_app.models.discovery import find_local_servers


def add_commands(commands: argparse._SubParsersAction[Any], common: argparse.ArgumentParser) -> None:
    """Add the commands of this family."""
    model = commands.add_parser(
        "model", parents=[common], help="look at the models", description="Look at the models on this computer."
    )
    acts = model.add_subparsers(title="commands", metavar="COMMAND", dest="model_command", required=True)
    listed = acts.add_parser(
        "list",
        parents=[common],
        help="list the models at hand",
        description="List the bundled model and those of the model servers that run on this computer, each with the "
        "SPEC that 'init --model' takes.",
    )
    listed.set_defaults(handler=run_list)
    check = acts.add_parser(
        "check",
        parents=[common],
        help="see whether a familiar's models can be used",
        description="Load or reach the models of a familiar. Exit code 5 where one cannot be used.",
    )
    check.set_defaults(handler=run_check)


async def run_list(command: Command) -> int:
    """Print the models at hand."""
    services = await command.open()
    found = _bundled()
    for server in await find_local_servers(services.network):
        found += [
            {"spec": f"openai:{server.base_url}#{name}", "name": name, "where": server.kind, "weak": None}
            for name in server.models
        ]
    if command.out.as_json:
        command.out.json(found)
    else:
        for one in found:
            command.out.line(f"{one['spec']}  ({one['where']})")
    return 0


def _bundled() -> list[dict[str, Any]]:
    try:
        bundled_model_path()
    except OutsideError:
        return []
    return [{"spec": BUNDLED_MODEL, "name": BUNDLED_NAME, "where": "comes with the program", "weak": True}]


async def run_check(command: Command) -> int:
    """Load or reach the familiar's models and print what is known of them."""
    services = await command.open()
    hosted = command.hosted(services)
    ready = {"prose": await hosted.prose.prepare(), "background": await hosted.background.prepare()}
    if command.out.as_json:
        command.out.json({slot: _shape(info) for slot, info in ready.items()})
    else:
        for slot, info in ready.items():
            command.out.line(f"{slot}: {info.provider}:{info.name}, {info.context_tokens} tokens of context")
    return 0


def _shape(info: ModelInfo) -> dict[str, Any]:
    return {
        "provider": info.provider,
        "name": info.name,
        "context_tokens": info.context_tokens,
        "local": info.local,
        "exact_tokens": info.exact_tokens,
        "weak": info.weak,
    }
