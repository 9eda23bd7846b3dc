"""Lets the project change the text of modules, and lets regeneration still recognise its tests.

    before, the text as it was assembled -> change -> after, the text that is written

For an unedited test, the ledger keeps the digest of its source in `after`, which is the text on
disk. It also remembers additions of the project (a mark, an import, a function). The next run
removes these from the text that it finds, because they will be added again.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import TypeAlias

from pytest_evosearch.write.modules.ledger import ExistingModule
from pytest_evosearch.write.modules.ledger import digest
from pytest_evosearch.write.modules.ledger import parse_existing
from pytest_evosearch.write.modules.suite_assembly import Assembly

Change: TypeAlias = "Callable[[str, str], str]"
"""Returns the text to write, from a module's file name and text; equal for equal input."""


def change_texts(assembly: Assembly, change: Change) -> None:
    """Change the texts of `assembly`, and its digests to remember."""
    for file, before in list(assembly.texts.items()):
        after = change(file, before)
        if after == before:
            continue
        assembly.texts[file] = after
        assembled, changed = parse_existing(before), parse_existing(after)
        for name, source in assembled.blocks.items():
            address = f"{file}::{name}"
            if assembly.digests.get(address) == digest(source):
                assembly.digests[address] = digest(changed.blocks[name])
        added = _added(assembled, changed)
        if added:
            assembly.added[file] = added


def _added(assembled: ExistingModule, changed: ExistingModule) -> tuple[str, ...]:
    known = {name for one in assembled.definitions for name in one.names}
    return tuple(
        digest(one.source) for one in changed.definitions if not known.intersection(one.names)
    )


def objection(before: str, after: str, again: str) -> str | None:
    """Say why `after` cannot replace `before`, None where it can.

    `again` is `after`, changed a second time, as happens to tests of an earlier run: it must equal
    `after`.
    """
    try:
        _check_python(after)
        _check_python(again)
    except (SyntaxError, ValueError) as error:
        return f"is not valid Python: {error}"
    assembled, changed = parse_existing(before), parse_existing(after)
    missing = [name for name in assembled.blocks if name not in changed.blocks]
    if missing:
        return f"lacks {missing[0]}"
    new = [name for name in changed.tests if name not in assembled.tests]
    if new:
        return f"has another test, {new[0]}"
    repeated = parse_existing(again).blocks
    for name in assembled.blocks:
        if repeated.get(name) != changed.blocks[name]:
            return f"changes {name} again in each run: do not change a test twice"
    return None


def _check_python(text: str) -> None:
    """Raise SyntaxError or ValueError when `text` is no valid module."""
    text.encode("utf-8")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        compile(text, "module", "exec", dont_inherit=True)
