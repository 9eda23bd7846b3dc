"""How many small changes of the application the written tests would detect.

It takes a sample of mutants (operators of mutmut, as a library) in the functions that the tests
run.  Each mutant is tried in a forked process, which loads the changed source instead of the file.
Nothing is written into the user's folders.

Start at `score`.  Imports `write.verification`, `report`, `core` and `errors`; only `engine`
imports this package.

Where to find a decision:

- what a mutant is: `mutants`; how it is tried, `launcher`
"""

from __future__ import annotations
