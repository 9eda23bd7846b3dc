"""Ways to send a request: Flask's test client, a faster one, and one for running servers.

Start at `client`.

Where to find a decision:

- what sends a request to a running server: `server_client` (its source stands in written tests,
  too)
- what a stream without an end is: `client.LIVE_TYPES`
"""

from __future__ import annotations
