"""Lets a model's answer through piece by piece and keeps back what is not speech.

Removed are: a repeated beginning of a line (`[14:32 Mira] `, `Mira: `), reasoning and tool calls written as text, marks
of a chat template. The answer ends where the model goes on as somebody else, or where its template ends the turn. An
answer that begins with `<silent>` is no speech at all. Code between fences is left alone.

What is let through is never taken back, and how the text is cut into pieces makes no difference: text is held only
while it can still become one of those forms, which is decided within a few characters.
"""

from __future__ import annotations

from collections.abc import Iterable

import regex

from familiar_app.context.prompt import AssembledPrompt
from familiar_app.conversation.reply_pattern import FENCE_END, INLINE, bracket_name, ends_in_code, line_patterns
from familiar_app.domain.settings import ConversationSettings

_PLAIN = regex.compile(r"[^<\[\s]+")
_FINAL_GUARD = "\n"
_CALL_CLOSING = "</tool_call>"


class ReplyFilter:
    """Feed it deltas, show what comes back. `text` is everything that was let through so far.

    `silent` and `ended` become true when no more of the answer is wanted. `calls` has what stood in the blocks of tool
    calls. With `calls_end` the words behind a call end the answer: they tell of a result that nobody has given yet.
    """

    def __init__(
        self,
        *,
        char: str,
        others: Iterable[str] = (),
        may_stay_silent: bool = False,
        stop_at_others: bool = True,
        calls_end: bool = False,
    ) -> None:
        self._char = char.casefold()
        self._others = frozenset(name.casefold() for name in others) if stop_at_others else frozenset[str]()
        self._patterns = line_patterns(char, others if stop_at_others else ())
        self._may_stay_silent = may_stay_silent
        self._calls_end = calls_end
        self._buffer = ""
        self._gap = ""
        self._closing = ""
        self._skipped = ""
        self._head = True
        self._line_start = False
        self._skip_spaces = False
        self._fenced = False
        self._listing = False
        self._last = ""
        self._shown: list[str] = []
        self.calls: list[str] = []
        self.silent = False
        self.ended = False

    @property
    def text(self) -> str:
        """Everything let through so far, without white space at its ends."""
        return "".join(self._shown)

    def go_on(self, said: str, *, fresh: bool = False) -> None:
        """Begin behind words that were let through before, which may end in the middle of a line or of code.

        A `fresh` message of the model's can begin with what begins a line all the same.
        """
        self._head = False
        self._line_start = fresh or said.endswith("\n")
        self._last = said[-1:]
        self._fenced = ends_in_code(said)

    def feed(self, delta: str) -> str:
        """Take a piece of the answer and return what can be shown now, maybe nothing."""
        return self._drain(delta, final=False)

    def finish(self) -> str:
        """Tell that the answer is complete, and return what was still held back."""
        # A line break decides every form that was waiting for white space; at the end it is dropped again.
        return self._drain(_FINAL_GUARD, final=True)

    def _drain(self, delta: str, *, final: bool) -> str:
        self._buffer += delta
        shown = len(self._shown)
        while self._buffer and not self.ended and self._step(final=final):
            pass
        if self.ended:
            self._buffer = ""
        return "".join(self._shown[shown:])

    def _step(self, *, final: bool) -> bool:
        """Do one thing with the beginning of the buffer. Returns False where more text is needed first."""
        if self._closing:
            return self._skip_block(final=final)
        if self._skip_spaces or self._head:
            kept = self._buffer.lstrip() if self._head else self._buffer.lstrip(" \t")
            self._buffer, self._skip_spaces = kept, not kept and self._skip_spaces
            if not kept:
                return False
        if self._head or self._line_start:
            return self._begin_line(final=final)
        if self._buffer[0] in "<[" and not self._fenced and self._last != "`":
            return self._special(final=final)
        return self._plain()

    def _begin_line(self, *, final: bool) -> bool:
        pattern = FENCE_END if self._fenced else self._patterns.head if self._head else self._patterns.line
        match = pattern.match(self._buffer, partial=not final)
        if match is None:
            self._head = self._line_start = False
            return True
        if match.partial:
            return False
        groups = match.groupdict()
        if groups.get("fence"):
            self._fenced = not self._fenced
            self._take(match.end())
        elif groups.get("silent"):
            self._drop(match.end())
            self.silent = self.ended = self._may_stay_silent
        elif groups.get("own"):
            self._drop(match.end())
        elif groups.get("other"):
            self._other_label(match.end())
        else:
            self._bracket(match.end(), bracket_name(groups["after"] or "").casefold())
        return True

    def _other_label(self, end: int) -> None:
        """End the answer before a line of somebody else, but not within a list of people that was announced."""
        if self._last == ":" or self._listing:
            self._listing = True
            self._take(end)
        else:
            self.ended = True

    def _bracket(self, end: int, name: str) -> None:
        if name == self._char or (self._head and name):
            self._drop(end)
        elif name and name in self._others:
            self.ended = True
        else:
            self._take(end)

    def _special(self, *, final: bool) -> bool:
        match = INLINE.match(self._buffer, partial=not final)
        if match is None:
            self._take(1)
            return True
        if match.partial:
            return False
        if match["end"]:
            self.ended = True
        else:
            self._closing = "</function>" if match["function"] else f"</{match['block']}>"
            self._head = self._head or not self._shown
            self._buffer = self._buffer[match.end() :]
        return True

    def _skip_block(self, *, final: bool) -> bool:
        at = self._buffer.find(self._closing)
        if at < 0:
            kept = 0 if final else len(self._closing) - 1
            cut = max(len(self._buffer) - kept, 0)
            self._skip(cut)
            if final:
                self._end_block()
            return False
        self._skip(at)
        self._buffer = self._buffer[len(self._closing) :]
        self._end_block()
        self._skip_spaces = True
        return True

    def _skip(self, length: int) -> None:
        if self._closing == _CALL_CLOSING:
            self._skipped += self._buffer[:length]
        self._buffer = self._buffer[length:]

    def _end_block(self) -> None:
        if self._closing == _CALL_CLOSING:
            self.calls.append(self._skipped.strip())
        self._closing = self._skipped = ""

    def _plain(self) -> bool:
        first = self._buffer[0]
        if not first.isspace():
            match = _PLAIN.match(self._buffer)
            self._take(match.end() if match else 1)
            return True
        self._buffer = self._buffer[1:]
        self._gap += first
        if first == "\n":
            self._line_start = True
            self._listing = self._listing and not self._gap.count("\n") > 1
        return True

    def _take(self, length: int) -> None:
        if self.calls and self._calls_end:
            self.ended = True
            return
        text, self._buffer = self._buffer[:length], self._buffer[length:]
        self._shown.append(self._gap + text)
        self._gap = ""
        self._last = text[-1]
        self._head = self._line_start = False

    def _drop(self, length: int) -> None:
        self._buffer = self._buffer[length:]
        self._skip_spaces = True


def filter_for(
    prompt: AssembledPrompt, settings: ConversationSettings, *, calls_end: bool = False, spoken: bool = False
) -> ReplyFilter:
    """Return a filter for an answer to a prompt; with `spoken` it goes on with a reply that has begun."""
    return ReplyFilter(
        char=prompt.char,
        others=prompt.speakers,
        may_stay_silent=prompt.may_stay_silent and not spoken,
        stop_at_others=settings.stop_at_other_speakers,
        calls_end=calls_end,
    )
