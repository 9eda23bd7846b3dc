"""Kinds of HTTP methods, and limits between the classes of statuses, one for all rooms."""

from __future__ import annotations

SAFE = ("GET", "HEAD", "OPTIONS")
"""Requests that change nothing."""

STORING = ("POST", "PUT", "PATCH")
"""Requests whose body is stored, by habit."""

WRITING = (*STORING, "DELETE")
"""Requests that change something."""

BODILESS = (*SAFE, "DELETE")
"""Requests without a body, by habit."""

ALL = ("GET", *WRITING, "HEAD", "OPTIONS", "TRACE")
"""Methods that a document may describe, and that clients have a function for."""

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
