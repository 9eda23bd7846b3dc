"""Prevents harm by an application that is not prepared for tests.

Start at `confinement`.  Imports `sut.watching`; `execution`, `write.verification`, `engine` and
`bridge` import it.

Where to find a decision:

- what such an application may not do: `confinement`
- which resources of the machine are refused: `shared_resources`; how many processes, `ceiling` and
  `warden`
- what would end the process and is refused: `process_ends`; what runs at its end,
  `parting_functions`
- which children the application forks: `child_processes`; where their sockets are, `socket_folder`
- when a call hangs in C, and how the run starts again then: `hang`, `fresh_start`
"""

from __future__ import annotations
