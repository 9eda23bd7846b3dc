"""The system under test as it is: finding it, loading it, talking to it, bringing its state back.

One of the three rooms that may import flask and werkzeug (`execution` and `problem.http`
are the others); never pytest.  May import `instrument`, `genes`, `settings`, `core`, `errors`.
"""

from __future__ import annotations
