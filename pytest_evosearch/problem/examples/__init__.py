"""What a project's own tests send, read from their source without running them.

    values        what an expression of a test may come to, unknown parts included
    containers    what is done to dictionaries and lists before they are sent
    expressions   literals, texts, answers of earlier calls, requests
    decisions     conditions that are known
    statements    assignments, branches, loops
    sources       functions and classes by name
    reader        test functions, their fixtures and the functions that they call

Charter: nothing here executes code of the project, and nothing here knows an application:
`problem.http.composing.seeding` turns what was read into individuals.  What cannot be understood is
unknown, never guessed.
"""
