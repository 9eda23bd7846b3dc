"""What stands in one test: facts, calls, references, clients, faults, and words for them."""

from __future__ import annotations
