"""Limits between the classes of HTTP statuses, one for all rooms."""

from __future__ import annotations

FIRST_REDIRECT = 300
"""Statuses from here to `FIRST_REFUSAL` send the caller elsewhere."""

FIRST_REFUSAL = 400
"""Statuses from here on say that a call was not served."""

FIRST_FAILURE = 500
"""Statuses from here on blame the server: nothing was decided."""

UNAUTHORIZED = 401
"""The caller is not known: what any refusal of a caller amounts to."""

FORBIDDEN = 403
"""The caller is known, and may not."""

REFUSING = frozenset({UNAUTHORIZED, FORBIDDEN})
"""Statuses by which HTTP itself refuses a caller.  Applications refuse by any other, too: whether a
caller was turned away is asked of `problem.http.exchanges.refusals`."""

BEFORE_THE_CALLER = frozenset({404, 405, 415})
"""Statuses of answers that may come before the question who is calling, in the words of any."""
