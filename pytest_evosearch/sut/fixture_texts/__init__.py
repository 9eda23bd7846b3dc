"""The text of fixtures that written tests need; to be rendered by `write` one day."""

from __future__ import annotations
