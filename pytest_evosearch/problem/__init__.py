"""What can be tried on the application, and what the results were.

Start at `search_problem` and `evaluation`: they are abstract, and the search uses only them.
`http` is the problem of a Flask application: sequences of calls, with gene trees as inputs.
`units` is the problem of plain code: functions and classes, called without HTTP.

May import `genes`, `standins`, `instrument`, `settings`, `core` and `errors`; only
`problem.http` may import werkzeug.
"""

from __future__ import annotations
