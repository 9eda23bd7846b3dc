"""What can be tried on the application, and what came of it.

`search_problem` and `evaluation` are abstract: the search knows only them.  `http` is the problem
that Flask poses: sequences of calls, with gene trees as inputs.  `examples` reads what the
project's own tests send.  May import `genes`,
`instrument`, `settings`, `core` and `errors`; only `problem.http` may import werkzeug.
"""

from __future__ import annotations
