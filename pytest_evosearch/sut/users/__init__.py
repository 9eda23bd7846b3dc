"""Who may send requests: offered by the project, or found out by asking."""

from __future__ import annotations
