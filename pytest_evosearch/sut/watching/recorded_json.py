"""JSON bodies that record the keys that a handler looks up, including missing ones.

The containers are real dicts and lists: `isinstance`, equality, `json.dumps`, `dict(d)` and ``**d``
behave as usual; copying and pickling give plain ones. Their classes even have the built-in names,
because applications put ``type(value).__name__`` into messages. But ``type(value) is dict`` is
false, so only calls for learning get them (`execution.confirming.recorded_calls`).
"""

from __future__ import annotations

from typing import Any
from typing import SupportsIndex

from pytest_evosearch.sut.watching.recorded_reads import JsonPath
from pytest_evosearch.sut.watching.recorded_reads import ReadLog


def watched(value: Any, log: ReadLog, path: JsonPath = ()) -> Any:
    """Return a recording copy of a parsed JSON value; scalars stay unchanged."""
    if type(value) is dict:
        record = RecordingDict(
            (key, watched(inner, log, (*path, key))) for key, inner in value.items()
        )
        record.read_log, record.path = log, path
        return record
    if type(value) is list:
        elements = RecordingList(
            watched(inner, log, (*path, index)) for index, inner in enumerate(value)
        )
        elements.read_log, elements.path = log, path
        return elements
    return value


def plain(value: Any) -> Any:
    """Return a copy of `value` without recording containers."""
    if isinstance(value, RecordingDict):
        return {key: plain(inner) for key, inner in dict.items(value)}
    if isinstance(value, RecordingList):
        return [plain(inner) for inner in list.__iter__(value)]
    return value


_MISSING: Any = object()


class RecordingDict(dict[str, Any]):
    """A JSON object."""

    __slots__ = ("path", "read_log")

    read_log: ReadLog
    path: JsonPath

    def _note(self, key: Any, default: object = None) -> None:
        # Validators create their results by ``type(data)()``: those come from no caller.
        log = getattr(self, "read_log", None)
        if log is not None and isinstance(key, str):
            kind = type(default) if isinstance(default, dict | list) else None
            log.note("json", (*self.path, key), dict.__contains__(self, key), kind, default)

    def _taken(self, key: Any, value: Any) -> Any:
        """Return a value that the handler takes; note where a text comes from."""
        log = getattr(self, "read_log", None)
        if log is not None and type(value) is str:
            log.last_text = (*self.path, key)
        return value

    def __getitem__(self, key: Any) -> Any:
        self._note(key)
        return self._taken(key, super().__getitem__(key))

    def __contains__(self, key: object) -> bool:
        self._note(key)
        return super().__contains__(key)

    def get(self, key: Any, default: Any = None) -> Any:
        """Return the value of `key`."""
        self._note(key, default)
        return self._taken(key, super().get(key, default))

    def pop(self, key: Any, default: Any = _MISSING) -> Any:
        """Remove `key` and return its value."""
        self._note(key, None if default is _MISSING else default)
        return super().pop(key) if default is _MISSING else super().pop(key, default)

    def setdefault(self, key: Any, default: Any = None) -> Any:
        """Return the value of `key`, given `default` if it had none."""
        self._note(key, default)
        return super().setdefault(key, default)

    def __reduce_ex__(self, protocol: SupportsIndex) -> Any:
        return _rebuild, (plain(self),)


class RecordingList(list[Any]):
    """A JSON array."""

    __slots__ = ("path", "read_log")

    read_log: ReadLog
    path: JsonPath

    def __getitem__(self, key: Any) -> Any:
        log = getattr(self, "read_log", None)
        if log is not None and isinstance(key, int):
            log.note("json", (*self.path, key), -len(self) <= key < len(self))
        value = super().__getitem__(key)
        if log is not None and type(value) is str:
            log.last_text = (*self.path, key)
        return value

    def __iter__(self) -> Any:
        log = getattr(self, "read_log", None)
        if log is not None:
            log.note("json", self.path, True, list)
            if any(type(one) is str for one in super().__iter__()):
                log.last_text = (*self.path, 0)
        return super().__iter__()

    def __reduce_ex__(self, protocol: SupportsIndex) -> Any:
        return _rebuild, (plain(self),)


def _rebuild(value: Any) -> Any:
    """Unpickle a container as a plain one."""
    return value


for _recording, _imitated in ((RecordingDict, dict), (RecordingList, list)):
    _recording.__name__ = _recording.__qualname__ = _imitated.__name__
    _recording.__module__ = "builtins"
del _recording, _imitated
