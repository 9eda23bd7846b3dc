"""The problem of plain code: units, which are called with arguments.

A unit is a function, a method, a property or a class of a module.  A test makes an object, calls
its methods, and ends with the call that is tested; a test of a function is this call alone.

Start at `unit_problem`.  It knows units and results but calls none: `execution.units` does, in
another process.  Imports `problem.http.filling` for values that turn comparisons around; `harvest`,
`execution`, `write` and `engine` import it.

Where to find a decision:

- what a unit is, and which there are: `unit`, `inventory`
- how special methods are called: `operators`
- which genes an argument gets: `arguments`; from hints, `hinted_genes`
- which classes of the code it may be of: `own_classes`; which objects were made: `known_objects`
- which types were wrong: `wrong_types`
- which texts match the patterns of the code: `plain_texts`; for which parameter: `matched_texts`
- what is put in the place of the clock and of chance: `fixed_reads`
- which calls the examples of docstrings make: `documented_calls`
- what people would pass to a parameter: `usual_values`
- which results say too little for a test: `little_said`
- the defaults of a unit, and whose code it has: `unit_code`
- which values may turn a comparison around: `compared_values`
- which relations names suggest: `related_pairs`
- what a call did, as plain data: `results`
"""

from __future__ import annotations
