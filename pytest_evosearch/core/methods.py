"""Kinds of HTTP methods, one for all rooms."""

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
