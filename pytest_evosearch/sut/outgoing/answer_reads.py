"""Records what the application reads of the JSON that a service has answered."""

from __future__ import annotations

import json as everybodys_json
import sys
from collections.abc import Callable
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from pytest_evosearch.sut.watching.recorded_json import RecordingDict
from pytest_evosearch.sut.watching.recorded_json import RecordingList
from pytest_evosearch.sut.watching.recorded_reads import JsonPath
from pytest_evosearch.sut.watching.recorded_reads import ReadLog
from pytest_evosearch.sut.watching.recorded_reads import RecordedRead

ANSWER = "answer"
"""Location of reads of an answer; their path begins with the name of the call and `BODY`."""

BODY = "json"

NEEDED = "needed"
"""Type of a read that fails without the member."""

ITERATED = "iterated"
"""Type of a read of all members, one after another."""

OBJECT = "object"
"""Type of a read that takes a value for an object."""

NUMBER = "number"
"""Type of a read that takes a text for a number."""


class _ReadsOfAnswer(ReadLog):
    """Files the reads of one document under its call."""

    def __init__(self, log: _AnswerLog, name: str) -> None:
        super().__init__()
        self._log, self._name = log, name

    def note(
        self,
        location: str,
        path: JsonPath,
        present: bool,
        kind: Any = None,
        default: object = None,
    ) -> None:
        """Record a read of the document."""
        self._log.note(ANSWER, (self._name, BODY, *path), present, kind, default)

    def note_use(self, path: JsonPath, use: str, present: bool) -> None:
        """Record how the document is used at a place."""
        self._log.note_use((self._name, BODY, *path), use, present)


class _AnswerLog(ReadLog):
    """The reads of all documents of one call."""

    def note_use(self, path: JsonPath, use: str, present: bool) -> None:
        """Record a use; the strongest one of a place stays."""
        known = self._reads.get((ANSWER, path))
        default = None if known is None else known.default
        self._reads[ANSWER, path] = RecordedRead(ANSWER, path, present, use, default)


class AnsweredDict(RecordingDict):
    """A JSON object of an answer."""

    __slots__ = ()

    def __getitem__(self, key: Any) -> Any:
        use = getattr(self, "read_log", None)
        if use is not None and isinstance(key, str):
            use.note_use((*self.path, key), NEEDED, dict.__contains__(self, key))
        elif use is not None and isinstance(key, int):
            use.note_use(self.path, ITERATED, True)  # a list is expected
        return dict.__getitem__(self, key)

    def __iter__(self) -> Any:
        use = getattr(self, "read_log", None)
        if use is not None:
            use.note_use(self.path, ITERATED, True)
        return dict.__iter__(self)

    def keys(self) -> Any:
        """Return the keys; a copy asks for them, too, and then for each value."""
        return dict.keys(self)


class AnsweredList(RecordingList):
    """A JSON array of an answer."""

    __slots__ = ()


class AnsweredText(str):
    """A text of an answer, which notes when the code takes it for something else."""

    __slots__ = ("path", "read_log")

    read_log: _ReadsOfAnswer
    path: JsonPath

    def _note(self, use: str, *below: str) -> None:
        log = getattr(self, "read_log", None)
        if log is not None:
            log.note_use((*self.path, *below), use, not below)

    def __iter__(self) -> Any:
        self._note(ITERATED)
        return str.__iter__(self)

    def __getitem__(self, key: Any) -> Any:
        if isinstance(key, str):
            self._note(NEEDED, key)
        return str.__getitem__(self, key)

    def __getattr__(self, name: str) -> Any:
        if name in ("get", "items", "keys", "values"):
            self._note(OBJECT)
        raise AttributeError(f"'str' object has no attribute {name!r}")

    def __float__(self) -> float:
        self._note(NUMBER)
        return float(str.__str__(self))

    def __int__(self) -> int:
        self._note(NUMBER)
        return int(str.__str__(self))

    def __reduce_ex__(self, protocol: Any) -> Any:
        return str, (str.__str__(self),)


def _taken_for_number(name: str) -> Any:
    """Return a method that notes an operation with a number."""
    inherited = getattr(str, name, None)

    def operate(text: AnsweredText, other: Any) -> Any:
        if isinstance(other, int | float):
            text._note(NUMBER)
        return NotImplemented if inherited is None else inherited(text, other)

    return operate


for _name in ("lt", "le", "gt", "ge", "add", "radd", "sub", "rsub", "truediv", "rtruediv"):
    setattr(AnsweredText, f"__{_name}__", _taken_for_number(f"__{_name}__"))
for _name in ("floordiv", "rfloordiv", "pow", "rpow", "divmod", "rdivmod"):
    setattr(AnsweredText, f"__{_name}__", _taken_for_number(f"__{_name}__"))
del _name

for _recording, _imitated in ((AnsweredDict, dict), (AnsweredList, list), (AnsweredText, str)):
    _recording.__name__ = _recording.__qualname__ = _imitated.__name__
    _recording.__module__ = "builtins"
del _recording, _imitated


def recorded(value: Any, log: _ReadsOfAnswer, path: JsonPath = ()) -> Any:
    """Return a recording copy of a parsed answer; scalars stay unchanged."""
    if type(value) is dict:
        record = AnsweredDict(
            (key, recorded(inner, log, (*path, key))) for key, inner in value.items()
        )
        record.read_log, record.path = log, path
        return record
    if type(value) is list:
        elements = AnsweredList(
            recorded(inner, log, (*path, index)) for index, inner in enumerate(value)
        )
        elements.read_log, elements.path = log, path
        return elements
    if type(value) is str:
        text = AnsweredText(value)
        text.read_log, text.path = log, path
        return text
    return value


class AnswerReads:
    """Knows the texts that were served, and records reads of what is parsed from them."""

    def __init__(self) -> None:
        self.is_recording = True
        """Whether parsed answers record; else they are plain, as in written tests."""
        self._log = _AnswerLog()
        self._texts: dict[str, str] = {}
        """A served text -> the name of its call."""

    def clear(self) -> None:
        """Forget texts and reads."""
        if self._texts:
            self._log.clear()
            self._texts = {}

    def serve(self, name: str, body: bytes) -> None:
        """Expect that the application parses `body`."""
        if self.is_recording:
            self._texts[body.decode("utf-8", "replace")] = name

    def reads(self) -> list[RecordedRead]:
        """Return the reads, in order."""
        return self._log.reads() if self._texts else []

    def seen(self, text: Any, value: Any) -> Any:
        """Return a parsed value; one that was served records its reads."""
        if isinstance(text, bytes | bytearray):
            text = text.decode("utf-8", "replace")
        name = self._texts.get(text) if isinstance(text, str) else None
        if name is None:
            return value
        self._log.note(ANSWER, (name, BODY), True)
        return recorded(value, _ReadsOfAnswer(self._log, name))

    @contextmanager
    def installed(self) -> Iterator[None]:
        """Watch parsers inside the block."""
        kept: list[tuple[Any, str, Any]] = []

        def put(owner: Any, name: str, function: Any) -> None:
            kept.append((owner, name, getattr(owner, name)))
            setattr(owner, name, function)

        for module in (everybodys_json, sys.modules.get("simplejson")):
            if module is not None:
                put(module.JSONDecoder, "decode", self._decoding(module.JSONDecoder.decode))
        for name in ("orjson", "ujson"):
            fast: Any = sys.modules.get(name)
            if fast is not None:
                put(fast, "loads", self._loading(fast.loads))
        try:
            yield
        finally:
            for owner, name, function in reversed(kept):
                setattr(owner, name, function)

    def _decoding(self, real: Callable[..., Any]) -> Callable[..., Any]:
        def decode(decoder: Any, text: Any, *arguments: Any, **keywords: Any) -> Any:
            value = real(decoder, text, *arguments, **keywords)
            return self.seen(text, value) if self._texts else value

        return decode

    def _loading(self, real: Callable[..., Any]) -> Callable[..., Any]:
        def loads(text: Any, *arguments: Any, **keywords: Any) -> Any:
            value = real(text, *arguments, **keywords)
            return self.seen(text, value) if self._texts else value

        return loads
