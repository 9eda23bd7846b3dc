"""The problem that a Flask application poses: sequences of HTTP calls.

Endpoints with typed parameters, calls that feed on earlier responses, users, hints.
Knows what a request and a response are, but never sends one: that is `execution`.

Where to find a decision:

- what is searched, as one object for the algorithms: `http_problem`
"""

from __future__ import annotations
