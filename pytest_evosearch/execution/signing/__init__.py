"""Signs requests as the application wants them signed: when they are sent, and in written tests.

Imported by `engine`; imports `execution.transport`.

Where to find a decision:

- which requests are signed anew, and how a written test does it: `signed_requests`
- which parts of a request a signature is about: `signed_messages`
"""

from __future__ import annotations
