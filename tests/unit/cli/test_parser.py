"""The command line as it is read: common options in both places, kinds of values, errors and help."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest

from familiar_app import __version__
from familiar_app.cli.parser import build_parser, parse
from familiar_app.domain.errors import UsageError

COMMANDS = ("init", "say", "turns", "prompt", "trace", "import", "export", "status", "rekey", "verify", "model")


def test_no_command_means_the_window() -> None:
    args = parse([])
    assert (args.command, args.handler, args.json, args.local_only, args.profile_dir) == (
        None,
        None,
        False,
        False,
        None,
    )


@pytest.mark.parametrize("before", [True, False])
def test_common_options_stand_before_or_after_the_command(before: bool) -> None:
    common = ["--profile-dir", "/p", "--familiar", "aria", "--passphrase-file", "/f", "--json", "--local-only"]
    common += ["--now", "2024-05-01T12:00"]
    args = parse([*common, "status"] if before else ["status", *common])
    assert (args.command, args.profile_dir, args.familiar) == ("status", Path("/p"), "aria")
    assert (args.passphrase_file, args.json, args.local_only) == (Path("/f"), True, True)
    assert args.now == datetime(2024, 5, 1, 12, tzinfo=UTC)


def test_common_options_may_be_split_around_the_command() -> None:
    args = parse(["--profile-dir", "/p", "say", "hi", "--json"])
    assert (args.profile_dir, args.json, args.text, args.channel, args.speaker) == (
        Path("/p"),
        True,
        "hi",
        "local:main",
        None,
    )


@pytest.mark.parametrize(
    "argv",
    [
        ["dance"],
        ["say"],
        ["say", "a", "b"],
        ["say", "hi", "--channel", "discord:1"],
        ["say", "hi", "--channel", "local:"],
        ["say", "hi", "--as", "  "],
        ["say", "hi", "--as", "Owner"],
        ["turns", "--limit", "0"],
        ["import", "chat.json", "--self", "Aria"],
        ["turns", "--limit", "many"],
        ["turns", "--lim", "3"],
        ["turns", "--around", "-1"],
        ["trace"],
        ["model"],
        ["model", "dream"],
        ["trace", "abc"],
        ["trace", "9" * 30],
        ["import"],
        ["import", "x", "--format", "tea-leaves"],
        ["export", "soul", "x"],
        ["export", "turns"],
        ["init", "--id", "../x"],
        ["--now", "soon", "status"],
        ["--familiar", "Aria Two", "status"],
        ["--unknown"],
    ],
)
def test_wrong_usage_is_told_with_where_to_look(argv: list[str]) -> None:
    with pytest.raises(UsageError) as caught:
        parse(argv)
    assert caught.value.exit_code == 2
    assert "--help'" in caught.value.next_step


def test_the_version_is_printed(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as done:
        parse(["--version"])
    assert done.value.code == 0
    assert capsys.readouterr().out == f"familiar {__version__}\n"


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_has_help(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        parse([command, "--help"])
    text = capsys.readouterr().out
    assert text.startswith(f"usage: familiar {command}")
    assert "--passphrase-file" in text


def test_the_help_lists_the_commands_and_the_exit_codes(capsys: pytest.CaptureFixture[str]) -> None:
    build_parser().print_help()
    text = capsys.readouterr().out
    assert all(f"\n    {command} " in text for command in COMMANDS)
    assert "3 locked or wrong passphrase" in text


def test_names_are_the_same_whichever_system_composed_their_accents() -> None:
    args = parse(["say", "hi", "--as", "Zoe\u0301", "--channel", "local:cafe\u0301"])
    assert (args.speaker, args.channel) == ("Zo\u00e9", "local:caf\u00e9")
    for owner in ("owner", "OWNER", "\uff4f\uff57\uff4e\uff45\uff52"):
        with pytest.raises(UsageError, match="without --as"):
            parse(["say", "hi", "--as", owner])
