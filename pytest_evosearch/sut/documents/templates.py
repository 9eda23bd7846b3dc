"""Reads an application's page templates: their texts are on pages whatever was requested."""

from __future__ import annotations

from typing import Any

MOST_TEMPLATES = 500
"""Most templates that are read: extensions bring hundreds of their own."""

MOST_CHARACTERS = 2_000_000
"""Most characters that are read in all: every asserted text is searched in them."""


def template_text(app: Any) -> str:
    """Return the joined sources of the Jinja templates of `app`; empty without any."""
    environment = getattr(app, "jinja_env", None)
    loader = getattr(environment, "loader", None)
    if loader is None:
        return ""
    try:
        names = sorted(loader.list_templates())[:MOST_TEMPLATES]
    except Exception:  # a loader of the application need not list anything
        return ""
    sources = []
    left = MOST_CHARACTERS
    for name in names:
        source = _source(loader, environment, name)
        left -= len(source)
        if left < 0:
            break
        sources.append(source)
    return "\n".join(sources)


def _source(loader: Any, environment: Any, name: str) -> str:
    try:
        return str(loader.get_source(environment, name)[0])
    except Exception:  # not text, deleted meanwhile, or a failure of the loader
        return ""
