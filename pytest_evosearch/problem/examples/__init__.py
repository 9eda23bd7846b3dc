"""What a project's own tests send, read from their source without running them.

    `reader`            test functions, their fixtures and the functions that they call
    `read_statements`   assignments, branches, loops
    `read_expressions`  literals, texts, answers of earlier calls, requests
    `known_conditions`  conditions that are known
    `containers`        what is done to dictionaries and lists before they are sent
    `values`            what an expression of a test may come to, unknown parts included
    `sources`           functions and classes by name

Start at `reader`.  Nothing here executes code of the project, or knows an application:
`problem.http.composing.seeding` turns what was read into individuals.  A value that cannot
be read is unknown, and is never guessed.

Imports `core` only; `problem.http`, `write` and `engine` import it.
"""
