"""Which values a call is filled with: drawn, hinted at by comparisons, or adopted."""

from __future__ import annotations
