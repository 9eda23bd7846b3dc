"""The phases after a search, as objects: what each does, and when it is skipped.

    TargetedChecks      faults are looked for on purpose     cut short: what was found stays
    FreezeConfirmation  calls that hung are sent again       cut short: they are no faults
    Reduction           the archive becomes minimised tests  cut short: tests stay as they were
    VerifiedWriting     tests are written and verified       cut short: what was run once is kept
    BrowserTests        tests for a browser are written     cut short: none are
    Postponement        what had no time waits for the next  cut short: the same
    MutationTesting     the tests are run against mutants    cut short: the score so far

After that, `reports` builds the outcome and writes the reports, even if a phase was cut short.  The
name of a phase is that of its share in `settings.time_plan` and of its line in the terminal.
Imports the rest of `engine`, except `whole_run`, which lists the phases.  Start at `phase`.

Where to find a decision:

- what a phase is, and what one passes to the next: `phase`, `found`
- when questions are asked: `targeted_checks`
- which calls that were cut off early count as freezes: `confirmation`
- how long minimising may take, and what it knows: `minimizing`
- when the application is released: `verified_writing`
- when tests for a browser are written, and which are kept: `browser_tests`
- which tests the next run begins with: `postponement`
- which notices a run ends with: `reports`
"""

from __future__ import annotations
