"""Signs requests as the application requires it: when they are sent, and in written tests.

Start at `signed_requests`.  Imports `execution.transport`; only `engine` imports this package.

Where to find a decision:

- which requests are signed again, and how a written test does it: `signed_requests`
- which parts of a request a signature covers: `signed_messages`
"""

from __future__ import annotations
