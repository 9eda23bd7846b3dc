"""What answers teach: outcomes, recipes, admission, tokens, producers, pages."""

from __future__ import annotations
