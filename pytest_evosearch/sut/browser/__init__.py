"""A real browser whose requests are answered by the application in the main thread.

    page in Chromium -> Playwright in a process of its own -> lines of JSON -> the search

No server runs and no port is open: every request of a page is handed over, and its answer comes
back the same way.  The process imports nothing of this package but its own file, so that no patch
of a sandbox or an application reaches it.  Imports `sut.watching` and `sut.sandbox`;
`engine.browsing` imports it.  Start at `driven_browser`.

Where to find a decision:

- which browser is used, and what is said where none is: `installed_browser`
- what a page offers, and when it is quiet: `page_driver`
- how long an action may take, and how everything is ended: `driven_browser`
- which parts of a browser's request become those of a test: `asked_requests`
- what was done on a page, in words and for tests: `page_steps`
"""

from __future__ import annotations
