"""One tantivy index in memory: documents in, ranked keys out. Knows nothing of the vault.

Every method blocks, and may be called from any thread: tantivy releases the interpreter's lock. Writing methods are
for one thread at a time. What tantivy raises comes out as IndexFailedError.
"""

from __future__ import annotations

import contextlib
import math
import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import tantivy

from familiar_app.domain.errors import OutsideError
from familiar_app.domain.text import tr
from familiar_app.store.index.analysis import ANALYZER, make_analyzer, spaced

WRITER_HEAP_BYTES = 64_000_000
KINDS = ("turn", "fact", "memory")
TURN, FACT, MEMORY = range(3)
NEVER = 1 << 62
"""Stands for an instant that does not come, and negated for one before all others."""
MAX_TERMS = 64
FEW_TERMS = 12
BREATH_TURNS, BREATH_S = 200, 0.0002
"""After so many documents the interpreter's lock is let go, so that the window's thread never waits its whole turn."""
_Q = tantivy.Query
_MUST, _SHOULD, _NOT = tantivy.Occur.Must, tantivy.Occur.Should, tantivy.Occur.MustNot
_FAILURES = (ValueError, RuntimeError, OSError, MemoryError, OverflowError)
# BM25 as tantivy computes it; the average length is only needed for documents that it does not hold yet.
_K1, _B, _AVERAGE_TERMS = 1.2, 0.75, 12.0


class IndexFailedError(OutsideError):
    """The index broke; it can be built again from the vault."""

    def __init__(self) -> None:
        super().__init__(tr("The search index failed."), tr("It is being built again."), retryable=True)


class Scope(NamedTuple):
    """Which documents may be found. Instants are microseconds; None leaves a condition out.

    `channels` limits turns; `closed` are all others, where they are known: leaving out a few is quicker than taking
    many. `familiar` limits facts, and so does `fact_channels`: one of them is a place it was learned in, 0 stands for
    no place. Facts have to be true at `true_at` (or not to have ended by `not_ended_by`) and believed at
    `believed_at`. Turns of `window_channel` from `window_from` on are left out.
    """

    kinds: tuple[int, ...] = (TURN,)
    channels: tuple[int, ...] | None = None
    closed: tuple[int, ...] | None = None
    familiar: str | None = None
    fact_channels: tuple[int, ...] | None = None
    true_at: int | None = None
    not_ended_by: int | None = None
    believed_at: int | None = None
    last_turn: int | None = None
    window_channel: int | None = None
    window_from: int | None = None

    @property
    def left_out(self) -> tuple[int, ...]:
        """The channels that are left out by saying so, where that are fewer than those that are taken."""
        if self.channels is None or self.closed is None or len(self.closed) > len(self.channels):
            return ()
        return self.closed


@dataclass(frozen=True, slots=True)
class Searcher:
    """One committed state of the index; it stays as it is while others are written."""

    _schema: tantivy.Schema
    _searcher: tantivy.Searcher
    _analyzer: tantivy.TextAnalyzer
    plain: bool

    def terms(self, text: str) -> list[str]:
        """Return the distinct terms of a cue, in order, at most MAX_TERMS of them."""
        with _translated():
            return list(dict.fromkeys(self._analyzer.analyze(spaced(text, cue=True))))[:MAX_TERMS]

    def search(
        self, terms: Sequence[str], people: Sequence[str], scope: Scope, limit: int
    ) -> list[tuple[int, int, float]]:
        """Return `(kind, id, score)`, best first. `people` match what they said and what is about them."""
        with _translated():
            cue = [(_SHOULD, self._term("text", term, "freq")) for term in terms]
            cue += [(_SHOULD, self._term("person", person, "basic")) for person in people]
            # The engine sets aside room for as many as are asked for.
            limit = min(limit, self._searcher.num_docs)
            if not cue or limit < 1:
                return []
            found = self._searcher.search(self._scoped(_Q.boolean_query(cue), scope), limit, count=False)
            keys = self._searcher.fast_field_values("key", [address for _score, address in found.hits])
            scored = zip(keys, found.hits, strict=True)
            return [(int(key or 0) & 3, int(key or 0) >> 2, score) for key, (score, _address) in scored]

    def score(self, terms: Sequence[str], people: Sequence[str], text: str, text_people: Sequence[str]) -> float:
        """Return about the score that a text would have if it were in the index."""
        with _translated():
            own = self._analyzer.analyze(spaced(text))
            norm = _K1 * (1 - _B + _B * len(own) / _AVERAGE_TERMS)
            score = 0.0
            for term in terms:
                if often := own.count(term):
                    score += self._rarity("text", term) * often * (_K1 + 1) / (often + norm)
            return score + sum(self._rarity("person", person) for person in people if person in text_people)

    def _rarity(self, field: str, term: str) -> float:
        everything, with_it = self._searcher.num_docs, self._searcher.doc_freq(field, term)
        return math.log(1 + (max(everything - with_it, 0) + 0.5) / (with_it + 0.5))

    def _term(self, field: str, value: object, option: str = "basic") -> tantivy.Query:
        return _Q.term_query(self._schema, field, value, option)

    def _scoped(self, cue: tantivy.Query, scope: Scope) -> tantivy.Query:
        """Add the conditions. Turns are the rule, so what they need not meet is said of the others as exclusions."""
        wanted = [(_MUST, cue)]
        if TURN not in scope.kinds:
            wanted.append((_MUST, self._kinds(scope.kinds)))
        elif scope.channels is not None and not scope.left_out:
            heard = self._one_of("channel", scope.channels)
            wanted.append((_MUST, _Q.const_score_query(_any(heard, *self._others()), 0.0)))
        wanted += [(_NOT, one) for one in self._excluded(scope)]
        return cue if len(wanted) == 1 else _Q.boolean_query(wanted)

    def _excluded(self, scope: Scope) -> Iterator[tantivy.Query]:
        """Yield what may not be found: kinds and facts out of scope, turns that came too late or are shown anyway."""
        if not self.plain:
            for kind in (FACT, MEMORY):
                known = self._term("kind", kind)
                yield _except(known, self._place(scope)) if kind in scope.kinds else known
        if scope.left_out:
            yield self._one_of("channel", scope.left_out)
        if scope.last_turn is not None:
            yield _except(self._range("key", scope.last_turn + 1 << 2, None), *self._others())
        if scope.window_channel is not None and scope.window_from is not None:
            yield _both(self._term("channel", scope.window_channel), self._range("key", scope.window_from << 2, None))

    def _others(self) -> list[tantivy.Query]:
        """Return what matches every document that is no turn."""
        return [] if self.plain else [self._kinds((FACT, MEMORY))]

    def _kinds(self, kinds: Sequence[int]) -> tantivy.Query:
        return _Q.const_score_query(_any(*[self._term("kind", kind) for kind in kinds if kind != TURN]), 0.0)

    def _place(self, scope: Scope) -> tantivy.Query:
        """Return the condition on facts."""
        parts = [_Q.all_query()] if scope.familiar is None else [self._term("familiar", scope.familiar)]
        if scope.fact_channels is not None:
            parts.append(self._one_of("place", scope.fact_channels))
        if scope.true_at is not None:
            parts += [self._range("true_from", None, scope.true_at), self._range("true_until", scope.true_at + 1, None)]
        if scope.not_ended_by is not None:
            parts.append(self._range("true_until", scope.not_ended_by + 1, None))
        if scope.believed_at is not None:
            at = scope.believed_at
            parts += [self._range("believed_from", None, at), self._range("believed_until", at + 1, None)]
        return _both(*parts)

    def _one_of(self, field: str, values: Sequence[int]) -> tantivy.Query:
        """Return the condition that a field has one of some values. A set marks every document that has, a few terms
        are only looked up where the cue leads.
        """
        if 0 < len(values) <= FEW_TERMS:
            return _any(*[self._term(field, value) for value in values])
        return _Q.term_set_query(self._schema, field, list(values))

    def _range(self, field: str, low: int | None, high: int | None) -> tantivy.Query:
        return _Q.range_query(self._schema, field, tantivy.FieldType.Integer, low, high)


class TextIndex:
    """The writing side. `writers` is the number of tantivy's own threads; each of them makes segments of its own."""

    def __init__(self, *, writers: int = 1, heap_bytes: int = WRITER_HEAP_BYTES) -> None:
        with _translated():
            self._schema = _schema()
            self._analyzer = make_analyzer()
            self._index = tantivy.Index(self._schema)
            self._index.register_tokenizer(ANALYZER, self._analyzer)
            self._index.config_reader("manual")
            self._writer = self._index.writer(heap_bytes, writers)
        self._plain = True

    def add_turns(self, turns: Iterable[tuple[int, int, str, str]]) -> None:
        """Add `(id, channel, author's key, text)`."""
        add, make = self._writer.add_document, tantivy.Document
        with _translated():
            for count, (number, channel, person, text) in enumerate(turns, start=1):
                add(make(key=number << 2, channel=channel, person=person, text=text))
                if count % BREATH_TURNS == 0:
                    time.sleep(BREATH_S)

    def add_facts(self, facts: Iterable[FactDocument]) -> None:
        """Add facts, one document for each stretch of belief."""
        with _translated():
            for one in facts:
                self._plain = False
                self._writer.add_document(tantivy.Document(**one.fields()))

    def remove(self, kind: int, ids: Iterable[int]) -> None:
        """Take documents out, at the next commit."""
        with _translated():
            for number in ids:
                key = number << 2 | kind
                query = _Q.range_query(self._schema, "key", tantivy.FieldType.Integer, key, key)
                self._writer.delete_documents_by_query(query)

    def remove_all(self, kind: int) -> None:
        """Take all documents of a kind out, at the next commit."""
        with _translated():
            self._writer.delete_documents_by_query(_Q.term_query(self._schema, "kind", kind, "basic"))

    def commit(self) -> Searcher:
        """Make everything up to here findable; costs some tens of milliseconds."""
        with _translated():
            self._writer.commit()
            self._index.reload()
            return self.searcher()

    def searcher(self) -> Searcher:
        """Return what was last committed."""
        with _translated():
            return Searcher(self._schema, self._index.searcher(), self._analyzer, self._plain)

    def close(self) -> None:
        """Wait for the threads behind and give the memory back."""
        with _translated():
            self._writer.wait_merging_threads()


@dataclass(frozen=True, slots=True)
class FactDocument:
    """A fact in one stretch of belief, with its clocks in microseconds (`NEVER`, `-NEVER` where they are open)."""

    id: int
    kind: int
    familiar: str
    channels: Sequence[int] | None
    people: tuple[str, ...]
    text: str
    true_from: int = -NEVER
    true_until: int = NEVER
    believed_from: int = -NEVER
    believed_until: int = NEVER

    def fields(self) -> dict[str, object]:
        """Return the fields of its document."""
        return {
            "key": self.id << 2 | self.kind,
            "kind": self.kind,
            "place": list(self.channels or (0,)),
            "familiar": self.familiar,
            "person": list(self.people),
            "text": spaced(self.text),
            "true_from": self.true_from,
            "true_until": self.true_until,
            "believed_from": self.believed_from,
            "believed_until": self.believed_until,
        }


def _schema() -> tantivy.Schema:
    builder = tantivy.SchemaBuilder()
    builder.add_text_field("text", tokenizer_name=ANALYZER, index_option="freq")
    for name in ("person", "familiar"):
        builder.add_text_field(name, tokenizer_name="raw", index_option="basic")
    # A fact's places stand apart from the channels of turns, of which there are many more to go through.
    for name in ("kind", "channel", "place"):
        builder.add_integer_field(name, indexed=True)
    for name in ("key", "true_from", "true_until", "believed_from", "believed_until"):
        builder.add_integer_field(name, fast=True)
    return builder.build()


def _any(*queries: tantivy.Query) -> tantivy.Query:
    return _Q.boolean_query([(_SHOULD, query) for query in queries])


def _except(query: tantivy.Query, *others: tantivy.Query) -> tantivy.Query:
    return _Q.boolean_query([(_MUST, query), *((_NOT, other) for other in others)])


def _both(*queries: tantivy.Query) -> tantivy.Query:
    return _Q.boolean_query([(_MUST, query) for query in queries])


@contextlib.contextmanager
def _translated() -> Iterator[None]:
    try:
        yield
    except _FAILURES as error:
        raise IndexFailedError from error
