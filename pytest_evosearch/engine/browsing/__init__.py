"""Visits with a real browser after the search: when they happen, and what is kept of them.

What the scripts and forms of a page ask for becomes an ordinary test of requests.  Tests for what
only a browser shows are written later (`engine.phases.browser_tests`).  Start at `browser_phase`.
Imports `sut.browser`, `execution` and `problem.http`; `engine` imports it.

Where to find a decision:

- how long visits go on, where they begin, and what is said where none can be made: `browser_phase`
- which action is next, how fields are filled, and which request becomes which call:
  `page_visit`
- which screens the browser has shown, and their pictures: `seen_screens`
- what only a browser shows, and how it is grouped: `page_problems`
"""

from __future__ import annotations
