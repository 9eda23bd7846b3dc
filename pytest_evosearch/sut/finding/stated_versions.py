"""Says which installed libraries are newer than the versions that a project states.

A call that fails in such a library, or for a name that it no longer has, may work with what the
project states.  So no written test expects it to fail.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from collections.abc import Mapping
from contextlib import suppress
from importlib import metadata
from pathlib import Path

from pytest_evosearch.core.quick_dataclasses import dataclass
from pytest_evosearch.sut.finding.wanted_servers import stated_requirements

_STATED = re.compile(
    r"""^[\s"']*([A-Za-z0-9][\w.-]*)(?:\[[^]]*\])?["']?\s*(?:=\s*["'])?(==|~=|<=|<|\^)\s*(\d[\d.]*)""",
    re.MULTILINE,
)
"""``Flask==1.0.2`` in a list of requirements, ``"flask~=2.0"`` and ``flask = "^2.0"`` in TOML."""

_CALLED = re.compile(r"^([A-Za-z_]\w*)(?:\.\w+)*\(\) (?:takes|got|missing)")
"""Message about a call that a signature does not take: ``Query.paginate() takes 1 ...``."""

_LACKING = re.compile(r"module '(\w+)[\w.]*' has no attribute|cannot import name .* from '(\w+)")


@dataclass(frozen=True)
class StatedVersions:
    """The top modules of libraries that are newer than stated."""

    newer: Mapping[str, str]
    """Module -> ``Flask 3.1.3, where the project states 1.0.2``."""

    @classmethod
    def of(cls, root: Path, installed: Callable[[str], str] = metadata.version) -> StatedVersions:
        """Compare the requirements of a project with what is installed."""
        newer: dict[str, str] = {}
        for name, sign, stated in _STATED.findall(stated_requirements(root)):
            with suppress(metadata.PackageNotFoundError):
                found = installed(name)
                if _is_beyond(found, sign, stated):
                    newer[_plain(name)] = f"{name} {found}, where the project states {stated}"
        return cls(_by_module(newer) if newer else {})

    def newer_library(self, raised_in: str, message: str) -> str:
        """Return the newer library in which a call failed, or that it asked; empty for none.

        `raised_in` is the function of a library that failed, `message` what the exception says.
        """
        module = raised_in.partition(" ")[0].partition(".")[0]
        called, lacking = _CALLED.match(message), _LACKING.search(message)
        if called is not None:
            module = self._holder_of(called[1]) or module
        if lacking is not None:
            module = lacking[1] or lacking[2]
        return self.newer.get(module, "")

    def _holder_of(self, name: str) -> str:
        """Return the newer library that defines a class or function of that name."""
        for module in sorted(sys.modules):
            top = module.partition(".")[0]
            if top in self.newer:
                held = getattr(sys.modules[module], name, None)
                if str(getattr(held, "__module__", "")).partition(".")[0] == top:
                    return top
        return ""


def _by_module(newer: Mapping[str, str]) -> dict[str, str]:
    """Return what is newer by the modules that can be imported."""
    return {
        module: newer[_plain(name)]
        for module, names in metadata.packages_distributions().items()
        for name in names
        if _plain(name) in newer
    }


def _plain(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def _is_beyond(installed: str, sign: str, stated: str) -> bool:
    """Say whether an installed version is newer in its first two numbers."""
    mine, theirs = _numbers(installed), _numbers(stated)
    return mine >= theirs if sign == "<" else mine > theirs


def _numbers(version: str) -> tuple[int, ...]:
    first, second, *_ = (*re.findall(r"\d+", version), "0", "0")
    return int(first), int(second)
