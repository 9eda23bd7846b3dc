"""Runs inside the application: probes, the slots that hold them, and what they record.

Every nanosecond counts here.  Start at `probes`, the probes of statements and branches.
`conditions`, `ranges` and `taps` have the probes of values.  `slots` says where probes are kept,
`waking` and `specialization` when they are added and removed.  `trace` is the record of one test.

Imports `transformation` and `distances`, but not `loading`.
"""

from __future__ import annotations
