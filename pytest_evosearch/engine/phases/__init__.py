"""The phases that follow a search, as objects: what each does, and when it is skipped.

    TargetedChecks      faults are looked for on purpose     cut short: what was found stays
    FreezeConfirmation  calls that hung are asked again      cut short: they are no faults
    Reduction           the archive becomes minimised tests  cut short: tests stay as they were
    VerifiedWriting     tests are written and verified       cut short: what was run once is kept
    MutationTesting     the tests are run against mutants    cut short: the score so far

Then `reports` sums the outcome up and renders it, whatever was cut short.  The name of a phase is
that of its share in `settings.time_plan` and of its line in the terminal.  Imports the rest of
`engine` but for `whole_run`, which lists the phases.  Start at `phase`.

Where to find a decision:

- what a phase is, and what one hands to the next: `phase`, `found`
- when questions are asked, `targeted_checks`; which calls that were cut off early count as freezes,
  `confirmation`
- how long minimising may take, and what it knows: `minimizing`
- when the application is let go of: `verified_writing`
- which notices a run ends with: `reports`
"""

from __future__ import annotations
