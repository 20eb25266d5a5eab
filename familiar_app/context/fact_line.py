"""Writes one fact as a line of a prompt: its words, when it holds, by whose word alone it is known, and its number."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from familiar_app.context.history_line import short_name
from familiar_app.context.layer import LayerContext
from familiar_app.domain.clock import local_time
from familiar_app.domain.fact import Fact
from familiar_app.domain.fact_render import render
from familiar_app.domain.ids import OWNER, PersonKey, ego_key
from familiar_app.domain.speech import clean_text


def fact_line(ctx: LayerContext, fact: Fact, labels: Mapping[PersonKey, str], told_by: Sequence[PersonKey]) -> str:
    """Return a fact in one line, so that nothing in it can pass for another; hearsay never stands as plain truth."""
    zone = ctx.config.display.zone()
    names = {**labels, OWNER: ctx.user_label, ego_key(ctx.familiar): ctx.char}
    about = [f"F#{fact.id}"]
    if fact.valid.since is not None:
        about.append(f"since {local_time(fact.valid.since, zone):%Y-%m-%d}")
    if fact.valid.until is not None:
        about.append(f"until {local_time(fact.valid.until, zone):%Y-%m-%d}")
    if told_by:
        about.append(f"as told by {', '.join(short_name(names.get(key, '')) or short_name(key) for key in told_by)}")
    known = {one.key: names[one.key] for one in fact.subjects if one.key in labels}
    return f"- {' '.join(clean_text(render(fact, known)).split())} [{', '.join(about)}]"
