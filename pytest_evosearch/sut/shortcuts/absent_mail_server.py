"""Replaces the mail server of `smtplib`: accepts every mail, and delivers none.

An application without fixtures must send no mail, and a fresh machine has no mail server. Some
applications open a connection at import, and fail without it. The written conftest.py contains the
functions that the search has used.
"""

from __future__ import annotations

import io
import re
import smtplib
import textwrap
from collections.abc import Callable
from collections.abc import Iterator
from collections.abc import Sequence
from contextlib import contextmanager
from mmap import mmap
from typing import Any

from pytest_evosearch.sut.deeds import defined
from pytest_evosearch.sut.patches import Patches

FIXTURE = "mail_server"

MODULES = ("io", "smtplib")
"""Modules of the standard library that the fixture uses."""

_FUNCTIONS = """\
def connect(self, *args, **kwargs):
    self.sock = io.BytesIO()
    self.command = ""
    return 220, b"ready"

def send(self, s):
    if self.sock is None:
        raise smtplib.SMTPServerDisconnected("please run connect() first")
    self.command = ""
    if isinstance(s, str):  # else it is a mail
        s.encode(self.command_encoding)
        self.command = s[:4].upper()

def getreply(self):
    codes = {"DATA": 354, "QUIT": 221, "AUTH": 235}
    return codes.get(self.command, 250), b"ready\\nAUTH PLAIN\\nSMTPUTF8\\nSTARTTLS"

def starttls(self, *args, **kwargs):
    return 220, b"ready"
"""

_REPLACED = re.findall(r"^def (\w+)", _FUNCTIONS, re.MULTILINE)


@contextmanager
def absent_mail_server(allowed: Sequence[str]) -> Iterator[Callable[[], bool]]:
    """Accept mails of `smtplib`, except to a host in `allowed`.

    Yield a function that says whether a mail was sent so far, in any forked process.
    """
    kind: Any = smtplib.SMTP
    used = mmap(-1, 1)
    stand_ins = defined(_FUNCTIONS, io=io, smtplib=smtplib)
    real = {name: vars(kind)[name] for name in _REPLACED}

    def replaced(name: str) -> Callable[..., Any]:
        def method(self: Any, *arguments: Any, **named: Any) -> Any:
            if name == "connect":
                host = str(arguments[0] if arguments else named.get("host", "localhost"))
                self._is_real = "*" in allowed or host.partition(":")[0] in allowed
                used[0] |= not self._is_real
            is_real = vars(self).get("_is_real", False)
            return (real if is_real else stand_ins)[name](self, *arguments, **named)

        return method

    with Patches() as patches:
        for name in _REPLACED:
            patches.setattr(kind, name, replaced(name))
        yield lambda: used[0] == 1


def mail_server_fixture() -> str:
    """Return the fixture that replaces the mail server in written tests."""
    patches = "".join(
        f'        patch.setattr(smtplib.SMTP, "{name}", {name})\n' for name in _REPLACED
    )
    return (
        '@pytest.fixture(scope="session")\n'
        f"def {FIXTURE}():\n"
        '    """A mail server that takes every mail, and delivers none."""\n\n'
        f"{textwrap.indent(_FUNCTIONS, '    ')}\n"
        "    with pytest.MonkeyPatch.context() as patch:\n"
        f"{patches}"
        "        yield\n"
    )
