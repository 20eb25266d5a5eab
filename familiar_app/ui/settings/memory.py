"""The settings of a familiar's memory: how it is searched, who may hear it, what of it a prompt takes. Knows no Qt."""

from __future__ import annotations

from familiar_app.domain.text import tr_later
from familiar_app.ui.settings.setting import STAYS, Setting

GROUP = tr_later("Memory")
_AUDIENCES = (
    ("strict", tr_later("Same readers only")),
    ("server", tr_later("Anywhere on its server")),
    ("open", tr_later("Anywhere")),
)
_PROMPT = tr_later("What is remembered is part of the prompt: sent where the model for replies runs.")
_WEIGHTS = (
    (
        "bm25",
        tr_later("Weight of words"),
        tr_later("How well the words of the newest message fit. 0 leaves it out."),
        tr_later("retrieval ranking search bm25 lexical"),
    ),
    (
        "recency",
        tr_later("Weight of newness"),
        tr_later("How new something is among what was found. 0 leaves it out."),
        tr_later("retrieval ranking search recency age date"),
    ),
    (
        "importance",
        tr_later("Weight of importance"),
        tr_later("How important a fact is. 0 leaves it out."),
        tr_later("retrieval ranking search"),
    ),
    (
        "embedding",
        tr_later("Weight of meaning"),
        tr_later("How near something is in meaning. Needs search by meaning. 0 leaves it out."),
        tr_later("retrieval ranking search embedding vector semantic"),
    ),
    (
        "nearness",
        tr_later("Weight of standing out in meaning"),
        tr_later("Beside meaning: how near it is compared with the rest of what was found. 0 leaves it out."),
        tr_later("retrieval ranking search embedding vector"),
    ),
    (
        "named",
        tr_later("Weight of people named"),
        tr_later("Whether it was said by, or is about, somebody whom the message names. 0 leaves it out."),
        tr_later("retrieval ranking search name person"),
    ),
    (
        "neighbours",
        tr_later("Weight of what stands beside it"),
        tr_later("How well the messages right before and after it fit. 0 leaves it out."),
        tr_later("retrieval ranking search context"),
    ),
    (
        "facts",
        tr_later("Weight of facts that rest on it"),
        tr_later("How well a fact that was drawn from the message fits. 0 leaves it out."),
        tr_later("retrieval ranking search"),
    ),
)


def _audience(place: str, title: str, text: str) -> Setting:
    return Setting(
        f"memory.audience.{place}",
        GROUP,
        title,
        text,
        "choice",
        scope="familiar",
        choices=_AUDIENCES,
        leaves=_PROMPT,
        words=tr_later("audience privacy who may hear channel secret strict open server"),
    )


def _number(key: str, title: str, text: str, words: str, *, most: float, step: float, least: float = 0) -> Setting:
    return Setting(
        key,
        GROUP,
        title,
        text,
        "number",
        "familiar",
        leaves=_PROMPT if key.startswith("budget") else STAYS,
        words=words,
        bounds=(least, most),
        step=step,
    )


MEMORY: tuple[Setting, ...] = (
    Setting(
        "providers.embedding",
        GROUP,
        tr_later("Search by meaning"),
        tr_later(
            "Finds what was said in other words. One switch for three things: a small model that turns text into "
            "vectors, a vector for every fact, and a weight of 0.6 in the search. The model knows English best "
            "and takes 200 to 600 MB of memory while it works."
        ),
        "meaning",
        scope="familiar",
        leaves=tr_later("Nothing leaves this computer: the model runs here, without the network."),
        words=tr_later("embedding vector semantic fastembed minilm paraphrase"),
    ),
    Setting(
        "memory.fact_supersede.retire_at_once",
        GROUP,
        tr_later("When a newer fact replaces an older one"),
        tr_later("The model gives a reason first. Either way it is in the inbox, and can be taken back there."),
        "choice",
        scope="familiar",
        choices=((True, tr_later("Replace it at once")), (False, tr_later("Wait for me"))),
        words=tr_later("retire retirement supersede inbox contradiction"),
    ),
    _audience(
        "local",
        tr_later("What may be told in this window"),
        tr_later(
            "Where it may use what it learned elsewhere, here. Direct messages stay between the two in any case, "
            "unless this window is opened to them."
        ),
    ),
    _audience(
        "shared",
        tr_later("What may be told elsewhere"),
        tr_later(
            "Where it may use what it learned elsewhere, on Discord. Direct messages stay between the two in any case, "
            "unless this window is opened to them."
        ),
    ),
    _number(
        "budget.text.rag_tokens",
        tr_later("Room for what is remembered"),
        tr_later("The most tokens of a prompt for facts and earlier words that the newest messages bring back."),
        tr_later("budget tokens rag context"),
        most=100_000,
        step=100,
    ),
    _number(
        "budget.text.max_rag_items",
        tr_later("Most things remembered at once"),
        tr_later("How many facts and earlier messages a prompt may bring back; 0 brings none."),
        tr_later("budget rag limit"),
        most=100,
        step=1,
    ),
    *(
        _number(f"memory.retrieval.{name}_weight", title, text, words, most=100, step=0.1)
        for name, title, text, words in _WEIGHTS
    ),
    _number(
        "context.kept_traces",
        tr_later("Prompts that are kept"),
        tr_later("So many of replies, and so many of the work in the background, are kept with their reasons."),
        tr_later("traces history inspector"),
        least=1,
        most=100_000,
        step=50,
    ),
)
