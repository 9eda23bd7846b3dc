"""pytest-evosearch: search-based test generation for Flask applications, inside pytest.

The package root holds the public names only, and imports nothing: the pytest plugin
is loaded in every pytest run of everyone who has it installed.

PYTEST_DONT_REWRITE: there is no assertion here that a user should see explained.
"""

from __future__ import annotations

__version__ = "0.1.0"
