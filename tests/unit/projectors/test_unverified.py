"""Names under which a bot speaks in somebody's place are nobody: no fact is about them, nothing is saved about them."""

from __future__ import annotations

from familiar_app.conversation.memory_caller import chat_person
from familiar_app.domain.ids import PersonKey, proxy_key
from familiar_app.domain.privacy import PrivacyLevel, hosts_allow
from familiar_app.domain.turn import Author
from familiar_app.projectors.belief import BeliefReplay
from familiar_app.projectors.rich_note import RichNote
from tests.unit.projectors.scene import ANN, MIRA, Scene, note

WREN = Author(proxy_key("0123456789abcdef"), "Wren")


async def test_a_fact_is_not_about_a_mere_name(scene: Scene) -> None:
    first = await scene.say("I keep bees.", WREN)
    second = await scene.say("Wren keeps bees, I keep cats.", ANN)
    scene.model.tell(
        "rich_note",
        [
            note("Wren keeps bees.", first, about=[WREN.key]),
            note("Ann keeps cats.", second, about=[ANN.key, WREN.key]),
        ],
    )
    await RichNote(scene.desk, BeliefReplay(scene.vault, MIRA)).tick(flush=True)
    facts = {fact.text: [one.key for one in fact.subjects] for fact in await scene.beliefs()}
    assert facts == {"Wren keeps bees.": [], "Ann keeps cats.": [ANN.key]}
    assert f"{WREN.key} =" not in scene.model.prompts("rich_note")[0]
    assert "Wren" in scene.model.prompts("rich_note")[0]


def test_nothing_is_saved_about_a_proxy_whose_host_is_unknown() -> None:
    for key in (WREN.key, PersonKey("pk:abcde")):
        person = chat_person(Author(key, "Wren"))
        assert person.proxy is not None
        assert not hosts_allow(person.proxy, dict[PersonKey, PrivacyLevel]())
    assert chat_person(ANN).proxy is None
