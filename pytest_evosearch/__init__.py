"""pytest-evosearch: search-based test generation for Flask applications, inside pytest.

The package root contains only public names and imports nothing: each pytest run of each user who
installed the plugin loads it.  Start at ARCHITECTURE.md.

PYTEST_DONT_REWRITE: this module has no assertion that pytest should explain.
"""

from __future__ import annotations

__version__ = "0.1.0"
