"""The settings of a familiar's memory: how it is searched, who may hear it, what of it a prompt takes. Knows no Qt."""

from __future__ import annotations

from familiar_app.ui.settings.setting import STAYS, Setting

GROUP = "Memory"
_AUDIENCES = (
    ("strict", "Same readers only"),
    ("server", "Anywhere on its server"),
    ("open", "Anywhere"),
)
_PROMPT = "What is remembered is part of the prompt: sent where the model for replies runs."
_WEIGHTS = (
    ("bm25", "words", "How well the words of the newest message fit.", "bm25 lexical"),
    ("recency", "newness", "How new something is among what was found.", "recency age date"),
    ("importance", "importance", "How important a fact is.", ""),
    ("embedding", "meaning", "How near something is in meaning. Needs search by meaning.", "embedding vector semantic"),
    ("nearness", "standing out in meaning", "Beside meaning: how near it is compared with the rest of what was found.",
     "embedding vector"),
    ("named", "people named", "Whether it was said by, or is about, somebody whom the message names.", "name person"),
    ("neighbours", "what stands beside it", "How well the messages right before and after it fit.", "context"),
    ("facts", "facts that rest on it", "How well a fact that was drawn from the message fits.", ""),
)  # fmt: skip


def _audience(place: str, title: str, text: str) -> Setting:
    return Setting(
        f"memory.audience.{place}",
        GROUP,
        title,
        f"{text} Direct messages stay between the two in any case, unless this window is opened to them.",
        "choice",
        scope="familiar",
        choices=_AUDIENCES,
        leaves=_PROMPT,
        words="audience privacy who may hear channel secret strict open server",
    )


def _number(key: str, title: str, text: str, words: str, *, most: float, step: float, least: float = 0) -> Setting:
    leaves = _PROMPT if key.startswith("budget") else STAYS
    return Setting(
        key, GROUP, title, text, "number", "familiar", leaves=leaves, words=words, bounds=(least, most), step=step
    )


MEMORY: tuple[Setting, ...] = (
    Setting(
        "providers.embedding",
        GROUP,
        "Search by meaning",
        "Finds what was said in other words. One switch for three things: a small model that turns text into vectors, "
        "a vector for every fact, and a weight of 0.6 in the search. The model knows English best and takes 200 to "
        "600 MB of memory while it works.",
        "meaning",
        scope="familiar",
        leaves="Nothing leaves this computer: the model runs here, without the network.",
        words="embedding vector semantic fastembed minilm paraphrase",
    ),
    Setting(
        "memory.fact_supersede.retire_at_once",
        GROUP,
        "When a newer fact replaces an older one",
        "The model gives a reason first. Either way it is in the inbox, and can be taken back there.",
        "choice",
        scope="familiar",
        choices=((True, "Replace it at once"), (False, "Wait for me")),
        words="retire retirement supersede inbox contradiction",
    ),
    _audience("local", "What may be told in this window", "Where it may use what it learned elsewhere, here."),
    _audience("shared", "What may be told elsewhere", "Where it may use what it learned elsewhere, on Discord."),
    _number("budget.text.rag_tokens", "Room for what is remembered",
            "The most tokens of a prompt for facts and earlier words that the newest messages bring back.",
            "budget tokens rag context", most=100_000, step=100),
    _number("budget.text.max_rag_items", "Most things remembered at once",
            "How many facts and earlier messages a prompt may bring back; 0 brings none.", "budget rag limit", most=100,
            step=1),
    *(
        _number(f"memory.retrieval.{name}_weight", f"Weight of {title}", f"{text} 0 leaves it out.",
                f"retrieval ranking search {words}", most=100, step=0.1)
        for name, title, text, words in _WEIGHTS
    ),
    _number("context.kept_traces", "Prompts that are kept",
            "So many of replies, and so many of the work in the background, are kept with their reasons.",
            "traces history inspector", least=1, most=100_000, step=50),
)  # fmt: skip
