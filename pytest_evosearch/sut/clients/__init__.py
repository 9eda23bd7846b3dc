"""Ways to send a request: Flask's test client, a faster one, and one for running servers.

Start at `client`.  Imports `sut.fixture_texts` and `sut.watching`; `sut.documents`, `sut.users` and
packages above `sut` import it.

Where to find a decision:

- what sends a request to a running server: `server_client` (written tests contain its source, too)
- what a cookie holds that is the application's session: `session_cookies`
- which streams have no end: `client.LIVE_TYPES`
"""

from __future__ import annotations
