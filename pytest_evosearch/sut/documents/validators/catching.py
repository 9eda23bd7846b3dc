"""Notes the schemas with which a handler validates its request.

The validating functions are wrapped while a `ValidatorWatch` is installed. They return and raise as
before: a failure of a reader causes a notice, and never affects the request.
"""

from __future__ import annotations

import functools
import sys
import warnings
from collections.abc import Callable
from collections.abc import Hashable
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from typing import NamedTuple

from pytest_evosearch.core.exception_texts import text_of_exception
from pytest_evosearch.core.own_time import OwnTime
from pytest_evosearch.sut.documents.validators.data_places import Place
from pytest_evosearch.sut.documents.validators.data_places import place_of
from pytest_evosearch.sut.documents.validators.data_places import request_in_progress
from pytest_evosearch.sut.documents.validators.hooks import Hook
from pytest_evosearch.sut.documents.validators.hooks import Part
from pytest_evosearch.sut.documents.validators.hooks import Schema
from pytest_evosearch.sut.documents.validators.libraries import LIBRARIES
from pytest_evosearch.sut.documents.validators.libraries import hooks_of
from pytest_evosearch.sut.patches import Patches
from pytest_evosearch.sut.watching.recorded_reads import JsonPath

MOST_LOOKS = 40
"""Most calls of one schema at one endpoint whose data are searched in the request.

A class for rows of a database is created again and again, and never from input.
"""

MOST_SCHEMAS = 40
"""Most schemas of one function at one endpoint: some are made in every call."""


class CaughtSchema(NamedTuple):
    """A rule of an endpoint for one place in its requests."""

    location: str
    """``json``, ``form``, ``query``, ``header`` or ``cookie``."""
    path: JsonPath
    """For JSON the keys down to the place."""
    schema: Schema


class ValidatorWatch:
    """Catches validators between `begin` and the end of the request.

    It must not be used by several threads at once.
    """

    def __init__(self) -> None:
        self.notices: list[str] = []
        """What could not be read, each once."""
        self.own_time = OwnTime()
        """Measures the time for reading schemas."""
        self._endpoint: str | None = None
        self._inside = False
        self._caught: dict[str, tuple[CaughtSchema, ...]] = {}
        self._looks: dict[tuple[str, str, Hashable], int] = {}
        self._schemas: dict[tuple[str, str], int] = {}
        self._patches = Patches()
        self._hooked: set[str] = set()
        self._loaded = 0

    @contextmanager
    def installed(self) -> Iterator[None]:
        """Wrap the validators of every library, loaded now or later, inside the block."""
        self._hook_new_libraries()
        try:
            yield
        finally:
            self._endpoint = None
            self._patches.undo()
            self._hooked.clear()

    def begin(self, endpoint: str) -> None:
        """Expect a request to the endpoint with this key."""
        self._endpoint = endpoint
        self._inside = False
        if len(sys.modules) != self._loaded:
            self._hook_new_libraries()

    def take(self) -> tuple[CaughtSchema, ...]:
        """End the request; return all schemas caught at its endpoint so far.

        Without a new schema, it returns the object of the last time.
        """
        endpoint, self._endpoint = self._endpoint, None
        return self._caught.get(endpoint, ()) if endpoint is not None else ()

    def _hook_new_libraries(self) -> None:
        self._loaded = len(sys.modules)
        for name in LIBRARIES:
            library = sys.modules.get(name)
            if library is None or name in self._hooked:
                continue
            self._hooked.add(name)
            try:
                for hook in hooks_of(library):
                    self._replace(hook)
            except Exception as error:
                # An unexpected release of the library.
                self._note(f"{name} is not watched ({text_of_exception(error)})")
        self._loaded = len(sys.modules)

    def _replace(self, hook: Hook) -> None:
        original = vars(hook.owner)[hook.name]
        if isinstance(original, classmethod):
            wrapper: Any = classmethod(self._wrapper(hook, original.__func__))
        else:
            wrapper = self._wrapper(hook, original)
        self._patches.setattr(hook.owner, hook.name, wrapper)

    def _wrapper(self, hook: Hook, original: Callable[..., Any]) -> Callable[..., Any]:
        """Return a replacement for `original`; nested calls belong to the library."""
        name = f"{hook.owner.__module__}.{hook.owner.__qualname__}.{hook.name}"

        @functools.wraps(original)
        def call(*arguments: Any, **keywords: Any) -> Any:
            if self._inside or self._endpoint is None:
                return original(*arguments, **keywords)
            with self.own_time.counted():
                doubtful = self._look(hook, name, arguments, keywords)
            self._inside = hook.before is None
            try:
                return original(*arguments, **keywords)
            except Exception:
                self._keep(doubtful)
                raise
            finally:
                self._inside = False

        return call

    def _look(
        self, hook: Hook, name: str, arguments: tuple[Any, ...], keywords: dict[str, Any]
    ) -> list[CaughtSchema]:
        """Note what a call validates; return the parts that only a failure can confirm."""
        try:
            if hook.before is not None:
                hook.before(*arguments, **keywords)
                return []
            assert self._endpoint is not None
            key = (self._endpoint, name, hook.identity(*arguments, **keywords))
            looks = self._looks.get(key)
            if looks is None:
                looks = self._first_look(key)
            if looks >= MOST_LOOKS:
                return []
            self._looks[key] = looks + 1
            with warnings.catch_warnings():
                # The application should see the library's deprecation warnings.
                warnings.simplefilter("ignore")
                certain, doubtful = self._caught_in(hook.parts(*arguments, **keywords))
            if certain:
                self._looks[key] = MOST_LOOKS
                self._keep(certain)
            return doubtful
        except Exception as error:
            # Schemas are objects of the application and may raise anything.
            said = text_of_exception(error)
            self._note(f"a validator of {hook.owner.__module__} could not be read ({said})")
            return []

    def _first_look(self, key: tuple[str, str, Hashable]) -> int:
        schemas = self._schemas.get(key[:2], 0)
        if schemas >= MOST_SCHEMAS:
            return MOST_LOOKS
        self._schemas[key[:2]] = schemas + 1
        return 0

    def _caught_in(self, parts: Any) -> tuple[list[CaughtSchema], list[CaughtSchema]]:
        request = request_in_progress()
        certain: list[CaughtSchema] = []
        doubtful: list[CaughtSchema] = []
        for part in parts if request is not None else ():
            place = place_of(part.data, request)
            if place is not None:
                caught = CaughtSchema(place.location, place.path, _schema_of(part, place))
                (certain if place.certain else doubtful).append(caught)
        return certain, doubtful

    def _keep(self, found: list[CaughtSchema]) -> None:
        if found and self._endpoint is not None:
            known = self._caught.get(self._endpoint, ())
            news = [one for one in found if one not in known]
            if news:
                self._caught[self._endpoint] = (*known, *news)

    def _note(self, notice: str) -> None:
        if notice not in self.notices:
            self.notices.append(notice)


def _schema_of(part: Part, place: Place) -> Schema:
    """Return the schema of a place, without names that the handler adds itself."""
    schema = part.read()
    if place.name:
        return {"type": "object", "properties": {place.name: schema}}
    properties, required = schema.get("properties"), schema.get("required")
    if not place.added or not isinstance(properties, dict):
        return schema
    kept = {name: inner for name, inner in properties.items() if name not in place.added}
    schema = {**schema, "properties": kept}
    if isinstance(required, list):
        schema["required"] = [name for name in required if name not in place.added]
    return schema
