"""What a project's own tests send, read from their source without running them.

    values        possible values of an expression in a test, with unknown parts
    containers    changes of dictionaries and lists before they are sent
    expressions   literals, texts, responses of earlier calls, requests
    decisions     conditions that are known
    statements    assignments, branches, loops
    sources       functions and classes by name
    reader        test functions, their fixtures and the functions that they call

Start at `reader`.  Nothing here executes code of the project or knows an application;
`problem.http.composing.seeding` turns the result into individuals.  A value that cannot be read is
unknown, and is never guessed.

Imports `core` only; `problem.http`, `write` and `engine` import it.
"""
