"""Records what handlers read from their requests, with a subclass of the request class.

Flask is not patched: for a call whose reads are recorded, ``app.request_class`` is replaced by a
subclass whose containers note every read, including failed ones. Such a call is for learning. In
any other call the application gets its own request class, and a plain WSGI environment.
"""

from __future__ import annotations

import inspect
import json as everybodys_json
from collections.abc import Callable
from collections.abc import Sequence
from contextlib import suppress
from functools import wraps
from typing import Any
from typing import NamedTuple

from flask import request as current_request
from flask.signals import request_started
from flask.signals import request_tearing_down
from werkzeug.datastructures import EnvironHeaders
from werkzeug.utils import cached_property
from werkzeug.wrappers import Request

from pytest_evosearch.sut.asgi import front_of
from pytest_evosearch.sut.finding.mounted import mounted_applications
from pytest_evosearch.sut.watching.recorded_json import watched
from pytest_evosearch.sut.watching.recorded_reads import ADDRESS_VARIABLES
from pytest_evosearch.sut.watching.recorded_reads import HOST
from pytest_evosearch.sut.watching.recorded_reads import SCHEME
from pytest_evosearch.sut.watching.recorded_reads import ReadLog
from pytest_evosearch.sut.watching.recorded_reads import RecordedRead
from pytest_evosearch.sut.watching.recorded_reads import RecordingCombinedDict
from pytest_evosearch.sut.watching.recorded_reads import RecordingEnviron
from pytest_evosearch.sut.watching.recorded_reads import RecordingHeaders
from pytest_evosearch.sut.watching.recorded_reads import RecordingMultiDict
from pytest_evosearch.sut.watching.recorded_reads import variable_of
from pytest_evosearch.sut.watching.texts_as_objects import has_text

_OF_EVERY_REQUEST = ("content-length", "content-encoding", "content-md5", "cookie", "host")
"""Headers that Werkzeug reads for itself.  Who asks for the type of a body wants a certain one."""


class _Switch(NamedTuple):
    """An attribute of an application that has another value while reads are recorded."""

    app: Any
    name: str
    recording: Any
    is_own: bool
    """Whether the application itself, and not only its class, has the attribute."""
    usual: Any

    def on(self) -> None:
        """Give the attribute the value that records."""
        setattr(self.app, self.name, self.recording)

    def off(self) -> None:
        """Put the attribute back."""
        if self.is_own:
            setattr(self.app, self.name, self.usual)
        else:
            vars(self.app).pop(self.name, None)


def _switch(app: Any, name: str, recording: Any) -> _Switch:
    return _Switch(app, name, recording, name in vars(app), getattr(app, name))


class ReadRecorder:
    """Records the reads of one application in the calls for which it is asked to.

    Reads of applications mounted below it count, too. Several threads must not use it at once: the
    reads of all requests go to one log.
    """

    def __init__(self, app: Any) -> None:
        self._app = app
        self._log = ReadLog()
        self._requests: list[_Switch] = []
        self._layers: list[_Switch] = []
        self._on: Sequence[_Switch] = ()
        self._parse: Callable[..., Any] = everybodys_json.loads
        self._sees_requests = False

    def __enter__(self) -> ReadRecorder:  # noqa: PYI034 - typing.Self is newer than 3.10
        self._parse = everybodys_json.loads
        everybodys_json.loads = parsing_bodies(self._parse, self._log)
        apps = [self._app, *(mounted for _path, mounted in mounted_applications(self._app))]
        log = self._log

        def note(_sender: object, **_extra: object) -> None:
            log.enter(current_request._get_current_object())  # type: ignore[attr-defined]

        def end(_sender: object, **_extra: object) -> None:
            log.texts_as_objects.end()  # at once: a trace function counts as a change by the call

        self._note, self._end = note, end  # the signals refer to them weakly
        with suppress(RuntimeError):  # Flask 2.2 without blinker has no signals
            for app in apps:
                request_started.connect(note, sender=app)
                request_tearing_down.connect(end, sender=app)
            self._sees_requests = True
        for app in apps:
            recording = recording_class(app.request_class, log)
            self._requests.append(_switch(app, "request_class", recording))
            layers = vars(app).get("wsgi_app")
            if layers is not None and front_of(app) is None:  # a front of ours stays in its place
                self._layers.append(_switch(app, "wsgi_app", _watched_layers(layers, log)))
        return self

    def __exit__(self, *exception: object) -> None:
        self._switch_off()
        everybodys_json.loads = self._parse
        for switch in self._requests:
            with suppress(RuntimeError):
                request_started.disconnect(self._note, sender=switch.app)
                request_tearing_down.disconnect(self._end, sender=switch.app)
        self._requests.clear()
        self._layers.clear()

    def begin(self, records: bool = True, layers: bool = True) -> None:
        """Expect a request, and record its reads or give the application plain objects.

        With `layers`, record also what layers in front of the application read from the WSGI
        environment.
        """
        self._switch_off()
        self._log.clear()
        if records:
            self._on = (*self._requests, *(self._layers if layers else ()))
            for switch in self._on:
                switch.on()
            self._log.records = True

    def take(self) -> list[RecordedRead]:
        """Return the distinct reads since `begin`, in order, and record no more."""
        self._switch_off()
        return self._log.reads()

    def _switch_off(self) -> None:
        for switch in self._on:
            switch.off()
        self._on = ()
        self._log.records = False
        self._log.texts_as_objects.end()

    def is_routed_to(self, endpoint: str) -> bool:
        """Say whether the URL map sent the first request since `begin` to `endpoint`.

        When a view passed the request to another application, it is that application's endpoint.
        """
        request, front = self._log.request, front_of(self._app)
        if request is None and front is not None:  # a layer before Flask has refused
            return front.meant_endpoint() == endpoint
        if request is None and not self._sees_requests:
            return True  # nothing tells
        rule = getattr(request, "url_rule", None)
        return rule is not None and str(rule.endpoint) == endpoint


def _watched_layers(layers: Any, log: ReadLog) -> Any:
    """Return layers that record what those in front of an application read."""

    def watched_layers(environ: Any, start_response: Any) -> Any:
        recording = RecordingEnviron(environ)
        recording.read_log = log
        return layers(recording, start_response)

    return watched_layers


def parsing_bodies(parse: Callable[..., Any], log: ReadLog) -> Callable[..., Any]:
    """Return a ``json.loads`` that records reads of a body which the handler parses itself."""

    @wraps(parse)
    def loads(text: Any, *arguments: Any, **keywords: Any) -> Any:
        is_body = (
            log.records
            and log.request is not None
            and isinstance(text, str | bytes)
            and log.wants(1, "json", "")
            and text == _as_kind_of(text, vars(log.request).get("_cached_data"))
        )
        if not is_body:
            return parse(text, *arguments, **keywords)
        log.note("json", (), bool(text))
        value = parse(text, *arguments, **keywords)
        if has_text(value):
            log.texts_as_objects.begin()
        return watched(value, log)

    return loads


def _as_kind_of(text: str | bytes, body: object) -> object:
    """Return a body as text where `text` is one."""
    if isinstance(text, str) and isinstance(body, bytes):
        return body.decode("utf-8", "replace")
    return body


class RecordingMixin:
    """The recording half of a request class; the other half is the application's own.

    `super()` refers to that class: the attributes used here are Werkzeug's.
    """

    parameter_storage_class = RecordingMultiDict
    dict_storage_class = RecordingMultiDict
    environ: RecordingEnviron
    _read_log: ReadLog
    _watched_json: tuple[Any, Any] | None = None

    def __init__(self, environ: Any, *arguments: Any, **keywords: Any) -> None:
        super().__init__(environ, *arguments, **keywords)  # type: ignore[call-arg]
        if type(environ) is dict:
            self.environ = RecordingEnviron(environ)
            self.environ.read_log = self._read_log
        self.headers = RecordingHeaders(environ, self._read_log)
        self._read_log.enter(self)

    @cached_property
    def args(self) -> Any:
        """Return the query arguments."""
        return self._watch(super().args, "query")  # type: ignore[misc]

    @cached_property
    def cookies(self) -> Any:
        """Return the cookies."""
        return self._watch(super().cookies, "cookie")  # type: ignore[misc]

    @cached_property
    def values(self) -> Any:
        """Return query arguments before form fields."""
        combined = super().values  # type: ignore[misc]
        if not isinstance(getattr(combined, "dicts", None), list):
            return combined
        recording = RecordingCombinedDict(combined.dicts)
        recording.watch(self._read_log)
        return recording

    def _load_form_data(self) -> None:
        super()._load_form_data()  # type: ignore[misc]
        self._watch(vars(self).get("form"), "form")
        self._watch(vars(self).get("files"), "file")

    def get_json(self, *arguments: Any, **keywords: Any) -> Any:
        """Parse the body as JSON; the result records reads."""
        self._read_log.note("json", (), self._has_body())
        value = super().get_json(*arguments, **keywords)  # type: ignore[misc]
        if self._watched_json is None or self._watched_json[0] is not value:
            self._watched_json = (value, watched(value, self._read_log))
            if has_text(value):
                self._read_log.texts_as_objects.begin()
        return self._watched_json[1]  # one object for all reads

    def get_data(self, *arguments: Any, **keywords: Any) -> Any:
        """Return the raw body."""
        if self._read_log.wants(1, "text", ""):
            self._read_log.note("text", (), self._has_body())
        return super().get_data(*arguments, **keywords)  # type: ignore[misc]

    @property
    def data(self) -> Any:
        """The raw body, empty for forms."""
        if self._read_log.wants(1, "text", ""):
            self._read_log.note("text", (), self._has_body())
        return super().data  # type: ignore[misc]

    def _has_body(self) -> bool:
        return self.environ.get("CONTENT_LENGTH") not in (None, "", "0")

    def _watch(self, container: Any, location: str) -> Any:
        if isinstance(container, RecordingMultiDict):
            container.watch(self._read_log, location)
        return container


def recording_class(base: Any, log: ReadLog) -> Any:
    """Return a subclass of the request class `base` that notes reads in `log`."""
    members: dict[str, Any] = {
        "_read_log": log,
        "__module__": base.__module__,
        "__qualname__": base.__qualname__,
    }
    if hasattr(base, "remote_user"):
        members["remote_user"] = _remote_user(log)
    for attribute, header in header_attributes().items():
        if hasattr(inspect.getattr_static(base, attribute, None), "__get__"):
            members[attribute] = _header_property(base, attribute, header, log)
    for attribute in ("is_secure", "scheme", "url"):
        members[attribute] = _address_property(base, attribute, SCHEME, log)
    members["host"] = _address_property(base, "host", HOST, log)
    return type(base)(base.__name__, (RecordingMixin, base), members)


class _NotedHeaders(EnvironHeaders):
    """Headers of no request, which note what is looked up in them."""

    def __init__(self) -> None:
        super().__init__({})
        self.asked: dict[str, None] = {}

    def __getitem__(self, key: Any, *more: Any, **keywords: Any) -> str:  # type: ignore[override]
        self.asked[key] = None
        return super().__getitem__(key, *more, **keywords)

    def __contains__(self, key: object) -> bool:
        self.asked[str(key)] = None
        return super().__contains__(key)  # type: ignore[operator]

    def get(self, key: Any, *more: Any, **keywords: Any) -> Any:
        """Return the default."""
        self.asked[key] = None
        return super().get(key, *more, **keywords)


def header_attributes() -> dict[str, str]:
    """Return the attributes of Werkzeug's requests that stand for a header, with its name.

    Each is read once from an empty request: what it looks up tells.
    """
    found: dict[str, str] = {}
    for attribute in dir(Request):
        value = inspect.getattr_static(Request, attribute)
        if not hasattr(value, "__get__") or callable(value) or hasattr(RecordingMixin, attribute):
            continue
        request = Request({"REQUEST_METHOD": "GET"})
        request.headers = headers = _NotedHeaders()
        with suppress(Exception):
            getattr(request, attribute)
        header = next(iter(headers.asked), "")
        if len(headers.asked) == 1 and not header.lower().startswith(_OF_EVERY_REQUEST):
            found[attribute] = header
    return found


def _header_property(base: Any, attribute: str, header: str, log: ReadLog) -> property:
    variable = variable_of(header)

    def read(request: Any) -> Any:
        if log.wants(1, "header", header):
            log.note("header", (header,), variable in request.environ)
        return inherited.__get__(request, type(request))

    def write(request: Any, value: Any) -> None:
        inherited.__set__(request, value)

    inherited: Any = next(
        vars(klass)[attribute] for klass in base.__mro__ if attribute in vars(klass)
    )
    return property(read, write if hasattr(inherited, "__set__") else None)


def _address_property(base: Any, attribute: str, variable: str, log: ReadLog) -> property:
    """Return an attribute of a request that holds its scheme or host."""
    usual = ADDRESS_VARIABLES[variable]

    def read(request: Any) -> Any:
        if log.wants(1, "environ", variable):
            is_sent = dict.get(request.environ, variable) != usual
            log.note("environ", (variable,), is_sent, default=usual)
        if inherited is None:  # Werkzeug sets it on each request
            return vars(request)[attribute]
        return inherited.__get__(request, type(request))

    def write(request: Any, value: Any) -> None:
        vars(request)[attribute] = value

    inherited: Any = next(
        (vars(klass)[attribute] for klass in base.__mro__ if attribute in vars(klass)), None
    )
    return property(read, write)


def _remote_user(log: ReadLog) -> property:
    def read(request: Any) -> Any:
        if log.wants(1, "environ", "REMOTE_USER"):
            log.note("environ", ("REMOTE_USER",), "REMOTE_USER" in request.environ)
        return request.environ.get("REMOTE_USER")

    return property(read)
