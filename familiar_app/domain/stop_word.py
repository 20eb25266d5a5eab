"""English words too common to tell one text from another: pronouns, auxiliaries, prepositions, question words."""

from __future__ import annotations

# "may" is left out: it is also a month.
_WORDS = """
i me my mine myself we us our ours ourselves you your yours yourself yourselves he him his himself she her hers
herself it its itself they them their theirs themselves
this that these those who whom whose which what when where why how
am is are was were be been being have has had having do does did doing done
will would shall should can could might must ought
a an the and but or nor if so than too very as because while until though although whether
of at by for with about against between into through during before after above below to from up down in out on
off over under again further then once here there
all any both each few more most other some such no not only own same just also
s t d m ll re ve don didn doesn isn aren wasn weren hasn haven hadn won wouldn shan shouldn couldn mustn cannot
"""

STOP_WORDS = frozenset(_WORDS.split())
