"""A signing key for an application that reads its key from an unset environment variable.

Without the key the application can be created, but it cannot sign: each log-in crashes.  Developers
have the variable in a file outside the repository.  The search and its tests set a text as the key,
and a notice reports it.

An empty key that no variable would fill stays empty: such an application has a fault.  Keys of
services stay empty, too, because many applications call a service only where they have its key.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from pytest_evosearch.core.isolation import os
from pytest_evosearch.sut.finding.unset_variables import SECRET
from pytest_evosearch.sut.finding.unset_variables import is_secret
from pytest_evosearch.sut.surroundings import project_modules

KEY = "SECRET_KEY"
"""The setting with which Flask and most of its extensions sign."""

FIXTURE = '''\
@pytest.fixture(autouse=True)
def key_to_sign_with({client}):
    """Set a key for signatures, because the environment sets none."""
    settings = {client}.application.config
    settings["{key}"] = settings["{key}"] or "{secret}"
'''

_READ = re.compile(r"""env\w*(?:\.\w+)?\s*[\[(]\s*["'](\w+)["']""")
"""``os.environ["NAME"]``, ``os.environ.get("NAME")``, ``getenv("NAME")``, ``env.str("NAME")``."""


def put_key(app: Any, root: Path, client: str, notify: Callable[[str], None]) -> tuple[str, ...]:
    """Fill the key of `app` if the environment would; return the fixture that does so, if any.

    `client` is the fixture of the test client.  `notify` takes one line for the user.
    """
    if not is_key_unset(app, root):
        return ()
    app.config[KEY] = SECRET
    notify(f"the environment sets no key to sign with: the search and its tests set {KEY}={SECRET}")
    return (FIXTURE.format(client=client, key=KEY, secret=SECRET),)


def is_key_unset(app: Any, root: Path) -> bool:
    """Say whether `app` has no key, and its source reads one from an unset environment variable.

    The variable may have another name than the setting: ``APP_SECRET``.
    """
    settings = getattr(app, "config", {})
    if settings.get(KEY, "") or KEY not in settings:
        return False
    return any(is_secret(name) and name not in os.environ for name in _variables_read(root))


def _variables_read(root: Path) -> Iterator[str]:
    """Yield the environment variables that the loaded modules of the project name.

    They are read from the source, because most modules were imported before any code could watch
    them.
    """
    for module in project_modules(root):
        try:
            text = Path(str(module.__file__)).read_text(encoding="utf-8", errors="replace")
        except OSError:
            continue
        yield from _READ.findall(text)
