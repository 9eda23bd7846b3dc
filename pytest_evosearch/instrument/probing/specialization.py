"""Replaces the code of functions by code with only the probes that are still needed.

The slots object does not change, so running frames can finish in the old code, and a missed
function only keeps its guards.
"""

from __future__ import annotations

import gc
import sys
from collections import Counter
from collections.abc import Container
from collections.abc import Iterable
from collections.abc import Mapping
from dataclasses import field
from importlib.util import decode_source
from types import AsyncGeneratorType
from types import CodeType
from types import CoroutineType
from types import FrameType
from types import FunctionType
from types import GeneratorType

from pytest_evosearch.core.quick_dataclasses import dataclass
from pytest_evosearch.instrument.probing.waking import ModuleProbes
from pytest_evosearch.instrument.transformation.assembly import put_together
from pytest_evosearch.instrument.transformation.assembly import taken_apart
from pytest_evosearch.instrument.transformation.atoms import Needs
from pytest_evosearch.instrument.transformation.compilation import compile_instrumented
from pytest_evosearch.instrument.transformation.exclusion import Patterns
from pytest_evosearch.instrument.transformation.plan import Slot

RECENT = 3
"""Number of remembered versions besides the guarded one.

A function that still runs an older version keeps it: its guards still work.
"""


@dataclass
class LoadedCode:
    """One module's code in its versions, with everything that a new version needs."""

    source: bytes
    guarded: CodeType
    """The code with all probes."""
    probes: ModuleProbes
    versions: list[CodeType] = field(default_factory=list)
    """The code objects that some function may still run."""
    left_out: frozenset[Slot] = field(default_factory=frozenset)
    """Slots that the newest version omits."""
    watched: Mapping[Slot, str] = field(default_factory=dict)
    """Slots whose remaining side the newest version watches itself."""

    def respecialized(self, level: int, excluded: Patterns = None) -> CodeType | None:
        """Return the code without useless probes; None when it would not change."""
        left_out, watched = self.probes.settled(), self.probes.watch()
        if left_out == self.left_out and watched == self.watched:
            return None
        plan = self.probes.plan.whole()
        needed: Needs = lambda slot: slot not in left_out and watched.get(slot, True)  # noqa: E731
        code, again = compile_instrumented(
            decode_source(self.source), plan.path, self.guarded.co_filename, level, needed, excluded
        )
        if again.targets != plan.targets or again.sizes != plan.sizes:
            return None
        self.left_out, self.watched = left_out, watched
        # Before the swap: the slots must be filled when the code runs.
        self.probes.watch_inline(watched)
        return put_together(taken_apart(code), self.probes.slots)

    def restored(self) -> CodeType:
        """Return the code with all probes, and without watches of its own."""
        self.left_out, self.watched = frozenset(), {}
        self.probes.watch_inline({})
        return self.guarded

    def adopt(self, code: CodeType) -> list[tuple[CodeType, CodeType]]:
        """Make `code` the newest version; return the replacements to swap."""
        older = [version for version in self.versions if version is not code]
        recent = [version for version in older if version is not self.guarded][-RECENT:]
        kept = recent if code is self.guarded else [self.guarded, *recent]
        self.versions = [*kept, code]
        return [(version, code) for version in older]


def swap(replacements: list[tuple[CodeType, CodeType]]) -> None:
    """Give every function with code of an old module version its counterpart of the new one.

    A function whose code object the application keeps elsewhere (as Jinja's traceback rewriting
    does) does not change, because the object's identity matters there.
    """
    codes, counterparts = _pairs(replacements)
    if not codes:
        return
    # One pass over the heap for all modules, because this is the expensive part.
    functions = [
        each
        for each in gc.get_objects()
        if type(each) is FunctionType and id(each.__code__) in counterparts
    ]
    constants = {id(code.co_consts): code.co_consts for code in codes}
    constants.update((id(old.co_consts), old.co_consts) for old, _ in replacements)
    suspects = _held_by_others(codes, functions, constants.values())
    kept = _kept_elsewhere(suspects, {*constants, id(codes), id(suspects)})
    for function in functions:
        if id(function.__code__) not in kept:
            function.__code__ = counterparts[id(function.__code__)]


def _pairs(
    replacements: Iterable[tuple[CodeType, CodeType]],
) -> tuple[list[CodeType], dict[int, CodeType]]:
    """Return all code to replace, and the new code by its id, without another reference to it."""
    codes: list[CodeType] = []
    counterparts: dict[int, CodeType] = {}
    for old, new in replacements:
        for ours, theirs in _matched(old, new):
            counterparts[id(ours)] = theirs
            codes.append(ours)
    return codes, counterparts


def _held_by_others(
    codes: list[CodeType],
    functions: Iterable[FunctionType],
    constants: Iterable[tuple[object, ...]],
) -> list[CodeType]:
    """Return the code objects with more references than functions and surrounding code explain.

    ``gc.get_referrers`` compares every reference of the heap with every given object, which is too
    slow for thousands of functions. Counting references finds the few for which it is needed.
    """
    explained = Counter(id(function.__code__) for function in functions)
    for each in constants:
        explained.update(id(code) for code in each if isinstance(code, CodeType))
    # referred to like every code object: by a name or a list of the caller, and here
    unheld = object()
    *references, own = map(sys.getrefcount, [*codes, unheld])
    return [
        code
        for code, count in zip(codes, references, strict=True)
        if count > own + explained[id(code)]
    ]


RUNNING = (FunctionType, FrameType, GeneratorType, CoroutineType, AsyncGeneratorType)
"""Types of objects that refer to code in order to run it."""


def _kept_elsewhere(suspects: list[CodeType], own: Container[int]) -> set[int]:
    """Return the ids of those suspects that are in a container of the application.

    `own` are the ids of our own containers.
    """
    if not suspects:
        return set()
    wanted, kept = set(map(id, suspects)), set[int]()
    # Since 3.13, the pass finds the tuple of its own arguments, too.
    arguments = tuple(suspects)
    for referrer in gc.get_referrers(*arguments):
        if isinstance(referrer, RUNNING) or referrer is arguments or id(referrer) in own:
            continue
        kept.update(id(each) for each in gc.get_referents(referrer) if id(each) in wanted)
    return kept


def _matched(old: CodeType, new: CodeType) -> list[tuple[CodeType, CodeType]]:
    """Pair the nested code objects of two versions; omit a branch that does not match."""
    ours = [each for each in old.co_consts if isinstance(each, CodeType)]
    theirs = [each for each in new.co_consts if isinstance(each, CodeType)]
    if len(ours) != len(theirs):
        return []
    pairs = []
    for mine, other in zip(ours, theirs, strict=True):
        if _same_function(mine, other):
            pairs.append((mine, other))
            pairs.extend(_matched(mine, other))
    return pairs


def _same_function(old: CodeType, new: CodeType) -> bool:
    return (
        old.co_name == new.co_name
        and old.co_firstlineno == new.co_firstlineno
        and old.co_freevars == new.co_freevars
        and old.co_varnames == new.co_varnames
        and old.co_flags == new.co_flags
    )
