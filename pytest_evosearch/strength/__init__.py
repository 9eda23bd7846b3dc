"""How much the written tests would notice: small changes of the application that fail a test.

A sample of mutants (mutmut's operators, as a library) of the functions that the tests run
while they act; each is tried in a forked process that loads the changed source in the place
of the file.  Nothing is ever written into the user's folders.  `strength.score` is the door.

Where to find a decision:

- what a mutant is: `mutants`; how it is tried, `launcher`
"""

from __future__ import annotations
