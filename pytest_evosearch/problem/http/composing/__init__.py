"""Makes tests and varies them: sampled, composed, seeded, mutated."""

from __future__ import annotations
