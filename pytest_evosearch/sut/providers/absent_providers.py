"""Replaces missing identity providers: who logs in, and with which claims.

The claims are learnt from the application's look-ups: the provider has each missing claim the next
time. Their values change like those of an account: a group that the code compares replaces the
invented one.
"""

from __future__ import annotations

import sys
from collections.abc import Container
from collections.abc import Iterable
from collections.abc import Iterator
from collections.abc import Mapping
from dataclasses import field
from types import FunctionType
from types import ModuleType
from typing import Any

from pytest_evosearch.core.english import singular
from pytest_evosearch.core.english import words_of
from pytest_evosearch.core.quick_dataclasses import dataclass
from pytest_evosearch.sut.deeds import Deed
from pytest_evosearch.sut.deeds import fixture_function
from pytest_evosearch.sut.enrolment.account_templates import EMAIL
from pytest_evosearch.sut.enrolment.account_templates import NAME
from pytest_evosearch.sut.enrolment.account_templates import call_code
from pytest_evosearch.sut.enrolment.account_templates import is_name
from pytest_evosearch.sut.patches import Patches
from pytest_evosearch.sut.providers.stand_ins import STAND_INS
from pytest_evosearch.sut.providers.stand_ins import StandIn

SURE_CLAIMS = ("name",)
"""Claims before any look-up is known."""

_LISTS = frozenset(("member", "scope", "amr", "aud"))

_MISSING = object()

_LIBRARIES = frozenset(
    ("pytest_evosearch", *(one.module.partition(".")[0] for one in STAND_INS if not one.binding))
)
"""Packages whose references to provider libraries do not mean that the application uses them."""

_OTHERS = _LIBRARIES | sys.stdlib_module_names
"""Packages unrelated to the application; the standard library refers to no provider library."""


class Claims(dict[str, Any]):
    """The claims of a provider; look-ups of missing ones are noted."""

    def __init__(self, said: Mapping[str, object], missed: dict[str, object]) -> None:
        super().__init__(said)
        self._missed = missed

    def get(self, key: str, default: Any = None) -> Any:
        """Return a claim; note a missing one."""
        self._note(key, default)
        return super().get(key, default)

    def __contains__(self, key: object) -> bool:
        self._note(key, None)
        return super().__contains__(key)

    def __missing__(self, key: str) -> Any:
        self._note(key, None)
        raise KeyError(key)

    def _note(self, key: object, default: object) -> None:
        if isinstance(key, str) and not super().__contains__(key):
            self._missed.setdefault(key, guessed(key, default))


@dataclass
class Provider:
    """A provider that one library would contact."""

    stand_in: StandIn
    changes: Patches
    missed: dict[str, object] = field(default_factory=dict)
    """Claims that the application has looked up, with values for them."""

    @property
    def door(self) -> str:
        """Return the name of this way for messages."""
        if self.stand_in.is_for_passwords:
            return f"any password, which {self.stand_in.library} would check"
        return f"the provider that {self.stand_in.library} asks"

    @property
    def claims(self) -> tuple[tuple[str, object], ...]:
        """Return the claims about a caller, as far as look-ups are known."""
        if self.stand_in.is_for_passwords:
            return ()
        sure = {name: guessed(name, None) for name in SURE_CLAIMS}
        return tuple((self.missed or sure).items())

    def say(self, values: Mapping[str, object]) -> None:
        """Replace the provider until the changes are undone."""
        says = fixture_function(self.stand_in.source)(self.changes)
        if self.stand_in.is_for_passwords:
            says()
        else:
            says(Claims(as_said(values), self.missed))


@dataclass(frozen=True)
class IdentityMaker:
    """Lets a provider identify a caller; another process can use it, too."""

    library: str
    values: tuple[tuple[str, object], ...]
    provider: Provider | None = field(default=None, compare=False)

    def __reduce__(self) -> tuple[Any, ...]:
        return IdentityMaker, (self.library, self.values)

    def __call__(self, _client: Any) -> None:
        """Replace the provider."""
        provider = self.provider or Provider(stand_in_for(self.library), Patches())
        provider.changes.undo()
        provider.say(dict(self.values))

    def deed(self, _app: Any) -> Deed:
        """Return the statement of a fixture that replaces the provider."""
        said = (as_said(dict(self.values)),) if self.values else ()
        return Deed((call_code(stand_in_for(self.library).fixture, said, {}),))


def stand_in_for(library: str) -> StandIn:
    """Return the replacement for the providers that a library contacts."""
    return next(one for one in STAND_INS if one.library == library)


def _is_used(stand_in: StandIn, referred: Container[str]) -> bool:
    """Say whether the application may use the library: code outside it must refer to it.

    A loaded library alone is no sign: Flask-Dance is a pytest plugin, too. `referred` are the
    packages to which other code refers.
    """
    home = sys.modules.get(stand_in.module)
    if home is None:
        return False
    if not stand_in.binding:
        return _package_of(stand_in.module) in referred
    check = getattr(home, stand_in.binding, None)
    holders = [one for one in list(sys.modules.values()) if _holds(one, stand_in.binding, check)]
    return any(one is not home for one in holders)


def _referred_packages() -> set[str]:
    """Return the provider packages to which a module outside them refers."""
    loaded = [one for one in STAND_INS if not one.binding and one.module in sys.modules]
    missing = {_package_of(one.module) for one in loaded}
    referred: set[str] = set()
    # One pass over all loaded modules serves all packages.
    for held in _held_by_others() if missing else ():
        referred.update(missing.intersection(map(_package_of, _names_behind(held))))
        if missing <= referred:
            break
    return referred


def _held_by_others() -> Iterator[list[object]]:
    """Yield the objects in each loaded module, except modules unrelated to the application."""
    for module in list(sys.modules.values()):
        held = getattr(module, "__dict__", {})
        if _package_of(str(held.get("__name__", ""))) not in _OTHERS:
            yield list(held.values())


def _names_behind(held: Iterable[object]) -> set[str]:
    """Return the names of modules that values belong to: each once, as there are many values."""
    found: set[str] = set()
    for value in held:
        kind = type(value)  # not ``__class__``: a proxy may have no target now
        if kind is FunctionType and isinstance(value, FunctionType):
            found.add(str(value.__module__))
            found.update(value.__code__.co_names)
        elif kind is ModuleType:
            found.add(str(vars(value).get("__name__")))
        else:
            found.add(str(vars(value if issubclass(kind, type) else kind).get("__module__")))
    return found


def _package_of(module: str) -> str:
    return module.partition(".")[0]


def _holds(module: object, name: str, value: object) -> bool:
    held = getattr(module, "__dict__", {})
    own = str(held.get("__name__", "")).partition(".")[0]
    return own not in ("pytest_evosearch", "bcrypt") and value in (
        held.get(name),
        getattr(held.get("bcrypt"), name, None),
    )


def providers() -> Iterator[Provider]:
    """Yield the providers that the loaded application would contact."""
    changes = Patches()
    known: set[str] = set()
    referred = _referred_packages()
    for stand_in in STAND_INS:
        package = stand_in.module.partition(".")[0]
        based_on = {"flask_dance": "requests_oauthlib"}.get(package)
        if package not in known and _is_used(stand_in, referred):
            known |= {package, based_on} if based_on else {package}
            yield Provider(stand_in, changes)


def as_said(values: Mapping[str, object]) -> dict[str, object]:
    """Return claims in the application's form: several values are a list."""
    return {
        name: list(value) if isinstance(value, tuple) else value for name, value in values.items()
    }


def guessed(name: str, default: object) -> object:
    """Return a value for a claim, from its name and from its default."""
    words = words_of(name) or [name]
    if isinstance(default, bool) or "verified" in words:
        return True
    is_plural = singular(words[-1]) != words[-1] or bool(set(words) & _LISTS)
    if isinstance(default, (list, tuple, set)) or (default is None and is_plural):
        return (f"{singular(words[0])}1",)
    if isinstance(default, int):
        return 1
    if {"email", "mail", "upn"} & set(words):
        return EMAIL
    if words[-1] in ("id", "sub", "uuid"):
        return "1"
    return NAME if is_name(name) or words[-1] in ("cn", "uid") else f"{words[-1]}1"
