"""Packs the JSON text of a prompt trace small.

A prompt stands in its trace up to three times: as messages, as layers, as the request that was sent. A short trace fits
the window in which zlib sees that, and gets a dictionary of the words that every trace has; a long one does not, so it
is packed by LZMA, whose window holds all of it. The first byte of either tells which it is, and plain zlib, as older
vaults have it, is read as well. The dictionary is part of the format: a changed one could not read what is stored.
"""

from __future__ import annotations

import lzma
import zlib

_ZLIB_WINDOW_BYTES = 32 * 1024
_ZLIB_LEVEL = 9
_LZMA_PRESET = 1
_XZ = b"\xfd7zXZ\x00"
_DICTIONARY = (
    b'"order":null,"weights":null,"caps":{},"entry":"","book":"","uid":"","pass":1,"verdict":"out","reason":"no-match",'
    b'"detail":{}},"places":[],"verdicts":[],"unexplained":0,"slow_patterns":0,"activated":[],"passes":1,'
    b'"overflowed":false,"budget_tokens":800,"used_tokens":0,"rolls":[],"messages":20,"window":20,"rules":"fixed",'
    b'"files":[],{"kind":"turn","id":,"text":"","score":0.,"signals":{"bm25":{"raw":,"normalised":0.,"weight":1.0},'
    b'"recency":{"raw":,"normalised":0.,"weight":0.0},"importance":{"raw":null,"normalised":0.5,"weight":0.6},'
    b'"embedding":{"raw":null,"normalised":0.5,"weight":0.0},"nearness":{"raw":null,"normalised":0.5,"weight":0.0},'
    b'"named":{"raw":0.0,"normalised":0.0,"weight":},"neighbours":{"raw":0.0,"normalised":0.0,"weight":},'
    b'"facts":{"raw":null,"normalised":0.0,"weight":}},"kept":false,"why":"score","sources":[],"tokens":},'
    b'{"max_tokens":,"temperature":0.8,"top_p":0.95,"top_k":40,"min_p":0.05,"repeat_penalty":1.1,"seed":null,"stop":[],'
    b'"stream":true,"stream_options":{"include_usage":true},"response_format":{"type":"json_schema","json_schema":'
    b'{"name":"answer","strict":true,"schema":{"type":"array","items":{"type":"object","properties":{"text":{"type":'
    b'"string"},"source_turn_ids":{"type":"array","items":{"type":"integer"}},"subject_keys":{"type":"array","items":'
    b'{"type":"string"}},"valid_from":{"type":["string","null"]},"valid_to":{"type":["string","null"]},"importance":'
    b'{"type":["integer","null"]}},"required":["text","source_turn_ids"],"additionalProperties":false}}}},'
    b'"model":"","messages":[{"role":"system","content":"# \\n\\nYou are talking with ","layer":"character_card",'
    b'"turn":null,"joined":false},{"role":"user","content":"[2024-05-01 12:00 User] ","layer":"recent_history",'
    b'"turn":1,"joined":true},{"role":"assistant","content":"","layer":"recent_history","turn":2,"joined":false},'
    b'"instruction","material","operating_mode","lorebook","saved_memories","conversation_summary","reflections",'
    b'"people_dossiers","retrieved_context","final_reminder",'
    b'{"name":"character_card","key":"","cached":true,"tokens":,"ms":0.,"text":"","budget_tokens":800,"left_out":[]},'
    b'{"name":"recent_history","key":"","cached":false,"tokens":,"ms":1.,"text":"","budget_tokens":8000,"left_out":'
    b'[{"what":"turns 1 to 2","tokens":,"reason":"older than the room left"}]}],"sampling":{"temperature":0.8,"top_p":'
    b'0.95,"top_k":40,"min_p":0.05,"repeat_penalty":1.1,"seed":null,"stop":[]},"candidates":[],"lorebook":null,"sent":'
    b'"{\\"messages\\":[{\\"role\\":\\"system\\",\\"content\\":\\"\\"},{\\"role\\":\\"user\\",\\"content\\":\\"\\"}],'
    b'\\"max_tokens\\":400,\\"temperature\\":0.8,\\"stream\\":true,\\"stream_options\\":{\\"include_usage\\":true}}",'
    b'"usage":{"prompt_tokens":,"completion_tokens":,"first_token_ms":,"total_ms":,"tokens_per_s":,"finish":"stop"},'
    b'"ms":,"answer":"","error":null,"turn_id":,"reply_turn_id":null,"silent":false,"known_at":null,"as_of":null,'
    b'"variation":null,"notes":[],"ranking":null,"tools":[],"answer_schema":null}'
    b'{"familiar":"","channel":"local:main","mode":"text","purpose":"reply","at":"2024-05-01T12:00:00Z","model":"",'
    b'"provider":"openai","context_tokens":8192,"answer_tokens":400,"tokens":,"exact_tokens":true,"messages":['
)


def squeeze(text: str) -> bytes:
    """Return a text packed."""
    plain = text.encode("utf-8")
    if len(plain) > _ZLIB_WINDOW_BYTES:
        return lzma.compress(plain, preset=_LZMA_PRESET)
    packer = zlib.compressobj(_ZLIB_LEVEL, zdict=_DICTIONARY)
    return packer.compress(plain) + packer.flush()


def unsqueeze(packed: bytes) -> bytes:
    """Return what `squeeze` packed, in UTF-8."""
    if packed.startswith(_XZ):
        return lzma.decompress(packed)
    return zlib.decompressobj(zdict=_DICTIONARY).decompress(packed)
