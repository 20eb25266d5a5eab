"""Estimates token counts where a model's own tokenizer cannot be asked. Errs on the high side."""

from __future__ import annotations

import re
from collections.abc import Sequence

from familiar_app.domain.chat import Message

MESSAGE_OVERHEAD_TOKENS = 5
_PROMPT_OVERHEAD_TOKENS = 4
_PIECES = re.compile(r"[A-Za-z]+|[0-9]|\s+|[^\sA-Za-z0-9]")
_WORD_CHARS = 6


def estimate_tokens(text: str) -> int:
    """Estimate a text's tokens: one for six letters of a word, a digit, a sign, a character beyond ASCII."""
    total = 0
    for piece in _PIECES.findall(text):
        if piece[0].isascii() and piece[0].isalpha():
            total += -(-len(piece) // _WORD_CHARS)
        elif piece.isspace():
            # The blank before a word is part of the word's token.
            total += 0 if piece == " " else 1
        else:
            total += 1
    return total


def estimate_prompt_tokens(messages: Sequence[Message]) -> int:
    """Estimate a whole prompt, with what a chat template puts around each message."""
    calls = sum(
        estimate_tokens(call.name) + estimate_tokens(call.arguments) for each in messages for call in each.tool_calls
    )
    texts = sum(estimate_tokens(message.content) + MESSAGE_OVERHEAD_TOKENS for message in messages)
    return texts + calls + _PROMPT_OVERHEAD_TOKENS
