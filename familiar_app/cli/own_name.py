"""What a familiar is called before it has said anything: the name on its card."""

from __future__ import annotations

from collections.abc import Mapping

from familiar_app.domain.ids import PersonKey, ego_key
from familiar_app.services import Services


def own_names(services: Services, labels: Mapping[PersonKey, str]) -> dict[PersonKey, str]:
    """Return the labels, with the card's name for each familiar of whom the vault knows no name yet."""
    cards = {ego_key(hosted.id): hosted.name for hosted in services.familiars.values()}
    return {key: cards.get(key, label) if label == key.partition(":")[2] else label for key, label in labels.items()}
