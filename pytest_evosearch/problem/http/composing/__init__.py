"""Makes tests and varies them: sampled, composed, seeded, mutated.

Imports `learning` and what is below it.  Start at `sampling`.

Where to find a decision:

- how a fresh test is sampled: `sampling` (which endpoint), `composition` (what comes before it)
- how a test varies: `mutation`
- what links of pages lead to: `page_links`
- how earlier tests and the project's own become a start: `seeding`
"""

from __future__ import annotations
