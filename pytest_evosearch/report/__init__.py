"""One model of a run's outcome, and the reports that are made from it.

Start at `outcome`.  Imports `problem`, `instrument`, `settings`, `core` and `errors`; `strength`,
`harvest`, `engine` and `bridge` import it.  The templates of the HTML page are data in `page`.

Where to find a decision:

- what the reports contain: `outcome`, and of pages `page_visits`; why lines are not covered,
  `reasons`
- which faults count as one: `identity`
- what the terminal shows: `terminal_lines`
- which reasons are one line: `causes`
- which reports are written: `files.RENDERERS`
"""

from __future__ import annotations
