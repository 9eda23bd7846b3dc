"""What the calls of a test do beside responding."""

from __future__ import annotations

from pytest_evosearch.core.quick_dataclasses import dataclass


@dataclass(frozen=True)
class Consequences:
    """What the calls of a test do beside responding, with which a written test must cope."""

    created: tuple[str, ...] = ()
    """Patterns of the files that they leave behind, below the project: ``uploads/**/*``."""
    keeps_context: bool = False
    """Whether they leave a context variable set, so that each request needs its own context."""
    leaves_threads: bool = False
    """Whether they leave threads that end soon: state is restored after these."""
    warnings: tuple[str, ...] = ()
    """Classes of warnings that the application issues in them, as filters name them."""
