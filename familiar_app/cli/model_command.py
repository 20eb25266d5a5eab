"""`model`: which models are at hand or can be fetched, fetching and removing them, and whether a familiar's answer."""

from __future__ import annotations

import argparse
import asyncio
from typing import Any

from familiar_app.cli.context import Command
from familiar_app.cli.model_name import shipped_catalogue, wanted_file, wanted_source
from familiar_app.cli.model_shape import bundled_shape, model_line, progress_text, server_shapes, shelf_shapes
from familiar_app.domain.chat import ModelInfo
from familiar_app.domain.errors import FamiliarError, UserError
from familiar_app.domain.ids import FamiliarId
from familiar_app.domain.model_catalogue import find_model
from familiar_app.domain.settings import CharacterConfig
from familiar_app.models.discovery import find_local_servers
from familiar_app.models.download import Download
from familiar_app.models.download_progress import Fetched, Progress
from familiar_app.models.model_library import check_unused
from familiar_app.models.model_shelf import ModelShelf
from familiar_app.models.network import NetworkPolicy, RefusedByLocalOnlyError
from familiar_app.store.fault import VaultInUseError


def add_commands(commands: argparse._SubParsersAction[Any], common: argparse.ArgumentParser) -> None:
    """Add the commands of this family."""
    model = commands.add_parser(
        "model",
        parents=[common],
        help="look at the models, fetch and remove them",
        description="Look at the models on this computer, fetch others and remove them.",
    )
    acts = model.add_subparsers(title="commands", metavar="COMMAND", dest="model_command", required=True)
    listed = acts.add_parser(
        "list",
        parents=[common],
        help="list the models at hand and those that can be fetched",
        description="List the models on this computer and on its model servers, each with the SPEC that "
        "'init --model' takes, and those that can be fetched, each with the NAME that 'model get' takes.",
    )
    listed.set_defaults(handler=run_list)
    _add_get(acts, common)
    remove = acts.add_parser(
        "remove",
        parents=[common],
        help="delete a model that was fetched",
        description="Delete a model's file from the profile, and what was begun of it. Refused while a familiar uses "
        "it.",
    )
    remove.add_argument("name", metavar="NAME", help="a name or file of 'model list'")
    remove.set_defaults(handler=run_remove)
    check = acts.add_parser(
        "check",
        parents=[common],
        help="see whether a familiar's models can be used",
        description="Load or reach the models of a familiar. Exit code 5 where one cannot be used.",
    )
    check.set_defaults(handler=run_check)


def _add_get(acts: argparse._SubParsersAction[Any], common: argparse.ArgumentParser) -> None:
    get = acts.add_parser(
        "get",
        parents=[common],
        help="fetch a model",
        description="Fetch a model into the profile, or go on with one that was begun. Its host is named first and "
        "asked for the exact size and checksum. Local-only mode refuses it.",
    )
    get.add_argument("name", metavar="NAME|URL", help="a name of 'model list', or the https address of a GGUF file")
    get.add_argument("--anyway", action="store_true", help="fetch it even if this computer has too little memory")
    get.set_defaults(handler=run_get)


async def run_list(command: Command) -> int:
    """Print the models at hand and those that can be fetched."""
    network, shelf = await _network(command), ModelShelf(command.gate.profile.root)
    found = bundled_shape()
    configs = await asyncio.to_thread(_readable_configs, command)
    on_shelf = await asyncio.to_thread(shelf_shapes, shelf, shipped_catalogue(), configs)
    found += [one for one in on_shelf if one["state"] != "offered"]
    found += server_shapes(await find_local_servers(network))
    offered = [one for one in on_shelf if one["state"] == "offered"]
    if command.out.as_json:
        command.out.json(found + offered)
        return 0
    for one in found:
        command.out.line(model_line(one))
    if offered:
        command.out.line("Can be fetched with 'familiar model get NAME':")
    for one in offered:
        command.out.line(f"  {model_line(one)}")
        command.out.line(f"    By {one['maker']}. Good: {one['good']} Bad: {one['bad']}")
    return 0


async def run_get(command: Command) -> int:
    """Fetch a model."""
    args, out, shelf = command.args, command.out, ModelShelf(command.gate.profile.root)
    source = await asyncio.to_thread(wanted_source, args.name, shelf)
    network = await _network(command)
    model = find_model(shipped_catalogue(), args.name)
    about = f"{model.title} by {model.maker}, {model.licence}," if model is not None else source.file
    told: set[str] = set()

    def report(step: Progress) -> None:
        if step.host not in told:
            told.add(step.host)
            out.message(f"Connecting to {step.host}.")
        out.progress(progress_text(step), last=step.phase in ("done", "waiting"))

    download = Download(network, shelf.folder, source, report, check_memory=not args.anyway)
    try:
        network.check(source.url)
        out.message(f"Fetching {about} from {source.host}.")
        fetched = await download.run()
    except RefusedByLocalOnlyError as error:
        settings = command.gate.profile.root / "settings.toml"
        raise UserError(
            f"Local-only mode is on, so nothing is fetched from {source.host}.",
            f"Switch it off in the window, or with 'local_only = false' in {settings}; then run this again.",
        ) from error
    finally:
        out.end_progress()
    _print_fetched(command, fetched)
    return 0


def _print_fetched(command: Command, fetched: Fetched) -> None:
    out, spec = command.out, f"gguf:{fetched.path}"
    if out.as_json:
        out.json(
            {
                "spec": spec,
                "file": fetched.path.name,
                "path": str(fetched.path),
                "size_bytes": fetched.size_bytes,
                "sha256": fetched.sha256 or None,
                "checked": fetched.checked,
                "was_here": fetched.was_here,
            }
        )
        return
    out.line(spec)
    if fetched.was_here:
        out.message("It was here already; nothing was fetched.")
    elif fetched.checked:
        out.message("Its checksum is the one that the host gave.")
    else:
        out.message(f"The host gave no checksum, so it could not be checked. Its SHA-256 is {fetched.sha256}.")


async def run_remove(command: Command) -> int:
    """Delete a model."""
    shelf, file = ModelShelf(command.gate.profile.root), wanted_file(command.args.name)
    configs = await asyncio.to_thread(_configs, command)
    check_unused(shelf.path_of(file), configs, shelf.folder.parent)
    await asyncio.to_thread(shelf.remove, file)
    if command.out.as_json:
        command.out.json({"removed": file})
    else:
        command.out.message(f"{file} is deleted.")
    return 0


def _configs(command: Command) -> dict[FamiliarId, CharacterConfig]:
    """Return what the familiars of the profile are set to; one whose settings cannot be read stops a removal."""
    profile = command.gate.profile
    return {id_: profile.config(id_) for id_ in profile.familiars()}


def _readable_configs(command: Command) -> dict[FamiliarId, CharacterConfig]:
    """Return what the familiars are set to, as far as it can be read."""
    found: dict[FamiliarId, CharacterConfig] = {}
    for id_ in command.gate.profile.familiars():
        try:
            found[id_] = command.gate.profile.config(id_)
        except FamiliarError as error:
            command.out.message(f"Whether {id_} uses a model is not known: {error.message}")
    return found


async def _network(command: Command) -> NetworkPolicy:
    """Return the policy of the vault, or that of the settings where there is no vault yet or another has it open."""
    if command.gate.state != "new":
        try:
            return (await command.open()).network
        except VaultInUseError as error:
            command.out.message(f"{error.message} The models are looked at without it.")
    settings = await asyncio.to_thread(command.gate.profile.settings)
    return NetworkPolicy(local_only=bool(command.args.local_only) or settings.local_only)


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
