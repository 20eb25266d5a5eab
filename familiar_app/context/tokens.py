"""Counts tokens through the model, remembering what was counted, and cuts texts without breaking a character."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from hashlib import blake2b

import regex

from familiar_app.domain.chat import Message
from familiar_app.models.port import LanguageModel

CUT_MARK = "…"
_GRAPHEME = regex.compile(r"\X")
# A generous bound: no tokenizer makes one token of more characters than this, but for long runs of the same one.
_CHARS_PER_TOKEN = 24
_PROBES = 7


class TokenCounter:
    """Counts by one model. Remembers up to `size` counts by the text's hash; the texts themselves are not kept."""

    def __init__(self, model: LanguageModel, *, size: int = 20_000) -> None:
        self._model = model
        self._size = size
        self._counts: OrderedDict[bytes, int] = OrderedDict()
        self._cuts: OrderedDict[tuple[bytes, int], str] = OrderedDict()
        self._frame: tuple[int, int] | None = None
        self._identity: tuple[str, str, bool] | None = None

    async def count(self, texts: Sequence[str]) -> list[int]:
        """Count each text's tokens; the model is asked at most once, for all texts that are not known yet."""
        self._forget_other_model()
        keys = [_hash(text) for text in texts]
        missing = {key: text for key, text in zip(keys, texts, strict=True) if key not in self._counts}
        found = {key: self._counts[key] for key in keys if key not in missing}
        if missing:
            counted = await self._model.count_tokens(list(missing.values()))
            found |= dict(zip(missing, counted, strict=True))
            self._counts.update(found)
        for key in found:
            self._counts.move_to_end(key)
        while len(self._counts) > self._size:
            self._counts.popitem(last=False)
        return [found[key] for key in keys]

    async def frame(self) -> tuple[int, int]:
        """Return what the chat template adds: once for the prompt, and for each message."""
        self._forget_other_model()
        if self._frame is None:
            word = Message("user", "x")
            one = await self._model.count_prompt_tokens([word])
            three = await self._model.count_prompt_tokens([word, Message("assistant", "x"), word])
            (text,) = await self._model.count_tokens(["x"])
            each = max(0, -(-(three - one) // 2) - text)
            self._frame = (max(0, one - text - each), each)
        return self._frame

    async def cut(self, text: str, limit: int) -> str:
        """Shorten `text` to at most `limit` tokens, at the border of a visible character; a cut text ends in `…`."""
        if limit <= 0:
            return ""
        if (await self.count([text]))[0] <= limit:
            return text
        key = (_hash(text), limit)
        if key not in self._cuts:
            self._cuts[key] = await self._cut(text[: limit * _CHARS_PER_TOKEN], limit)
            while len(self._cuts) > 64:
                self._cuts.popitem(last=False)
        return self._cuts[key]

    async def _cut(self, text: str, limit: int) -> str:
        ends = visible_ends(text)
        low, high, best = 0, len(ends), ""
        while low < high:
            width = high - low
            probes = sorted({low + max(1, width * n // _PROBES) for n in range(1, _PROBES + 1)})
            texts = [text[: ends[probe - 1]].rstrip() + CUT_MARK for probe in probes]
            counts = await self._model.count_tokens(texts)
            fitting = [n for n, count in enumerate(counts) if count <= limit]
            if not fitting:
                high = probes[0] - 1
                continue
            last = fitting[-1]
            low, best = probes[last], texts[last]
            high = probes[last + 1] - 1 if last + 1 < len(probes) else low
        return best

    def _forget_other_model(self) -> None:
        info = self._model.info
        identity = (info.provider, info.name, info.exact_tokens)
        if identity != self._identity:
            self._identity, self._frame = identity, None
            self._counts.clear()
            self._cuts.clear()


def visible_ends(text: str) -> Sequence[int]:
    """Return where each visible character ends."""
    if text.isascii() and "\r" not in text:
        return range(1, len(text) + 1)
    return [match.end() for match in _GRAPHEME.finditer(text)]


def _hash(text: str) -> bytes:
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).digest()
