"""Ways to send a request: Flask's test client, a faster one, and one for running servers."""

from __future__ import annotations
