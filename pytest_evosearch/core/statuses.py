"""Limits between the classes of HTTP statuses, one for all rooms."""

from __future__ import annotations

FIRST_REDIRECT = 300
"""Statuses from here to `FIRST_REFUSAL` send the caller elsewhere."""

FIRST_REFUSAL = 400
"""Statuses from here on say that a call was not served."""
