"""Validators that a handler calls itself, recorded while it validates its request.

    `libraries`    which libraries, and the module here that reads each one
    `hooks`        what a reader says about its library: which functions validate, with which schema
    `named_types`  what the names of types mean in all of them
    `grammar_patterns`  what a grammar becomes: a pattern for the text that it parses
    `data_places`  where in the request the validated data came from
    `catching`     installs the hooks, and records each schema once for each endpoint

Start at `catching`.  A reader never imports its library: it gets the module that the application
has imported.  Imports `sut.watching`; `execution` and `engine` import this package.
"""

from __future__ import annotations
