"""Answers of several familiars to one turn stand beside each other; earlier, the later one had replaced the others.

Each familiar that is left without a shown answer to a turn gets back the one it gave or chose last.
"""

from __future__ import annotations

ANSWER = (
    """WITH lost AS (
        SELECT answers AS turn, familiar, max(id) AS newest FROM turns
        WHERE answers IS NOT NULL AND role = 'assistant' GROUP BY answers, familiar HAVING max(active) = 0
    )
    UPDATE turns SET active = 1 WHERE id IN (SELECT coalesce(
        (SELECT c.id FROM turns o JOIN turns c ON c.id = json_extract(o.content, '$.turn')
            WHERE o.role = 'operator' AND o.mode = 'choose' AND o.deleted = 0 AND o.id > lost.newest
            AND c.answers = lost.turn AND c.familiar IS lost.familiar ORDER BY o.id DESC LIMIT 1),
        lost.newest) FROM lost)""",
)
