"""Puts together what the window asks of the system: profiles, starting with it, libraries and their licences."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from familiar_app.bootstrap.autostart import autostart_for, entry_for
from familiar_app.bootstrap.launch import launch_command
from familiar_app.bootstrap.licence import this_build
from familiar_app.store.portable import portable_profile, program_folder
from familiar_app.store.profile import default_profile_folder
from familiar_app.store.profile_list import ProfileList
from familiar_app.ui.kit.desktop import Desktop

HIDDEN = "--hidden"


def build_desktop(profile: Path, launch: Callable[[Sequence[str]], object]) -> Desktop:
    """Return it for the profile that is shown; `launch` starts a command that goes on by itself."""
    profiles = ProfileList(default_profile_folder())
    shown = profile.absolute()
    usual = profiles.name(shown) == ""
    command = launch_command(None if usual else shown, HIDDEN)

    def open_profile(folder: Path) -> None:
        launch(launch_command(None if profiles.name(folder) == "" else folder))

    return Desktop(
        profile=shown,
        profiles=profiles,
        portable=usual and portable_profile(program_folder()) is not None,
        autostart=autostart_for(entry_for(shown, usual=usual, command=command)),
        launch=open_profile,
        build=this_build,
    )
