"""Each way a call of the memory tools can end, in the order of the checks, and that a failure leaves nothing behind."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import Any

import pytest

from familiar_app.domain.errors import OutsideError
from familiar_app.domain.ids import OWNER, ChannelKey, Lineage, PersonKey, ego_key
from familiar_app.domain.privacy import PrivacyLevel, Proxy
from familiar_app.domain.saved_memory.keeper import Wording
from familiar_app.domain.saved_memory.memory import GLOBAL_LINEAGE, MemoryId
from familiar_app.domain.saved_memory.status import SAVE_TOOL, UPDATE_TOOL
from familiar_app.domain.saved_memory.target import ChatPerson
from familiar_app.store import saved_memory_tool
from familiar_app.store.saved_memory import MemoryQuestion
from tests.unit.conversation.memory_stage import ANN, BEN, LINEAGE, MIRA, NOON, LetterEmbedder, Stage, make_config

BRIDGED = ChatPerson(PersonKey("matrix:@zoe"), "Zoe", bridge=True)
PROXIED = ChatPerson(PersonKey("pk:abcde"), "Luna", proxy=Proxy((PersonKey("discord:2"),)))
BLOCKED = replace(PROXIED, proxy=Proxy((PersonKey("discord:2"),), blocked=True))
TWO_ANNS = (ANN, replace(BEN, name="ann"))
OFF = {"self_teaching_enabled": False}
GONE = ChatPerson(PersonKey("discord:9"), "Gus", member=False)


async def test_a_save_tells_what_was_stored(stage: Stage) -> None:
    result = await stage.save("  {user} keeps {obonya} bees {{char}} likes ", "@ANN")
    assert result.as_json() == {
        "success": True,
        "message": "Saved as memory [id:1]: {user} keeps obonya bees {{char}} likes",
        "data": {
            "status": "memory_saved_successfully",
            "memory_id": 1,
            "scope": "target_user",
            "target_user": "Ann",
            "content_saved": "{user} keeps obonya bees {{char}} likes",
        },
    }
    kept = await stage.vault.saved_memories.get(MemoryId(1))
    assert kept is not None
    assert (kept.place, kept.persona, kept.taught_by) == (stage.about(ANN), MIRA, ANN.key)
    assert (kept.created_at, kept.updated_at, kept.last_reinforced_at) == (NOON, NOON, None)
    assert not kept.manually_written
    channel = await stage.vault.channels.find(ChannelKey("discord:10"))
    assert channel is not None
    (turn,) = await stage.vault.turns.page(channel.id)
    assert (turn.role, turn.mode, turn.familiar, turn.content) == ("tool", "memory_save", MIRA, result.message)


SAVE_FAILURES: list[tuple[str, str, dict[str, Any]]] = [
    ("no arguments at all", "invalid_args", {"arguments": None}),
    ("arguments that are a list", "invalid_args", {"arguments": ["tea"]}),
    ("no content", "invalid_args", {"arguments": {"memory_scope": "server_wide"}}),
    ("content that is a number", "invalid_args", {"content": 5}),
    ("no scope", "invalid_args", {"arguments": {"memory_content": "tea"}}),
    ("an unknown scope", "invalid_args", {"scope": "global"}),
    ("a scope that is a list", "invalid_args", {"scope": ["server_wide"]}),
    ("a target that is a number", "invalid_args", {"target": 5, "scope": "target_user"}),
    ("wrong arguments before being switched off", "invalid_args", {"content": 5, "settings": OFF}),
    ("switched off", "disabled", {"settings": {"self_teaching_enabled": False}, "context": {"speaker": None}}),
    ("no server", "internal_error", {"context": {"server": None}, "content": " "}),
    ("no familiar", "internal_error", {"context": {"familiar": None}}),
    ("nobody speaks", "internal_error", {"context": {"speaker": None}}),
    ("an unknown speaker", "internal_error", {"context": {"speaker": ChatPerson(None, "Ann")}}),
    ("blank content", "invalid_args", {"content": " \n\t ", "target": "Nobody"}),
    ("no target", "invalid_args", {"scope": "target_user"}),
    ("a blank target", "invalid_args", {"target": "  "}),
    ("two of a name", "ambiguous_user", {"target": "Ann", "context": {"participants": TWO_ANNS}}),
    ("nobody of a name", "user_not_found", {"target": "Zed", "content": "x" * 5000}),
    ("an id of nobody here", "user_not_found", {"target": "12345678901234567"}),
    ("too long", "invalid_content", {"content": "x" * 1001}),
    ("too long for the settings", "invalid_content", {"content": "xxxx", "settings": {"max_length": 3}}),
    ("too long before a person nobody knows", "invalid_content", {
        "target": "Zed", "content": "x" * 1001, "context": {"participants": (ChatPerson(None, "Zed"),)}}),
    ("a person nobody knows", "user_not_found", {
        "target": "Zed", "context": {"participants": (ChatPerson(None, "Zed"),)}}),
    ("a private person", "privacy_restricted", {"target": "Ben", "private": (BEN, PrivacyLevel.PARTIAL)}),
    ("a very private person", "privacy_restricted", {"target": "Ben", "private": (BEN, PrivacyLevel.FULL)}),
    ("privacy before lineage", "privacy_restricted", {
        "target": "Ben", "private": (BEN, PrivacyLevel.FULL), "context": {"lineage": GLOBAL_LINEAGE}}),
    ("a server memory that names a private person", "privacy_restricted", {
        "content": "The garden is ben's.", "private": (BEN, PrivacyLevel.PARTIAL)}),
    ("a bridged person who is private", "privacy_restricted", {
        "target": "Zoe", "context": {"participants": (BRIDGED,)}, "private": (BRIDGED, PrivacyLevel.PARTIAL)}),
    ("a proxy of a very private host", "privacy_restricted", {
        "target": "Luna", "context": {"participants": (PROXIED,)}, "private": (BEN, PrivacyLevel.FULL)}),
    ("a proxy of nobody known", "privacy_restricted", {
        "target": "Luna", "context": {"participants": (replace(PROXIED, proxy=Proxy(None)),)}}),
    ("a proxy of a blocked host", "privacy_restricted", {
        "target": "Luna", "context": {"participants": (BLOCKED,)}}),
    ("the lineage of all", "internal_error", {"context": {"lineage": GLOBAL_LINEAGE}}),
    ("no lineage", "internal_error", {"context": {"lineage": Lineage("")}}),
    ("a full server", "limit_exceeded", {"settings": {"max_server": 1}, "before": ("old", None)}),
    ("a full person", "limit_exceeded", {"target": "Ben", "settings": {"max_personal": 1}, "before": ("old", "Ben")}),
    ("a full server where nothing rests", "limit_exceeded", {
        "settings": {"max_server": 1, "decay_enabled": True}, "before": ("old", None)}),
]  # fmt: skip


@pytest.mark.parametrize(("status", "case"), [one[1:] for one in SAVE_FAILURES], ids=[one[0] for one in SAVE_FAILURES])
async def test_a_save_that_is_refused_leaves_nothing_behind(stage: Stage, status: str, case: dict[str, Any]) -> None:
    if "private" in case:
        await stage.private(*case["private"])
    if "before" in case:
        assert (await stage.save(*case["before"])).success
    stage.config = make_config(**case.get("settings", {}))
    before = await stage.dump()
    if "arguments" in case:
        result = await stage.tools.call(SAVE_TOOL, case["arguments"], stage.context)
    else:
        result = await stage.save(
            case.get("content", "tea"), case.get("target"), case.get("scope"), **case.get("context", {})
        )
    assert (result.success, result.status) == (False, f"memory_save_failed_{status}")
    assert result.message
    assert await stage.dump() == before
    assert stage.told.notices == [] if "before" not in case else len(stage.told.notices) == 1


async def test_a_vault_that_fails_is_a_status(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    before = await stage.dump()

    def fail(*_: object, **__: object) -> None:
        raise OutsideError("The disk is full.")

    monkeypatch.setattr(saved_memory_tool, "log_call", fail)
    assert (await stage.save("tea")).status == "memory_save_failed_db_error"
    assert await stage.dump() == before


async def test_an_insert_that_fails_leaves_the_old_row(stage: Stage) -> None:
    stage.config, stage.embedder = make_config(max_server=1, decay_enabled=True, decay_days=1), LetterEmbedder()
    await stage.save("old tea")
    stage.wait(days=2)
    await stage.sql("CREATE TRIGGER no_more BEFORE INSERT ON saved_memories BEGIN SELECT RAISE(ABORT, 'no'); END")
    before = await stage.dump()
    assert (await stage.save("new tea")).status == "memory_save_failed_db_error"
    assert await stage.dump() == before
    await stage.sql("DROP TRIGGER no_more")


async def test_a_count_that_fails_counts_as_full(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    await stage.save("tea")
    monkeypatch.setattr(saved_memory_tool, "_count", lambda *_: None)
    result = await stage.save("coffee")
    assert result.status == "memory_save_failed_limit_exceeded"
    assert dict(result.data) | {"status": None} == {"status": None, "count": 100, "limit": 100}


async def test_where_a_memory_goes_by_whom_it_is_about(stage: Stage) -> None:
    stage.context = replace(stage.context, participants=(ANN, BEN, BRIDGED, PROXIED))
    own = await stage.save("{user} asked {char} to be brave", "self")
    by_name = await stage.save("Mira likes {user}", "mira")
    bridged = await stage.save("{{USER}} likes {user} and {char}", "zoe")
    proxied = await stage.save("{user} sings", "Luna")
    assert [one.data["scope"] for one in (own, by_name, bridged, proxied)] == [
        "server_wide", "server_wide", "server_wide", "target_user",
    ]  # fmt: skip
    assert own.data["content_saved"] == "{user} asked {char} to be brave"
    assert bridged.data["content_saved"] == "Zoe likes Zoe and {char}"
    kept = await stage.vault.saved_memories.get(proxied.data["memory_id"])
    assert kept is not None
    assert kept.place.owner == "pk:abcde"
    assert await stage.vault.saved_memories.count(stage.server) == 3


async def test_ambiguous_names_bring_three_candidates_at_most(stage: Stage) -> None:
    anns = tuple(ChatPerson(PersonKey(f"discord:{n}"), f"Ann {n}", global_name="Annie") for n in range(3, 8))
    result = await stage.save("tea", "annie", participants=anns)
    assert result.status == "memory_save_failed_ambiguous_user"
    assert result.data["candidates"] == [{"key": f"discord:{n}", "label": f"Ann {n}"} for n in range(3, 6)]


async def test_the_same_again_counts_as_of_use(stage: Stage) -> None:
    first = await stage.save("Ann likes tea.")
    stage.wait(hours=1)
    again = await stage.save("  ann likes TEA ")
    assert (again.success, again.status) == (True, "memory_already_saved")
    assert again.data["memory_id"] == first.data["memory_id"]
    (kept,) = await stage.vault.saved_memories.list(_all())
    assert (kept.content, kept.last_reinforced_at) == ("Ann likes tea.", stage.clock.now())
    assert (await stage.save("Ann likes tea.", "Ann")).status == "memory_saved_successfully"


async def test_the_least_used_memory_that_rests_makes_room(stage: Stage) -> None:
    stage.config = make_config(max_server=5, decay_enabled=True, decay_days=10)
    stage.embedder = LetterEmbedder()
    for text in ("used late", "used early", "never used", "by hand"):
        await (stage.add(text) if text == "by hand" else stage.save(text))
    stage.wait(days=1)
    await stage.save("used early")
    stage.wait(days=1)
    await stage.save("used late")
    stage.wait(days=20)
    await stage.save("fresh")
    results = [await stage.save(text) for text in ("one", "two", "three", "four")]
    assert [one.data.get("content_forgotten") for one in results] == ["never used", "used early", "used late", None]
    assert [one.status for one in results] == ["memory_saved_with_eviction"] * 3 + ["memory_save_failed_limit_exceeded"]
    assert await stage.texts() == ["three", "two", "one", "fresh", "by hand"]
    assert stage.told.metrics == [("memory_eviction", {"scope": "server", "decay_days": 10})] * 3
    gone = [one for one in await stage.vault.saved_memories.list(_all(include_retired=True)) if not one.active]
    assert {(one.content, one.retired_reason) for one in gone} == {
        ("never used", "evicted"), ("used early", "evicted"), ("used late", "evicted"),
    }  # fmt: skip


@pytest.mark.parametrize("why", ["no decay", "no embedder", "a failing embedder", "global rows", "another lineage"])
async def test_what_never_makes_room(stage: Stage, why: str) -> None:
    stage.config = make_config(max_personal=1, decay_enabled=why != "no decay", decay_days=1)
    stage.embedder = None if why == "no embedder" else LetterEmbedder(fails=why == "a failing embedder")
    if why == "global rows":
        place = stage.about(BEN, GLOBAL_LINEAGE)
        await stage.vault.saved_memories.bring_in(stage.keeper, [Wording(place, "old")], replace=False, by=OWNER)
    elif why == "another lineage":
        await stage.save("old", "Ben", lineage=Lineage("other"))
        await stage.add("by hand", stage.about(BEN))
    else:
        await stage.save("old", "Ben")
    stage.wait(days=5)
    assert (await stage.save("new", "Ben")).status == "memory_save_failed_limit_exceeded"


UPDATE_FAILURES: list[tuple[str, str, dict[str, Any]]] = [
    ("no id", "invalid_args", {"arguments": {"memory_content": "x"}}),
    ("an id that is a text", "invalid_args", {"number": "1"}),
    ("an id that is true", "invalid_args", {"number": True}),
    ("an id of nothing", "invalid_args", {"number": 0}),
    ("no content", "invalid_args", {"arguments": {"memory_id": 1}}),
    ("content that is null", "invalid_args", {"content": None}),
    ("switched off", "disabled", {"settings": {"self_teaching_enabled": False}}),
    ("nobody speaks", "internal_error", {"context": {"speaker": None}}),
    ("two of a name", "ambiguous_user", {"target": "Ann", "context": {"participants": TWO_ANNS}}),
    ("nobody of a name", "user_not_found", {"target": "Zed"}),
    ("the familiar", "invalid_target", {"target": "self"}),
    ("a bridged person", "invalid_scope", {"target": "Zoe", "context": {"participants": (BRIDGED,)}}),
    ("somebody who left", "invalid_scope", {"target": "Gus", "context": {"participants": (GONE,)}}),
    ("another one in a direct message", "invalid_scope", {"target": "Ben", "context": {"direct": True}}),
    ("too long", "invalid_content", {"content": "x" * 1001}),
    ("a private person", "privacy_restricted", {"number": 2, "target": "Ben", "private": (BEN, PrivacyLevel.PARTIAL)}),
    ("a private name", "privacy_restricted", {"content": "Ben came", "private": (BEN, PrivacyLevel.PARTIAL)}),
    ("the lineage of all", "internal_error", {"context": {"lineage": GLOBAL_LINEAGE}}),
    ("no such memory", "not_found", {"number": 99}),
    ("a personal one as the server's", "not_found", {"number": 2}),
    ("the server's as a personal one", "not_found", {"target": "Ben"}),
    ("one of another server", "not_found", {"context": {"server": "discord:200"}}),
    ("one of another lineage", "not_found", {"context": {"lineage": Lineage("other")}}),
]  # fmt: skip


@pytest.mark.parametrize(
    ("status", "case"), [one[1:] for one in UPDATE_FAILURES], ids=[one[0] for one in UPDATE_FAILURES]
)
async def test_an_update_that_is_refused_leaves_nothing_behind(stage: Stage, status: str, case: dict[str, Any]) -> None:
    await stage.save("tea")
    await stage.save("coffee", "Ben")
    if "private" in case:
        await stage.private(*case["private"])
    stage.config = make_config(**case.get("settings", {}))
    before = await stage.dump()
    if "arguments" in case:
        result = await stage.tools.call(UPDATE_TOOL, case["arguments"], stage.context)
    else:
        content = case.get("content", "milk")
        result = await stage.update(case.get("number", 1), content, case.get("target"), **case.get("context", {}))
    assert (result.success, result.status) == (False, f"memory_update_failed_{status}")
    assert await stage.dump() == before


async def test_an_update_keeps_the_tags_and_counts_as_of_use(stage: Stage) -> None:
    await stage.add("tea", tags=["garden"])
    stage.wait(hours=1)
    result = await stage.update(1, " {User} drinks {milk} ")
    assert result.as_json()["data"] == {
        "status": "memory_updated_successfully",
        "memory_id": 1,
        "scope": "server_wide",
        "target_user": None,
        "content_saved": "{User} drinks milk",
    }
    (kept,) = await stage.vault.saved_memories.list(_all())
    assert (kept.content, kept.tags, kept.manually_written) == ("{User} drinks milk", ("garden",), True)
    assert kept.updated_at == kept.last_reinforced_at == stage.clock.now()


async def test_a_blank_update_deletes_even_about_private_people(stage: Stage) -> None:
    await stage.save("tea", "Ben")
    await stage.private(BEN, PrivacyLevel.FULL)
    result = await stage.update(1, "  ", "Ben")
    assert (result.status, result.data["content_forgotten"]) == ("memory_deleted_successfully", "tea")
    kept = await stage.vault.saved_memories.get(MemoryId(1))
    assert kept is not None
    assert (kept.retired_reason, kept.retired_by) == ("deleted by the familiar", ego_key(MIRA))
    assert (await stage.update(1, "again", "Ben")).status == "memory_update_failed_privacy_restricted"


async def test_a_proxy_that_may_not_be_written_about_can_be_forgotten(stage: Stage) -> None:
    stage.context = replace(stage.context, participants=(ANN, BEN, PROXIED))
    await stage.save("sings", "Luna")
    await stage.private(BEN, PrivacyLevel.FULL)
    assert (await stage.update(1, "dances", "Luna")).status == "memory_update_failed_privacy_restricted"
    assert (await stage.update(1, "", "Luna")).status == "memory_deleted_successfully"


async def test_global_rows_of_a_person_count_as_theirs(stage: Stage) -> None:
    await stage.add("tea", stage.about(BEN, GLOBAL_LINEAGE))
    assert (await stage.update(1, "milk", "Ben")).status == "memory_updated_successfully"
    kept = await stage.vault.saved_memories.get(MemoryId(1))
    assert kept is not None
    assert kept.place.is_global


async def test_notices_follow_the_commit_and_may_fail(stage: Stage) -> None:
    for visibility, shown in (("verbose", ("Memory saved", "About Ben: tea")), ("minimal", ("Memory saved", None))):
        stage.config = make_config(notice_visibility=visibility)
        await stage.save("tea" if visibility == "verbose" else "coffee", "Ben")
        notice, in_channel = stage.told.notices[-1]
        assert in_channel is not None
        assert (in_channel.title, in_channel.card) == shown
        assert notice.card.startswith("About Ben: ")
    stage.config = make_config(notice_visibility="hidden")
    await stage.save("milk", "Ben")
    assert stage.told.notices[-1][0].card == "About Ben: milk"
    assert stage.told.notices[-1][1] is None
    stage.told.error = OutsideError("The channel is gone.")
    assert (await stage.save("water", "Ben")).success
    assert len(await stage.texts()) == 4


async def test_a_long_notice_goes_as_a_file(stage: Stage) -> None:
    stage.config = make_config(max_length=5000, notice_visibility="verbose")
    await stage.save("x" * 4500)
    _, in_channel = stage.told.notices[-1]
    assert in_channel is not None
    assert (in_channel.card, in_channel.attachment) == (None, "About this server: " + "x" * 4500)


async def test_five_hundred_saves_at_once_keep_the_limit_in_the_order_of_arrival(stage: Stage) -> None:
    stage.config = make_config(max_server=100)
    for n in range(90):
        await stage.save(f"old {n}")
    results = await asyncio.gather(*(stage.save(f"new {n}") for n in range(500)))
    assert [one.success for one in results] == [True] * 10 + [False] * 490
    assert await stage.vault.saved_memories.count(stage.server) == 100
    assert [one.data["memory_id"] for one in results[:10]] == list(range(91, 101))


async def test_five_hundred_saves_at_once_with_eviction_keep_the_limit(stage: Stage) -> None:
    stage.config, stage.embedder = make_config(max_server=100, decay_enabled=True, decay_days=1), LetterEmbedder()
    for n in range(100):
        await stage.save(f"old {n}")
    stage.wait(days=2)
    results = await asyncio.gather(*(stage.save(f"new {n}") for n in range(500)))
    assert [one.status for one in results].count("memory_saved_with_eviction") == 100
    assert [one.data["content_forgotten"] for one in results[:100]] == [f"old {n}" for n in range(100)]
    assert await stage.vault.saved_memories.count(stage.server) == 100


def _all(**more: Any) -> MemoryQuestion:
    return MemoryQuestion(LINEAGE, **more)
