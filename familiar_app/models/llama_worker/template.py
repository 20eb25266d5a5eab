"""Renders a model's own chat template, to count what a whole prompt costs."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from jinja2 import TemplateError
from jinja2.sandbox import ImmutableSandboxedEnvironment

from familiar_app.models.llama_worker.gguf import GgufHeader


class ChatTemplate:
    """A template out of a GGUF file, run in a sandbox: it is a program by a stranger."""

    def __init__(self, header: GgufHeader) -> None:
        self._header = header
        environment = ImmutableSandboxedEnvironment(
            trim_blocks=True, lstrip_blocks=True, extensions=["jinja2.ext.loopcontrols"], autoescape=False
        )
        environment.globals["raise_exception"] = _refuse
        environment.globals["strftime_now"] = lambda form: datetime.now().astimezone().strftime(form)
        try:
            self._template = environment.from_string(header.chat_template) if header.chat_template else None
        except TemplateError:
            self._template = None

    def render(self, messages: Sequence[dict[str, Any]]) -> str | None:
        """Return the prompt as text, without the mark for its beginning; None where the template does not take it."""
        if self._template is None:
            return None
        try:
            text = self._template.render(
                messages=messages,
                add_generation_prompt=True,
                bos_token=self._header.bos_text,
                eos_token=self._header.eos_text,
                tools=None,
            )
        except (TemplateError, ArithmeticError, LookupError, TypeError, ValueError, AttributeError):
            return None
        return text


def _refuse(reason: str) -> None:
    raise TemplateError(reason)
