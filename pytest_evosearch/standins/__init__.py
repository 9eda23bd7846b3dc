"""Finds out what code wants to be given, by giving it stand-ins.

A stand-in accepts what is asked of it (an attribute, an item, arithmetic, a loop) and notes it in a
tree.  After each run the evidence is weighed, and a value whose type is known becomes a plain one.
The next error refutes the weakest guess.  The code may be a function with arguments, or a caller
with an answer: this package knows neither.

    inquiry = Inquiry(["names", "width"])
    for _ in range(10):
        try:
            function(**inquiry.values())
        except Exception as error:
            inquiry.note(error)
        else:
            inquiry.note(None)
        if inquiry.is_settled:
            break
    inquiry.shapes()["names"]       # Shape: list[str]

Start at `type_inquiry`.  Imports the standard library only; `problem.units` and `execution.units`
import it.

Where to find a decision:

- which type the evidence shows: `likely_types`; what a name says, `argument_names`
- what error messages show: `error_messages`
- what a stand-in answers: `standin`
- what is given in the next run: `type_inquiry`
"""

from __future__ import annotations
