"""What is sent and what comes back, as plain values: calls, requests, responses, links."""

from __future__ import annotations
