"""Keeps an application that is not prepared for tests from doing harm.

Start at `confinement`.

Where to find a decision:

- what an application that is not prepared for tests may not do: `confinement`
- which resources of the machine are refused: `shared_resources`; how many processes, `ceiling` and
  `warden`
- what would end the process: refused in `process_ends`; what runs at its end, `parting_functions`
- which children the application forks: `child_processes`; where their sockets lie: `socket_folder`
- when a call hangs in C, and how the run begins anew then: `hang`, `fresh_start`
"""

from __future__ import annotations
