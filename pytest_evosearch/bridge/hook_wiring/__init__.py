"""The hooks of a project: found, called, and turned into plain functions for the engine.

Start at `project_hooks`: it makes the `Extensions` that the engine uses.  `hook_calls` says what
happens when a hook fails.

Imports nothing else of `bridge`.

Where to find a decision:

- what a project's hooks add to a search: `project_hooks`, `engine.extensions`; for users,
  docs/hooks.md
- what happens when a hook fails: `hook_calls`; which misspelt hooks are found, `hook_names`
- how a hook changes a request, and how tests send the changed one: `outgoing`,
  `engine.preparing.rehearsal`
"""

from __future__ import annotations
