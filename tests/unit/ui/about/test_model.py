"""The page about the program without its widgets: what it tells, and that diagnostics hold nothing private."""

from __future__ import annotations

from datetime import date
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from familiar_app import __version__
from familiar_app.store.profile import Profile
from familiar_app.store.profile_list import ProfileList
from familiar_app.ui.about.model import AboutModel
from familiar_app.ui.kit.desktop import Desktop

LIBRARIES = (
    SimpleNamespace(name="httpx", version="0.28", licence="BSD License", text=""),
    SimpleNamespace(name="attrs", version="26.1", licence="MIT", text=""),
)


def services_at(root: Path) -> Any:
    async def count() -> int:
        return 41

    slot = SimpleNamespace(provider="openai", model="secret-model", base_url="https://secret.example")
    config = SimpleNamespace(models=SimpleNamespace(prose=slot, background=slot))
    hosted = SimpleNamespace(name="Mira", config=config, prose=SimpleNamespace(info=SimpleNamespace(local=False)))
    index = SimpleNamespace(status=SimpleNamespace(state="ready", indexed=40, total=41))
    vault = SimpleNamespace(turns=SimpleNamespace(count=count), index=index)
    return SimpleNamespace(
        profile=Profile(root),
        vault=vault,
        network=SimpleNamespace(local_only=True),
        familiars={"mira": hosted},
        broken={},
    )


def model_at(root: Path, *, packed: date | None = None, portable: bool = False) -> AboutModel:
    build: Any = SimpleNamespace(packed=packed, libraries=LIBRARIES)
    desktop = Desktop(
        profile=root,
        profiles=ProfileList(root),
        portable=portable,
        autostart=SimpleNamespace(),  # type: ignore[arg-type]
        launch=lambda _folder: None,
        build=lambda: build,
    )
    return AboutModel(services_at(root), desktop)


async def test_the_version_says_when_it_was_packed(tmp_path: Path) -> None:
    sources, packed = model_at(tmp_path), model_at(tmp_path, packed=date(2026, 3, 4))
    await sources.load()
    await packed.load()
    assert sources.version == f"{__version__}, run from its sources"
    assert packed.version == f"{__version__}, packed on 4 March 2026"


async def test_it_tells_where_profile_and_log_are_and_whether_it_is_portable(tmp_path: Path) -> None:
    facts = dict(model_at(tmp_path, portable=True).facts("6.11"))
    assert facts["Profile"] == f"{tmp_path} (portable, beside the program)"
    assert facts["Log"] == str(tmp_path / "logs")
    assert dict(model_at(tmp_path).facts("6.11"))["Profile"] == str(tmp_path)


async def test_diagnostics_hold_counts_and_nothing_private(tmp_path: Path) -> None:
    model = model_at(tmp_path)
    await model.load()
    told = await model.diagnostics("6.11")
    assert "41 turns" in told
    assert "index: ready, 40 of 41" in told
    assert "local only: yes" in told
    assert "httpx 0.28" in told
    for private in ("Mira", "mira", "secret", str(tmp_path)):
        assert private not in told


async def test_the_search_finds_names_and_licences(tmp_path: Path) -> None:
    model = model_at(tmp_path)
    assert model.shown == []
    await model.load()
    model.query = "bsd"
    assert [one.name for one in model.shown] == ["httpx"]
    model.query = "AT mit"
    assert [one.name for one in model.shown] == ["attrs"]
