"""A model that answers from a JSON Lines file, for demonstrations and for tests of what stands on a model.

Each line is an object: `slot` ("prose" or "background"), `purpose` and `match` (optional), `reply`. A request takes the
first unused line whose slot and purpose are its own and whose `match` stands in its prompt. `reply` is a text, any JSON
value for a structured request, `{"tool_calls": [{"name", "arguments"}]}`, or `{"error": "timeout"|"429"|"malformed"}`.
"""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import AsyncGenerator, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from familiar_app.domain.chat import (
    ChatEvent,
    ChatRequest,
    Finished,
    Message,
    ModelInfo,
    RequestSent,
    TextDelta,
    ToolCall,
    ToolCallRequested,
    Usage,
)
from familiar_app.domain.errors import BadInputError, OutsideError, UnscriptedError
from familiar_app.domain.text import tr
from familiar_app.models.llama_cpp import context_overflow
from familiar_app.models.token_estimate import estimate_prompt_tokens, estimate_tokens
from familiar_app.models.wire import check_request, wire_request, wire_text

_SLOTS = ("prose", "background")
_KEYS = ("slot", "purpose", "match", "reply")
_ERRORS = ("timeout", "429", "malformed")
_DEFAULT_CONTEXT_TOKENS = 8192
_MALFORMED_TEXT = '{"malformed": '
_DELTA_CHARS = 12


@dataclass(frozen=True, slots=True)
class ScriptLine:
    """One line of a script, checked."""

    slot: str
    purpose: str | None
    match: str | None
    reply: Any

    def fits(self, request: ChatRequest, prompt: str) -> bool:
        """Tell whether the line answers a request whose messages, joined, are `prompt`."""
        return (
            self.slot == request.slot
            and self.purpose in (None, request.purpose)
            and (self.match is None or self.match in prompt)
        )


class Script:
    """The lines of a file and which of them have been used. Slots that name the same file share it."""

    def __init__(self, lines: Sequence[ScriptLine]) -> None:
        self._unused = list(lines)

    def take(self, request: ChatRequest) -> Any:
        """Return the reply for a request and use it up. Raises OutsideError with the request's text."""
        prompt = "\n".join(message.content for message in request.messages)
        for index, line in enumerate(self._unused):
            if line.fits(request, prompt):
                del self._unused[index]
                return line.reply
        # The text belongs in this message alone: the script's author needs it to write the missing line.
        raise UnscriptedError(
            tr(
                "No unused line of the script fits this request of slot {slot}, purpose {purpose}.",
                slot=request.slot,
                purpose=request.purpose,
            ),
            prompt,
            tr("Add a line that fits to the script."),
        )


def read_script(path: Path) -> Script:
    """Read a script. Raises BadInputError that names file, line and field, or OutsideError."""
    try:
        # Devices and pipes may never end, or never begin.
        if path.exists() and not path.is_file():
            raise IsADirectoryError
        raw = path.read_bytes()
    except (FileNotFoundError, IsADirectoryError, NotADirectoryError):
        raise BadInputError(
            tr("the script does not exist."), source=path, next_step=tr("Check the model's setting.")
        ) from None
    except OSError as error:
        raise OutsideError(tr("The script could not be read."), tr("Check its permissions and the disk.")) from error
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = raw[: error.start].count(b"\n") + 1
        raise BadInputError(tr("this is not UTF-8 text."), source=path, line=line) from None
    numbered = enumerate(text.split("\n"), start=1)
    return Script([_parse_line(line, path, number) for number, line in numbered if line.strip()])


def _parse_line(text: str, source: Path, number: int) -> ScriptLine:
    def bad(reason: str, field: str | None = None) -> BadInputError:
        return BadInputError(reason, source=source, line=number, field=field)

    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        raise bad(tr("this is not JSON.")) from None
    if not isinstance(value, dict):
        raise bad(tr("this is not a JSON object."))
    for key in value:
        if key not in _KEYS:
            raise bad(tr("this field is unknown."), key)
    if value.get("slot") not in _SLOTS:
        raise bad(tr('it must be "prose" or "background".'), "slot")
    for key in ("purpose", "match"):
        if not isinstance(value.get(key), str | None):
            raise bad(tr("it must be a text."), key)
    if "reply" not in value:
        raise bad(tr("it is missing."), "reply")
    problem = _reply_problem(value["reply"])
    if problem is not None:
        raise bad(problem, "reply")
    return ScriptLine(value["slot"], value.get("purpose"), value.get("match"), value["reply"])


def _reply_problem(reply: object) -> str | None:
    if not isinstance(reply, dict):
        return None
    if set(reply) == {"error"} and reply["error"] not in _ERRORS:
        return tr("its error must be one of {names}.", names=", ".join(_ERRORS))
    if set(reply) == {"tool_calls"}:
        calls = reply["tool_calls"]
        if not isinstance(calls, list) or not all(isinstance(_call_name(call), str) for call in calls):
            return tr("each of its tool_calls needs a name and arguments.")
    return None


def _call_name(call: object) -> object:
    if not isinstance(call, dict):
        return None
    function = call.get("function")
    return (function if isinstance(function, dict) else call).get("name")


class ScriptedModel:
    """Answers from a script; see `port.LanguageModel`. `context_tokens` bounds prompts as with a real model."""

    def __init__(self, script: Script, *, name: str, context_tokens: int | None = None) -> None:
        self._script = script
        self._info = ModelInfo(
            provider="scripted",
            name=name,
            context_tokens=context_tokens or _DEFAULT_CONTEXT_TOKENS,
            local=True,
            exact_tokens=False,
            tools="native",
        )

    @property
    def info(self) -> ModelInfo:
        return self._info

    async def prepare(self) -> ModelInfo:
        return self._info

    async def stream(self, request: ChatRequest) -> AsyncGenerator[ChatEvent, None]:
        check_request(request)
        started = time.monotonic()
        yield RequestSent(wire_text(wire_request(request)))
        prompt_tokens = estimate_prompt_tokens(request.messages)
        if prompt_tokens >= self._info.context_tokens:
            raise context_overflow(prompt_tokens, self._info.context_tokens)
        reply = self._script.take(request)
        for event in _events(reply, prompt_tokens, started):
            # Each event comes on its own turn of the loop, as a real model's do, so that readers can stop in between.
            await asyncio.sleep(0)
            yield event

    async def count_tokens(self, texts: Sequence[str]) -> list[int]:
        return [estimate_tokens(text) for text in texts]

    async def count_prompt_tokens(self, messages: Sequence[Message]) -> int:
        return estimate_prompt_tokens(messages)

    async def close(self) -> None:
        return


def _events(reply: Any, prompt_tokens: int, started: float) -> Iterator[ChatEvent]:
    if isinstance(reply, dict) and set(reply) == {"error"}:
        if reply["error"] != "malformed":
            raise _scripted_error(reply["error"])
        reply = _MALFORMED_TEXT
    calls = list(_tool_calls(reply))
    text = "" if calls else _reply_text(reply)
    deltas = [text[start : start + _DELTA_CHARS] for start in range(0, len(text), _DELTA_CHARS)]
    first_ms = (time.monotonic() - started) * 1000
    yield from (TextDelta(delta) for delta in deltas)
    yield from (ToolCallRequested(call) for call in calls)
    usage = Usage(prompt_tokens, estimate_tokens(text), first_ms, (time.monotonic() - started) * 1000)
    yield Finished("tool_calls" if calls else "stop", usage)


def _reply_text(reply: Any) -> str:
    return reply if isinstance(reply, str) else json.dumps(reply, ensure_ascii=False)


def _tool_calls(reply: Any) -> Iterator[ToolCall]:
    if not isinstance(reply, dict) or set(reply) != {"tool_calls"}:
        return
    for index, call in enumerate(reply["tool_calls"]):
        function = call.get("function", call)
        arguments = function.get("arguments", {})
        text = arguments if isinstance(arguments, str) else json.dumps(arguments, ensure_ascii=False)
        yield ToolCall(str(call.get("id") or f"call_{index}"), function["name"], text)


def _scripted_error(kind: str) -> OutsideError:
    if kind == "429":
        return OutsideError(
            tr("The model's server takes no more requests for now."), tr("Wait a little."), retryable=True
        )
    return OutsideError(tr("The model did not answer in time."), tr("Try again."), retryable=True)
