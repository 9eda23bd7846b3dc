"""Ways in: what refuses a caller is looked at closely, until it shows what it wanted to be sent."""

from __future__ import annotations
