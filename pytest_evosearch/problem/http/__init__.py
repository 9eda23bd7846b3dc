"""The problem of a Flask application: sequences of HTTP calls.

It has endpoints with typed parameters, calls that use earlier responses, users, and hints.  It
knows requests and responses, but sends none: `execution` does.

Start at `http_problem`, which imports its packages; `engine` imports it.

Where to find a decision:

- what is searched, as one object for the algorithms: `http_problem`
"""

from __future__ import annotations
