"""The key to sign with that an application reads from the environment, and that is not set there.

An application whose `SECRET_KEY` comes from a variable without a default can be made without it,
but it signs and checks nothing: each log-in crashes.  Developers have the variable in a file that
is not in the repository.  The search and its tests put a text in the place of the key, and the
user is told.  A key that no variable would fill stays empty: an application that never gets one
has a fault.  Keys of services stay empty, too: many an application asks a service only where it
has the key.
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
"""The setting that Flask and most of its extensions sign with."""

FIXTURE = '''\
@pytest.fixture(autouse=True)
def key_to_sign_with({client}):
    """Sign with a key of the tests: the environment sets none."""
    settings = {client}.application.config
    settings["{key}"] = settings["{key}"] or "{secret}"
'''

_READ = re.compile(r"""env\w*(?:\.\w+)?\s*[\[(]\s*["'](\w+)["']""")
"""``os.environ["NAME"]``, ``os.environ.get("NAME")``, ``getenv("NAME")``, ``env.str("NAME")``."""


def put_key(app: Any, root: Path, client: str, notify: Callable[[str], None]) -> tuple[str, ...]:
    """Fill the key of `app` if the environment would; return the fixture that does so, if any.

    `client` is the fixture of the test client, `notify` is given one line for the user.
    """
    if not is_key_unset(app, root):
        return ()
    app.config[KEY] = SECRET
    notify(
        f"not set in the environment, but signed with: the search and its tests set {KEY}={SECRET}"
    )
    return (FIXTURE.format(client=client, key=KEY, secret=SECRET),)


def is_key_unset(app: Any, root: Path) -> bool:
    """Say whether `app` has no key, and a variable of the environment that is not set names one.

    The variable may have a name of its own: ``APP_SECRET``.
    """
    settings = getattr(app, "config", {})
    if settings.get(KEY, "") or KEY not in settings:
        return False
    return any(is_secret(name) and name not in os.environ for name in _variables_read(root))


def _variables_read(root: Path) -> Iterator[str]:
    """Yield the variables of the environment that the loaded modules of the project name.

    Their source tells: mostly they were imported before anything could note what they asked for.
    """
    for module in project_modules(root):
        try:
            text = Path(str(module.__file__)).read_text(encoding="utf-8", errors="replace")
        except OSError:
            continue
        yield from _READ.findall(text)
