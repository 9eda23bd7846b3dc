"""Values that a test takes out of the mails that the application sends, as code."""

from __future__ import annotations

import keyword
import re
from collections.abc import Collection
from collections.abc import Sequence

from pytest_evosearch.problem.http.exchanges.endpoint import PLACEHOLDER
from pytest_evosearch.problem.http.exchanges.exchange import Exchange
from pytest_evosearch.problem.http.exchanges.exchange import Origin
from pytest_evosearch.sut.watching.outbox import OUTBOX_FIXTURE

TOKENS = (r"([\w.-]+)", r"([\w.-]+[\w-])")
"""Patterns of what is taken out of a mail: signed and random tokens are made of these.

The second one is for an address at which a sentence ends.
"""


def takes_from_mails(exchanges: Sequence[Exchange]) -> bool:
    """Say whether a request holds what an earlier one had mailed."""
    return any(one.request.was_mailed for one in exchanges)


def sends_mails_by_threads(exchanges: Sequence[Exchange]) -> bool:
    """Say whether a mail was sent by a thread, for which a test has to wait."""
    return any(mail.by_thread for one in exchanges for mail in one.mails)


def mail_code(
    exchanges: Sequence[Exchange], origin: Origin, index: int, value: object
) -> str | None:
    """Return code that finds a value in the mails that were sent before the call `index`.

    None where a short expression cannot.
    """
    template, name = str(origin.selector[1]), str(origin.selector[-1])
    before, found, _after = template.partition(f"{{{name}}}")
    parts = PLACEHOLDER.split(before)[::2] if found else [f"{name}="]
    start = "[^/]+".join(map(_literal, parts))
    mails = exchanges[origin.call].mails
    later = sum(len(one.mails) for one in exchanges[origin.call + 1 : index])
    for place, mail in enumerate(reversed(mails), start=later + 1):
        for text, attribute in ((mail.html, "html"), (mail.body, "body")):
            for pattern in (f"{start}{token}" for token in TOKENS):
                known = re.search(pattern, text)
                if known is not None and known[1] == value:
                    return f're.search(r"{pattern}", {OUTBOX_FIXTURE}[-{place}].{attribute})[1]'
    return None


def _literal(text: str) -> str:
    """Return the pattern of `text` itself; a dash needs no backslash, whatever `re` thinks."""
    return re.escape(text).replace("\\-", "-")


def is_mailed(code: str) -> bool:
    """Say whether `mail_code` wrote it."""
    return code.startswith("re.search(") and f", {OUTBOX_FIXTURE}[" in code


def variable_named(name: str, taken: Collection[str]) -> str:
    """Return what the variable for a mailed value is called: `name` where that is free."""
    wanted = name if name.isidentifier() and not keyword.iskeyword(name) else "mailed"
    return f"mailed_{wanted}" if wanted in taken else wanted
