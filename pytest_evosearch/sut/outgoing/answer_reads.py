"""Records what the application reads of what a service has answered, first of all of JSON."""

from __future__ import annotations

import json as everybodys_json
import sys
from collections.abc import Callable
from typing import Any
from typing import NamedTuple

from pytest_evosearch.sut.outgoing.answer_formats import JSON
from pytest_evosearch.sut.outgoing.answer_formats import WrittenAnswer
from pytest_evosearch.sut.patches import Patches
from pytest_evosearch.sut.watching.recorded_json import RecordingDict
from pytest_evosearch.sut.watching.recorded_json import RecordingList
from pytest_evosearch.sut.watching.recorded_reads import JsonPath
from pytest_evosearch.sut.watching.recorded_reads import ReadLog
from pytest_evosearch.sut.watching.recorded_reads import RecordedRead

ANSWER = "answer"
"""Location of reads of an answer; their path begins with the name of the call and `BODY`."""

BODY = "json"
HEADERS = "headers"
FORMAT = "format"
"""Of an answer that is expected to be no JSON; the default of the read is the format."""

NEEDED = "needed"
"""Type of a read that fails without the member."""

SOUGHT = "sought"
"""Type of a read of an element that was not there; the code may expect that."""

ITERATED = "iterated"
"""Type of a read of all members, one after another."""

OBJECT = "object"
"""Type of a read that takes a value for an object."""

ANY_MEMBER = "any member"
"""Type of a read of all members whose names the code does not know, below `SOME_NAME`."""

SOME_NAME = "a"

NUMBER = "number"
"""Type of a read that takes a text for a number."""


class ReadsOfAnswer(ReadLog):
    """Files the reads of one document under its call."""

    def __init__(self, log: _AnswerLog, name: str, part: str = BODY) -> None:
        super().__init__()
        self._log, self._name, self._part = log, name, part

    def note(
        self,
        location: str,
        path: JsonPath,
        present: bool,
        kind: Any = None,
        default: object = None,
    ) -> None:
        """Record a read of the document."""
        self._log.note(ANSWER, (self._name, self._part, *path), present, kind, default)

    def note_use(self, path: JsonPath, use: str, present: bool) -> None:
        """Record how the document is used at a place."""
        self._log.note_use((self._name, self._part, *path), use, present)

    def text(self, path: JsonPath, value: Any) -> Any:
        """Return a text of the answer as one that records how it is used."""
        return recorded(str(value), self, path)


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
        if use is not None and not len(self):  # one with members is an object indeed
            use.note_use(self.path, ITERATED, True)
        return dict.__iter__(self)

    def __bool__(self) -> bool:
        """Say whether there are members; code that asks goes on with some."""
        if not len(self):
            self._note_any_member()
        return len(self) > 0

    def keys(self) -> Any:
        """Return the keys; a copy asks for them, too, and then for each value."""
        return dict.keys(self)

    def items(self) -> Any:
        """Return the members."""
        self._note_any_member()
        return dict.items(self)

    def values(self) -> Any:
        """Return the values."""
        self._note_any_member()
        return dict.values(self)

    def _note_any_member(self) -> None:
        """Note that the names of the members are those of things, which the code does not know."""
        use = getattr(self, "read_log", None)
        if use is not None:
            use.note_use((*self.path, SOME_NAME), ANY_MEMBER, len(self) > 0)


class AnsweredList(RecordingList):
    """A JSON array of an answer."""

    __slots__ = ()

    def __getitem__(self, key: Any) -> Any:
        use = getattr(self, "read_log", None)
        if use is not None and not isinstance(key, int | slice):
            # ``for name in rates: rates[name]``: an object is expected, and any name will do.
            use.note_use((*self.path, SOME_NAME), ANY_MEMBER, False)
        return super().__getitem__(key)


class AnsweredText(str):
    """A text of an answer, which notes when the code takes it for something else."""

    __slots__ = ("path", "read_log")

    read_log: ReadsOfAnswer
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


def recorded(value: Any, log: ReadsOfAnswer, path: JsonPath = ()) -> Any:
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


class Served(NamedTuple):
    """A text that a service has answered, and what is recorded of its reads."""

    log: ReadsOfAnswer
    format: str
    places: tuple[JsonPath, ...]


class AnswerReads:
    """Knows the texts that were served, and records reads of what is parsed from them."""

    def __init__(self) -> None:
        self.is_recording = True
        """Whether parsed answers record; else they are plain, as in written tests."""
        self.is_serving = False
        """Whether a text was served since `clear`."""
        self._log = _AnswerLog()
        self._texts: dict[bytes, tuple[str, WrittenAnswer]] = {}
        """A served text -> the name of its call, and how it was written."""
        self._last = ""
        """Name of the call that was answered last."""

    def clear(self) -> None:
        """Forget texts and reads."""
        if self.is_serving:
            self._log.clear()
            self._texts, self.is_serving = {}, False

    def serve(self, name: str, answer: WrittenAnswer, is_parsed: bool = True) -> None:
        """Expect that the application parses an answer, unless its library does so."""
        if self.is_recording:
            if is_parsed:
                self._texts[answer.body] = name, answer
            self._last, self.is_serving = name, True

    def reads(self) -> list[RecordedRead]:
        """Return the reads, in order."""
        return self._log.reads() if self.is_serving else []

    def seen(self, text: Any, value: Any) -> Any:
        """Return a parsed value; one that was served records its reads."""
        served = self.parsed_as(JSON, text) if self.is_serving else None
        if served is None:
            return value
        self._log.note(ANSWER, (self._name_of(text), BODY), True)
        return recorded(value, served.log)

    def parsed_as(self, form: str, text: Any) -> Served | None:
        """Return what was served as `text`; note that another format is expected."""
        found = self._texts.get(_bytes(text))
        if found is None:
            return None
        name, answer = found
        if answer.format != form:
            self._log.note(ANSWER, (name, FORMAT), True, None, form)
        return Served(ReadsOfAnswer(self._log, name), answer.format, answer.places)

    def _name_of(self, text: Any) -> str:
        return self._texts[_bytes(text)][0]

    def of_last(self) -> ReadsOfAnswer | None:
        """Return the log of the document that was answered last; None where nothing records."""
        return ReadsOfAnswer(self._log, self._last) if self.is_serving else None

    def note_use(self, name: str, path: JsonPath, use: str) -> None:
        """Note how the description of a call uses a place of its answer."""
        if self.is_recording:
            self._log.note_use((name, BODY, *path), use, True)

    def seen_header(self, name: str, value: Any) -> Any:
        """Return the value of a header of the last answer, and note that it was read."""
        name = name.title() if name.islower() else name  # the usual spelling
        self._log.note(ANSWER, (self._last, HEADERS, name), value is not None)
        if not isinstance(value, str):
            return value
        return ReadsOfAnswer(self._log, self._last, HEADERS).text((name,), value)

    def watch_parsers(self, patches: Patches) -> None:
        """Watch parsers of JSON until `patches` end."""
        for module in (everybodys_json, sys.modules.get("simplejson")):
            if module is not None:
                patches.wrap(module.JSONDecoder, "decode", self._decoding)
        for name in ("orjson", "ujson"):
            fast: Any = sys.modules.get(name)
            if fast is not None:
                patches.wrap(fast, "loads", self._loading)

    def _decoding(self, real: Callable[..., Any]) -> Callable[..., Any]:
        def decode(decoder: Any, text: Any, *arguments: Any, **keywords: Any) -> Any:
            value = real(decoder, text, *arguments, **keywords)
            return self.seen(text, value) if self.is_serving else value

        return decode

    def _loading(self, real: Callable[..., Any]) -> Callable[..., Any]:
        def loads(text: Any, *arguments: Any, **keywords: Any) -> Any:
            value = real(text, *arguments, **keywords)
            return self.seen(text, value) if self.is_serving else value

        return loads


def _bytes(text: Any) -> bytes:
    if isinstance(text, str):
        return text.encode("utf-8", "replace")
    return bytes(text) if isinstance(text, bytes | bytearray) else b""
