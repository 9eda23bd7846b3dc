"""Kinds of HTTP methods, and limits between the classes of statuses, for all packages."""

from __future__ import annotations

SAFE = ("GET", "HEAD", "OPTIONS")
"""Methods that change nothing."""

STORING = ("POST", "PUT", "PATCH")
"""Methods whose body is usually stored."""

WRITING = (*STORING, "DELETE")
"""Methods that change something."""

BODILESS = (*SAFE, "DELETE")
"""Methods whose requests usually have no body."""

ALL = ("GET", *WRITING, "HEAD", "OPTIONS", "TRACE")
"""Methods that a document may describe, and that clients have a function for."""

FIRST_REDIRECT = 300
"""Statuses from here to `FIRST_REFUSAL` send the caller elsewhere."""

FIRST_REFUSAL = 400
"""Statuses from here on mean that a call was not served."""

FIRST_FAILURE = 500
"""Statuses from here on mean that the server failed, so it decided nothing about the call."""

UNAUTHORIZED = 401
"""The status for a caller who is not known."""

FORBIDDEN = 403
"""The status for a known caller who is not allowed to do this."""

REFUSING = frozenset({UNAUTHORIZED, FORBIDDEN})
"""Statuses by which HTTP refuses a caller.

Applications refuse with other statuses as well.  `problem.http.exchanges.refusals` decides whether
a caller was refused.
"""

ABOUT_CALLER_OR_ADDRESS = (UNAUTHORIZED, FORBIDDEN, 404)
"""Statuses for who asks, or for what."""

ABOUT_CONTENTS = (400, 409, 415, 422)
"""Statuses for what is sent."""

BEFORE_THE_CALLER = frozenset({404, 405, 415})
"""Statuses that an application may send before it looks at who is calling."""

EXAMPLE_HOST = "example.com"
"""The host of addresses that are sent; it is reserved for documents (RFC 2606)."""
