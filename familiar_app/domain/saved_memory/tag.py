"""Tags of memories: `#channel` keeps one to channels, a plain word to conversations in which it occurs."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from familiar_app.domain.ids import ChannelKey
from familiar_app.domain.text import tr

MAX_TAG_LENGTH = 100


@dataclass(frozen=True, slots=True)
class TagScene:
    """What tags are held against: a channel and the words of its recent conversation; each kind can be switched off."""

    channel: ChannelKey
    title: str
    conversation: str
    channel_tags: bool = True
    word_tags: bool = True


def clean_tags(tags: Iterable[str]) -> tuple[str, ...]:
    """Return tags trimmed and each once, without empty ones."""
    trimmed = (" ".join(tag.split()) for tag in tags)
    return tuple(dict.fromkeys(tag for tag in trimmed if tag.lstrip("#").strip()))


def tag_problem(tags: Sequence[str], max_tags: int) -> str | None:
    """Return what is wrong with cleaned tags, or None."""
    if len(tags) > max_tags:
        return tr("there are {count} tags, and {limit} are allowed.", count=len(tags), limit=max_tags)
    if any(len(tag) > MAX_TAG_LENGTH for tag in tags):
        return tr("a tag is longer than {limit} characters.", limit=MAX_TAG_LENGTH)
    return None


def fits(tags: Sequence[str], scene: TagScene) -> bool:
    """Tell whether a memory with these tags is shown here. Where it has no tags of a kind, that kind lets it pass."""
    channels = [tag[1:].strip() for tag in tags if tag.startswith("#")]
    words = [tag for tag in tags if not tag.startswith("#")]
    if scene.channel_tags and channels and not any(_is_channel(tag, scene) for tag in channels):
        return False
    if scene.word_tags and words:
        said = scene.conversation.casefold()
        return any(word.casefold() in said for word in words)
    return True


def _is_channel(tag: str, scene: TagScene) -> bool:
    """A channel is named by its key, or by its id or title where nobody could look the key up."""
    own = (scene.channel, scene.channel.partition(":")[2])
    return tag in own or tag.casefold() == scene.title.lstrip("#").casefold()
