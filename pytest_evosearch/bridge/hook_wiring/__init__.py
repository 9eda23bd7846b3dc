"""The hooks of a project: found, called, and turned into plain functions for the engine.

Start at `project_hooks`: it makes the `Extensions` that the engine knows.  `hook_calls` says what a
failing hook costs.

Imports nothing else of `bridge`.
"""

from __future__ import annotations
