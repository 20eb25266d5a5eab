"""Gather the program's words into `resources/locale`, and carry every language's catalogue along.

    python packaging/translate.py              gather, bring each catalogue up to date, compile it, say what is missing
    python packaging/translate.py --check      change nothing; fails where a run would change something or words miss
    python packaging/translate.py --add CODE   begin a new language, such as es

Texts are marked by the functions of `familiar_app.domain.text`.
"""

from __future__ import annotations

import argparse
import ast
import io
import re
import sys
import tomllib
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path

from babel.messages.catalog import Catalog, Message
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po, write_po

ROOT = Path(__file__).resolve().parent.parent
SOURCE = ROOT / "familiar_app"
LOCALE = ROOT / "resources" / "locale"
MODELS = ROOT / "resources" / "models" / "catalogue.toml"
DOMAIN = "familiar"
WIDTH = 110
_DAY = datetime(2026, 1, 1, tzinfo=UTC)
_PLACE = re.compile(r"\{(\w*)[^{}]*\}")


def gathered() -> Catalog:
    """Read all marked texts out of the source, with the files they stand in."""
    found = _empty(None)
    for path in sorted(SOURCE.rglob("*.py")):
        place = path.relative_to(SOURCE).as_posix()
        for text, context in marked(path.read_text(encoding="utf-8")):
            found.add(text, None, [(place, 0)], context=context)
    for text in _of_models():
        found.add(text, None, [(f"resources/{'/'.join(MODELS.parts[-2:])}", 0)])
    return found


def marked(source: str) -> Iterator[tuple[str | tuple[str, str], str | None]]:
    """Yield the texts that a module marks, with their context; those with a count as one and many.

    The module is parsed: a reader of tokens sees into an f-string on some Pythons only.
    """
    for node in ast.walk(ast.parse(source)):
        match node:
            case ast.Call(func=ast.Name(id="tr" | "tr_later"), args=[ast.Constant(value=str(text)), *_]) if text:
                yield text, None
            case ast.Call(
                func=ast.Name(id="ptr"), args=[ast.Constant(value=str(context)), ast.Constant(value=str(text)), *_]
            ):
                yield text, context
            case ast.Call(
                func=ast.Name(id="ntr"), args=[ast.Constant(value=str(one)), ast.Constant(value=str(many)), *_]
            ):
                yield (one, many), None


def _of_models() -> Iterator[str]:
    """Yield what the shipped catalogue of models says in words."""
    for model in tomllib.loads(MODELS.read_text(encoding="utf-8"))["model"]:
        yield from (model[field] for field in ("maker", "parameters", "good", "bad"))


def languages() -> list[str]:
    """List the languages with a catalogue."""
    return sorted(path.parent.parent.name for path in LOCALE.glob(f"*/LC_MESSAGES/{DOMAIN}.po"))


def po_path(language: str) -> Path:
    """Return the file that a translator edits."""
    return LOCALE / language / "LC_MESSAGES" / f"{DOMAIN}.po"


def read_catalogue(language: str) -> Catalog:
    """Read a language's catalogue as it stands."""
    with po_path(language).open("rb") as file:
        return read_po(file, locale=language, domain=DOMAIN)


def brought_up_to_date(catalogue: Catalog, source: Catalog) -> Catalog:
    """Take over what is still said, drop the rest, and leave what is new empty. Nothing is guessed."""
    new = _empty(str(catalogue.locale))
    for message in source:
        if message.id:
            known = catalogue.get(_first(message), message.context)
            same = known is not None and known.pluralizable == message.pluralizable
            new.add(
                message.id,
                known.string if known is not None and same else None,
                message.locations,
                context=message.context,
            )
    return new


def faults(catalogue: Catalog) -> Iterator[str]:
    """Name what is not translated, and what has other `{places}` than the source."""
    for message in catalogue:
        if not message.id:
            continue
        strings = message.string if isinstance(message.string, list | tuple) else (message.string,)
        ids = message.id if isinstance(message.id, list | tuple) else (message.id,)
        if not all(strings):
            yield f"not translated: {ids[0]!r}"
            continue
        for at, string in enumerate(strings):
            wanted, has = places(ids[min(at, len(ids) - 1)]), places(string or "")
            if wanted - {"n"} != has - {"n"} or (has - wanted):
                yield f"other places than in {ids[0]!r}: {string!r}"


def po_bytes(catalogue: Catalog) -> bytes:
    """Write a catalogue as a translator edits it, without line numbers: a change shows only what was changed."""
    out = io.BytesIO()
    write_po(out, catalogue, width=WIDTH, sort_output=True, include_lineno=False)
    return out.getvalue()


def mo_bytes(catalogue: Catalog) -> bytes:
    """Write a catalogue as the program reads it."""
    out = io.BytesIO()
    write_mo(out, catalogue)
    return out.getvalue()


def files(source: Catalog, chosen: Sequence[str]) -> dict[Path, bytes]:
    """Return every file that belongs in `resources/locale`, with its content."""
    found = {LOCALE / f"{DOMAIN}.pot": po_bytes(source)}
    for language in chosen:
        present = read_catalogue(language) if po_path(language).is_file() else _empty(language)
        current = brought_up_to_date(present, source)
        found[po_path(language)] = po_bytes(current)
        found[po_path(language).with_suffix(".mo")] = mo_bytes(current)
    return found


def main(argv: Sequence[str] | None = None) -> int:
    """Write or check the catalogues; 0 where all is well."""
    parser = argparse.ArgumentParser(description="Gather the program's words and carry the catalogues along.")
    parser.add_argument("--check", action="store_true", help="change nothing")
    parser.add_argument("--add", metavar="CODE", help="begin a language, such as es")
    options = parser.parse_args(argv)
    source = gathered()
    chosen = sorted({*languages(), *([options.add] if options.add else [])})
    stale = []
    for path, content in files(source, chosen).items():
        if not path.is_file() or path.read_bytes() != content:
            stale.append(path.relative_to(ROOT))
            if not options.check:
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(content)
    wrong = {one: list(faults(brought_up_to_date(read_catalogue(one), source))) for one in chosen}
    for language, found in wrong.items():
        print(f"{language}: {len(source)} texts, {len(found)} to do")
        for fault in found:
            print(f"  {fault}")
    if options.check and stale:
        print("not up to date: " + ", ".join(map(str, stale)))
    return 1 if options.check and (stale or any(wrong.values())) else 0


def _empty(language: str | None) -> Catalog:
    # Dates of their own would make every run another file.
    return Catalog(
        locale=language,
        header_comment="# The words of Familiar.",
        project="Familiar",
        version="1",
        charset="utf-8",
        creation_date=_DAY,
        revision_date=_DAY,
        last_translator="Familiar",
        language_team="Familiar",
        msgid_bugs_address="Familiar",
        fuzzy=False,
    )


def _first(message: Message) -> str:
    return message.id[0] if isinstance(message.id, list | tuple) else message.id


def places(text: str) -> set[str]:
    """Return the names of the `{places}` of a text."""
    return set(_PLACE.findall(text))


if __name__ == "__main__":
    sys.exit(main())
