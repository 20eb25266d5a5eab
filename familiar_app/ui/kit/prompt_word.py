"""The words for what a prompt is made of, the same wherever one is shown."""

from __future__ import annotations

from collections.abc import Mapping

from familiar_app.domain.text import tr, tr_later

NAMES: Mapping[str, str] = {
    "character_card": tr_later("character card"),
    "operating_mode": tr_later("operating mode"),
    "lorebook": tr_later("lorebook"),
    "saved_memories": tr_later("saved memories"),
    "conversation_summary": tr_later("conversation summary"),
    "reflections": tr_later("reflections"),
    "people_dossiers": tr_later("people dossiers"),
    "retrieved_context": tr_later("retrieved context"),
    "attention": tr_later("attention"),
    "platform": tr_later("platform"),
    "final_reminder": tr_later("final reminder"),
    "recent_history": tr_later("recent history"),
    "answer_so_far": tr_later("answer so far"),
    "instruction": tr_later("instruction"),
    "material": tr_later("material"),
    "reply": tr_later("reply"),
    "system": tr_later("system"),
    "user": tr_later("user"),
    "assistant": tr_later("assistant"),
    "tool": tr_later("tool"),
    "temperature": tr_later("temperature"),
    "top_p": tr_later("top p"),
    "top_k": tr_later("top k"),
    "min_p": tr_later("min p"),
    "repeat_penalty": tr_later("repeat penalty"),
    "seed": tr_later("seed"),
    "stop": tr_later("stop"),
    "llama_cpp": tr_later("llama cpp"),
    "scripted": tr_later("scripted"),
}
"""Layers of a prompt, roles of its messages, purposes, settings of the draw, and who provides a model."""


def words(name: str) -> str:
    """Turn an internal name into words; one that an extension brought goes by its own."""
    return tr(NAMES[name]) if name in NAMES else name.replace("_", " ")


def meter(tokens: int, context: int, *, exact: bool) -> str:
    """Say how much of the model's context a prompt takes."""
    if context <= 0:
        return tr("{n} tokens", n=tokens) if exact else tr("about {n} tokens", n=tokens)
    share = tokens * 100 // context
    if exact:
        return tr("{n} of {context} tokens ({share} %)", n=tokens, context=context, share=share)
    return tr("about {n} of {context} tokens ({share} %)", n=tokens, context=context, share=share)
