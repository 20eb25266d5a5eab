"""What a prompt says about tools, in the form that its model understands. The same for replies and for looking."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace

from familiar_app.context.assembler import Assembler
from familiar_app.context.prompt import AssembledPrompt, PromptRequest
from familiar_app.conversation.tool import Tool
from familiar_app.conversation.tool_desk import ToolDesk
from familiar_app.conversation.tool_text import explanation
from familiar_app.domain.chat import ToolForm, ToolSpec
from familiar_app.domain.trace import TracedMessage, messages_as_sent

LAYER = "tools"
_FRAME_TOKENS = 8


@dataclass(frozen=True)
class ToolOffer:
    """A prompt, and the tools that its answer may call in one of the forms."""

    prompt: AssembledPrompt
    form: ToolForm
    tools: Mapping[str, Tool]


async def offer_tools(assembler: Assembler, desk: ToolDesk, request: PromptRequest) -> ToolOffer:
    """Assemble a prompt and offer in it the tools of its channel; the room they take is kept free."""
    form = assembler.model.info.tools
    if form == "none":
        return ToolOffer(await assembler.assemble(request), form, {})
    around = await desk.around(request.channel)
    most = desk.offered(request.channel, may_stay_silent=True, around=around)
    told = _told(form, [tool.spec for tool in most.values()])
    aside = (await assembler.count([told]))[0] + _FRAME_TOKENS if told else 0
    prompt = await assembler.assemble(replace(request, set_aside_tokens=request.set_aside_tokens + aside))
    tools = desk.offered(request.channel, may_stay_silent=prompt.may_stay_silent, around=around)
    if not tools:
        return ToolOffer(prompt, "none", {})
    return ToolOffer(_with(prompt, form, tools), form, tools)


def _told(form: ToolForm, specs: list[ToolSpec]) -> str:
    if not specs or form in ("none", "asked"):
        return ""
    return explanation(specs) if form == "text" else json.dumps([asdict(spec) for spec in specs], ensure_ascii=False)


def _with(prompt: AssembledPrompt, form: ToolForm, tools: Mapping[str, Tool]) -> AssembledPrompt:
    specs = tuple(tool.spec for tool in tools.values())
    if form == "native":
        trace = prompt.trace.model_copy(update={"tools": tuple(asdict(spec) for spec in specs)})
        return replace(prompt, request=replace(prompt.request, tools=specs), trace=trace)
    if form != "text":
        return prompt
    parts = _explained(prompt.trace.messages, explanation(specs))
    trace = prompt.trace.model_copy(update={"messages": parts})
    return replace(prompt, request=replace(prompt.request, messages=messages_as_sent(parts)), trace=trace)


def _explained(parts: tuple[TracedMessage, ...], text: str) -> tuple[TracedMessage, ...]:
    """Put the explanation behind the rest of the system message that opens the prompt."""
    end = next((place for place, part in enumerate(parts) if part.role != "system"), len(parts))
    if end == 0:
        return (TracedMessage(role="system", content=text, layer=LAYER), *parts)
    told = TracedMessage(role="system", content=f"\n\n{text}", layer=LAYER, joined=True)
    return (*parts[:end], told, *parts[end:])
