"""Keys to sign with that an application reads from the environment, and that are not set there.

An application whose `SECRET_KEY` comes from a variable without a default can be made without it,
but it signs and checks nothing: each log-in crashes.  Developers have the variable in a file that
is not in the repository.  The search and its tests put a text in the place of the key, and
the user is told.  A setting that no variable would fill stays empty: an application that never
gets a key has a fault.
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

FIXTURE = '''\
@pytest.fixture(autouse=True)
def keys_to_sign_with({client}):
    """Sign with a key of the tests: the environment sets none."""
    settings = {client}.application.config
    for name in ({names}):
        settings[name] = settings[name] or "{secret}"
'''

_READ = re.compile(r"""env\w*(?:\.\w+)?\s*[\[(]\s*["'](\w+)["']""")
"""``os.environ["NAME"]``, ``os.environ.get("NAME")``, ``getenv("NAME")``, ``env.str("NAME")``."""


def put_keys(app: Any, root: Path, client: str, notify: Callable[[str], None]) -> tuple[str, ...]:
    """Fill the settings of `app` that hold no key; return the fixture that does so, if any.

    `client` is the fixture of the test client, `notify` is given one line for the user.
    """
    names = unset_keys(app, root)
    if not names:
        return ()
    for name in names:
        app.config[name] = SECRET
    phrase = ", ".join(f"{name}={SECRET}" for name in names)
    notify(f"not set in the environment, but signed with: the search and its tests set {phrase}")
    listed = "".join(f'"{name}", ' for name in names)
    shown = listed.strip() if len(names) == 1 else listed.removesuffix(", ")
    return (FIXTURE.format(client=client, names=shown, secret=SECRET),)


def unset_keys(app: Any, root: Path) -> list[str]:
    """Return the settings of `app` without a value that a variable of the environment would fill.

    A variable of another name than any setting fills the `SECRET_KEY`.
    """
    settings = getattr(app, "config", {})
    empty = {name for name in settings if is_secret(name) and not settings[name]}
    if not empty:
        return []
    unset = {name for name in _variables_read(root) if is_secret(name) and name not in os.environ}
    found = {name if name in settings else "SECRET_KEY" for name in unset}
    return sorted(found & empty)


def _variables_read(root: Path) -> Iterator[str]:
    """Yield the variables of the environment that the loaded modules of the project name."""
    for module in project_modules(root):
        try:
            text = Path(str(module.__file__)).read_text(encoding="utf-8", errors="replace")
        except OSError:
            continue
        yield from _READ.findall(text)
