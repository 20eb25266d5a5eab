"""The port every language model is used through. Adapters live beside it and are chosen by `models.factory`."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Sequence
from typing import Protocol

from familiar_app.domain.chat import ChatEvent, ChatRequest, Message, ModelInfo


class LanguageModel(Protocol):
    """A model that can be asked. All methods may be called from one event loop only.

    `info` is known without loading the model, and may become more exact after `prepare`.
    """

    @property
    def info(self) -> ModelInfo: ...

    async def prepare(self) -> ModelInfo:
        """Load or reach the model and return what is known of it now.

        Raises OutsideError (broken file, no connection, wrong key, unknown model) or UserError (settings).
        """
        ...

    def stream(self, request: ChatRequest) -> AsyncGenerator[ChatEvent, None]:
        """Ask and yield events: RequestSent first, Finished last.

        Closing the generator, or cancelling the task that reads it, stops the model within one token and leaves it
        ready for the next request. Raises OutsideError, with `retryable` set where another try can help.
        """
        ...

    async def count_tokens(self, texts: Sequence[str]) -> list[int]:
        """Count each text's tokens with the model's own tokenizer, or estimate where `info.exact_tokens` is False."""
        ...

    async def count_prompt_tokens(self, messages: Sequence[Message]) -> int:
        """Count a whole prompt, with what the chat template adds around each message."""
        ...

    async def close(self) -> None:
        """Give back memory, processes and connections. May be called twice."""
        ...
