"""Makes tests and varies them: sampled, composed, seeded, mutated.

Imports `learning` and what is below it; `http_problem` and `engine.preparing` import it.  Start at
`sampling`.

Where to find a decision:

- how a new test is sampled: `sampling` (which endpoint), `composition` (what comes before it)
- how a test varies: `mutation`
- by how much values move, and which move together: `moving`
- where links of pages lead: `page_links`
- how a search starts from earlier tests and the project's own: `seeding`; what it knows of
  their requests: `examples`
"""

from __future__ import annotations
