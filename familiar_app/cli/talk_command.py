"""`say`, `prompt` and `trace`: one exchange, the prompt it would have, and the prompt it had."""

from __future__ import annotations

import argparse
import sys
import unicodedata
from typing import Any

from familiar_app.cli.context import Command, CommandFailedError
from familiar_app.cli.option import channel, instant, limit, local_channel, speaker
from familiar_app.cli.search import build_index
from familiar_app.cli.shape import prompt_shape, trace_shape
from familiar_app.context.prompt import PromptRequest
from familiar_app.context.retrieved_context import RETRIEVED
from familiar_app.conversation.event import (
    ReplyDelta,
    ReplyFailed,
    ReplyStopped,
    ReplyStored,
    StayedSilent,
    UserTurnStored,
)
from familiar_app.domain.errors import BadInputError, BugError, FamiliarError, StoppedByUserError, UsageError, UserError
from familiar_app.domain.ids import MAIN_CHANNEL, OWNER, ChannelKey, PersonKey, TraceId, TurnId
from familiar_app.domain.trace import PromptTrace, messages_as_sent
from familiar_app.domain.turn import Author, Channel
from familiar_app.services import Hosted, Services

MAX_TEXT_CHARS = 100_000
_INVISIBLE = ("Cf", "Zs")
"""Categories of characters that show nothing by themselves: format characters and spaces."""
INDEX_AT_MOST_S = 2.0
"""How long an answer waits for the search index of a large memory; it goes on with the newest turns."""


def add_commands(commands: argparse._SubParsersAction[Any], common: argparse.ArgumentParser) -> None:
    """Add the commands of this family."""
    say = commands.add_parser(
        "say",
        parents=[common],
        help="say something and get the answer",
        description="Store a message in a local channel, answer it, and store the answer.",
    )
    say.add_argument("text", metavar="TEXT", help="the message; - reads it from standard input")
    say.add_argument("--channel", type=local_channel, default=MAIN_CHANNEL, metavar="C", help="default: local:main")
    say.add_argument("--as", type=speaker, dest="speaker", metavar="NAME", help="who speaks (default: the owner)")
    say.set_defaults(handler=run_say)

    prompt = commands.add_parser(
        "prompt",
        parents=[common],
        help="show the prompt a message would get",
        description="Show the prompt that a message would get, without asking a model or storing a turn.",
    )
    prompt.add_argument("text", metavar="TEXT", help="the message; - reads it from standard input")
    prompt.add_argument("--channel", type=channel, default=MAIN_CHANNEL, metavar="C", help="default: local:main")
    prompt.add_argument("--mode", default="text", metavar="MODE", help="the mode of the channel (default: text)")
    prompt.add_argument("--as-of", type=instant, metavar="V", help="as if it were this time: turns and facts of then")
    prompt.add_argument("--known-at", type=instant, metavar="T", help="by what had been heard and was believed then")
    prompt.set_defaults(handler=run_prompt)

    trace = commands.add_parser(
        "trace",
        parents=[common],
        help="show the prompt behind a reply",
        description="Show the stored trace of a reply: its prompt, its model and its answer.",
    )
    trace.add_argument("id", type=limit, metavar="ID", help="the trace's id, as 'say --json' gives it")
    trace.set_defaults(handler=run_trace)


async def run_say(command: Command) -> int:
    """Carry out one exchange."""
    text = _text(command.args.text)
    services = await command.open()
    hosted = command.hosted(services)
    place = await services.vault.channels.ensure(ChannelKey(command.args.channel), familiar=hosted.id)
    await _remembering(command, services, hosted, place, at_most_s=INDEX_AT_MOST_S)
    out, result = command.out, _Result()
    events = hosted.conversation.say(place, text, await _speaker(command, services))
    try:
        async for event in events:
            match event:
                case UserTurnStored(turn=turn):
                    result.turn_id = turn.id
                    if not out.progress_is_live and not turn.deleted:
                        out.message(f"Turn {turn.id} is stored.")
                case ReplyDelta(text=piece) if not out.as_json:
                    out.piece(piece)
                case ReplyStored(turn=turn, trace_id=trace):
                    result.reply_turn_id, result.reply, result.trace_id = turn.id, turn.content, trace
                case StayedSilent(trace_id=trace, reason=reason):
                    result.silent, result.trace_id, result.reason = True, trace, reason
                case ReplyStopped():
                    raise StoppedByUserError("The answer was stopped.")
                case ReplyFailed(error=error):
                    raise error
    except FamiliarError as error:
        done = "" if result.turn_id is None else f"The message is stored as turn {result.turn_id}."
        raise CommandFailedError(error, done, {"turn_id": result.turn_id}) from error
    finally:
        await events.aclose()
    _print_result(command, result)
    return 0


class _Result:
    """What came of an exchange."""

    turn_id: int | None = None
    reply_turn_id: int | None = None
    reply: str | None = None
    trace_id: int | None = None
    silent = False
    reason = ""


def _print_result(command: Command, result: _Result) -> None:
    if result.reply is None and not result.silent:
        raise BugError("The exchange ended without an answer.")
    if result.silent:
        command.out.message(result.reason or "The familiar chose to stay silent.")
    if command.out.as_json:
        names = ("turn_id", "reply_turn_id", "reply", "trace_id", "silent")
        command.out.json({name: getattr(result, name) for name in names})
    elif not result.silent:
        command.out.line()
        if not command.out.progress_is_live:
            command.out.message(f"Turn {result.reply_turn_id} is stored; its trace is {result.trace_id}.")


async def _speaker(command: Command, services: Services) -> Author:
    """Return who speaks: whatever the case of a name, it is the same person."""
    name = command.args.speaker
    if name is None:
        return Author(key=OWNER, name=command.gate.profile.settings().owner_name)
    return Author(key=await services.vault.people.spelt(PersonKey(f"local:{name}")), name=name)


def _text(given: str) -> str:
    text = given
    if given == "-":
        data = sys.stdin.buffer.read(4 * MAX_TEXT_CHARS + 1)
        try:
            text = data.decode("utf-8-sig")
        except UnicodeDecodeError as error:
            raise BadInputError("this is not UTF-8 text.", source="standard input") from error
    text = text.strip()
    if all(unicodedata.category(char) in _INVISIBLE for char in text):
        raise UsageError("There is nothing to say.", "Write the message behind the command.")
    if len(text) > MAX_TEXT_CHARS:
        raise BadInputError(f"a message has at most {MAX_TEXT_CHARS} characters.", source="the message")
    if any("\ud800" <= char <= "\udfff" for char in text):
        raise BadInputError("the message is not UTF-8 text.", source="the command line")
    return text


async def run_prompt(command: Command) -> int:
    """Print the prompt that a message would get."""
    text = _text(command.args.text)
    services = await command.open()
    hosted = command.hosted(services)
    place = await command.channel_or_new(services, command.args.channel)
    await _remembering(command, services, hosted, place)
    request = PromptRequest(
        channel=place,
        mode=command.args.mode,
        pending=text,
        known_at=command.args.known_at,
        as_of=command.args.as_of,
    )
    prompt = await hosted.inspector.assemble(request)
    for note in prompt.trace.notes:
        command.out.message(note)
    if command.out.as_json:
        command.out.json(prompt_shape(prompt.trace))
        return 0
    _print_messages(command, prompt.trace)
    command.out.message(f"{prompt.trace.tokens} tokens{'' if prompt.trace.exact_tokens else ', by estimate'}.")
    return 0


async def _remembering(
    command: Command, services: Services, hosted: Hosted, place: Channel, *, at_most_s: float | None = None
) -> None:
    """Make memory searchable where a prompt searches it; without it the prompt goes on, and it is said."""
    if RETRIEVED not in hosted.config.prompt_layers(place.key) or not hosted.config.budget.text.max_rag_items:
        return
    if (broken := await build_index(command, services, at_most_s=at_most_s)) is not None:
        command.out.message(f"Memory cannot be searched: {broken}")


async def _no_trace(services: Services, number: int) -> UserError:
    """Say that there is no such trace; where the number is that of a reply, name the reply's trace."""
    of_turn = await services.vault.traces.for_turn(TurnId(number))
    if of_turn is None:
        return UserError("There is no trace of this id.", "Only the newest are kept (kept_traces in character.toml).")
    return UserError("There is no trace of this id.", f"The trace of turn {number} is {of_turn.id}.")


async def run_trace(command: Command) -> int:
    """Print a stored trace."""
    services = await command.open()
    trace = await services.vault.traces.get(TraceId(command.args.id))
    if trace is None:
        raise await _no_trace(services, command.args.id)
    if command.out.as_json:
        command.out.json(trace_shape(trace))
        return 0
    _print_messages(command, trace)
    command.out.line(f"--- answer of {trace.model}")
    command.out.line(trace.answer or trace.error or "(silent)")
    return 0


def _print_messages(command: Command, trace: PromptTrace) -> None:
    for message in messages_as_sent(trace.messages):
        command.out.line(f"--- {message.role}")
        command.out.line(message.content)
