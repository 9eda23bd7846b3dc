"""Learns what handlers read from their requests, by subclassing the request class.

Nothing of Flask is patched: ``app.request_class`` is replaced by a subclass of itself whose
containers note every look, also at what is missing.  Costs about a sixth of the speed.
"""

from __future__ import annotations

from typing import Any

from werkzeug.utils import cached_property

from pytest_evosearch.sut.recorded_json import watched
from pytest_evosearch.sut.recorded_reads import ReadLog
from pytest_evosearch.sut.recorded_reads import RecordedRead
from pytest_evosearch.sut.recorded_reads import RecordingCombinedDict
from pytest_evosearch.sut.recorded_reads import RecordingHeaders
from pytest_evosearch.sut.recorded_reads import RecordingMultiDict

_HEADER_ATTRIBUTES = {
    "authorization": "Authorization",
    "referrer": "Referer",
    "user_agent": "User-Agent",
    "origin": "Origin",
    "range": "Range",
    "accept_mimetypes": "Accept",
    "accept_languages": "Accept-Language",
    "if_none_match": "If-None-Match",
    "if_match": "If-Match",
    "if_modified_since": "If-Modified-Since",
    "if_unmodified_since": "If-Unmodified-Since",
}
"""Attributes of a request that stand for a header."""


class ReadRecorder:
    """Records the reads of one application while it is entered; changes nothing else.

    Not for several threads at once: reads of all requests go to one log.
    """

    def __init__(self, app: Any, *, json_bodies: bool = True) -> None:
        self._app = app
        self._json_bodies = json_bodies
        self._log = ReadLog()
        self._kept: Any = None

    def __enter__(self) -> ReadRecorder:
        self._kept = vars(self._app).get("request_class")
        self._app.request_class = recording_class(
            self._app.request_class, self._log, json_bodies=self._json_bodies
        )
        return self

    def __exit__(self, *exception: object) -> None:
        if self._kept is None:
            del self._app.request_class
        else:
            self._app.request_class = self._kept

    def begin(self) -> None:
        """Forget what was recorded."""
        self._log.clear()

    def take(self) -> list[RecordedRead]:
        """Return the distinct reads since `begin`, in order."""
        return self._log.reads()


def recording_class(base: Any, log: ReadLog, *, json_bodies: bool = True) -> Any:
    """Return a subclass of the request class `base` that notes reads in `log`.

    With `json_bodies` off, a JSON body is recorded as a whole and handed out as parsed.
    """

    class RecordingRequest(base):  # type: ignore[misc]
        parameter_storage_class = RecordingMultiDict
        dict_storage_class = RecordingMultiDict
        _watched_json: tuple[Any, Any] | None = None

        def __init__(self, environ: Any, *arguments: Any, **keywords: Any) -> None:
            super().__init__(environ, *arguments, **keywords)
            self.headers = RecordingHeaders(environ, log)

        @cached_property
        def args(self) -> Any:
            return _watch(super().args, log, "query")

        @cached_property
        def cookies(self) -> Any:
            return _watch(super().cookies, log, "cookie")

        def _load_form_data(self) -> None:
            super()._load_form_data()
            held = self.__dict__
            _watch(held.get("form"), log, "form")
            _watch(held.get("files"), log, "file")

        @cached_property
        def values(self) -> Any:
            combined = super().values
            if not isinstance(getattr(combined, "dicts", None), list):
                return combined
            recording = RecordingCombinedDict(combined.dicts)
            recording.watch(log)
            return recording

        def get_json(self, *arguments: Any, **keywords: Any) -> Any:
            log.note("json", (), self._has_body())
            value = super().get_json(*arguments, **keywords)
            return self._watched(value) if json_bodies else value

        def get_data(self, *arguments: Any, **keywords: Any) -> Any:
            if log.wants(1, "text", ""):
                log.note("text", (), self._has_body())
            return super().get_data(*arguments, **keywords)

        @property
        def data(self) -> Any:
            if log.wants(1, "text", ""):
                log.note("text", (), self._has_body())
            return super().data

        def _has_body(self) -> bool:
            return self.environ.get("CONTENT_LENGTH") not in (None, "", "0")

        def _watched(self, value: Any) -> Any:
            """Return the recording copy of `value`, the same one every time."""
            if self._watched_json is None or self._watched_json[0] is not value:
                self._watched_json = (value, watched(value, log))
            return self._watched_json[1]

    for attribute, header in _HEADER_ATTRIBUTES.items():
        if hasattr(base, attribute):
            setattr(RecordingRequest, attribute, _header_property(base, attribute, header, log))
    RecordingRequest.__name__ = base.__name__
    RecordingRequest.__qualname__ = base.__qualname__
    RecordingRequest.__module__ = base.__module__
    return RecordingRequest


def _watch(container: Any, log: ReadLog, location: str) -> Any:
    if isinstance(container, RecordingMultiDict):
        container.watch(log, location)
    return container


def _header_property(base: Any, attribute: str, header: str, log: ReadLog) -> property:
    def read(request: Any) -> Any:
        if log.wants(1, "header", header):
            present = f"HTTP_{header.upper().replace('-', '_')}" in request.environ
            log.note("header", (header,), present)
        return inherited.__get__(request, type(request))

    def write(request: Any, value: Any) -> None:
        inherited.__set__(request, value)

    inherited: Any = next(
        vars(klass)[attribute] for klass in base.__mro__ if attribute in vars(klass)
    )
    return property(read, write if hasattr(inherited, "__set__") else None)
