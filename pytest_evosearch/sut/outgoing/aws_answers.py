"""Writes what services of AWS answer, in the form that botocore's description of them has.

The document of an answer has the members that the application sees: ``{"Item": {"name": "a"}}``.
A value of another type than the description says is converted, and an absent member stays absent.
"""

from __future__ import annotations

import base64
import re
import sys
from collections.abc import Callable
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from http import HTTPStatus
from typing import Any
from xml.etree import ElementTree as Xml

from pytest_evosearch.core.isolation import json
from pytest_evosearch.core.quick_dataclasses import dataclass
from pytest_evosearch.sut.outgoing.answer_formats import JSON
from pytest_evosearch.sut.outgoing.answer_formats import TEXT
from pytest_evosearch.sut.outgoing.answer_formats import WrittenAnswer
from pytest_evosearch.sut.outgoing.answer_reads import ITERATED
from pytest_evosearch.sut.outgoing.answer_reads import NUMBER
from pytest_evosearch.sut.outgoing.answer_reads import AnswerReads
from pytest_evosearch.sut.outgoing.answer_reads import recorded
from pytest_evosearch.sut.patches import Patches
from pytest_evosearch.sut.watching.recorded_reads import JsonPath

_SOME_TIME = 1_700_000_000
"""Seconds since 1970 of a time that no value tells."""

_HEADER_NAME = re.compile(r"[\w.-]+")
_NUMBER = re.compile(r"-?\d+")


@dataclass(frozen=True)
class AwsAnswer:
    """An answer of AWS."""

    content: WrittenAnswer
    headers: tuple[tuple[str, str], ...] = ()
    is_plain: bool = False
    """Whether the body is a file, which the application reads itself."""


class AwsOperations:
    """Knows the operation of AWS that the application calls at present."""

    def __init__(self, reads: AnswerReads) -> None:
        self._reads = reads
        self._operation: Any = None

    def watch(self, patches: Patches) -> None:
        """Note operations until `patches` end."""
        client: Any = getattr(sys.modules.get("botocore.client"), "BaseClient", None)
        if client is not None:
            patches.wrap(client, "_make_api_call", self._calling)

    def _calling(self, real: Callable[..., Any]) -> Callable[..., Any]:
        def call(client: Any, operation_name: str, api_params: Any) -> Any:
            before = self._operation
            self._operation = client.meta.service_model.operation_model(operation_name)
            try:
                return self._recorded(real(client, operation_name, api_params))
            except Exception as error:
                answer: Any = getattr(error, "response", None)
                if isinstance(answer, dict):
                    error.response = self._recorded(answer)  # type: ignore[attr-defined]
                raise
            finally:
                self._operation = before

        return call

    def _recorded(self, answer: Any) -> Any:
        log = self._reads.of_last()
        return answer if log is None else recorded(answer, log)

    def answer(self, name: str, document: object, status: int) -> AwsAnswer | None:
        """Return the answer to a call of this name; None for one that AWS does not get."""
        operation = self._operation
        if operation is None:
            return None
        members = document if isinstance(document, dict) else {}
        if status >= 300:
            found = _error(operation, members, status)
        else:
            found = _Writer(operation, self._reads, name).write(members)
        if any(header.lower() == "content-type" for header, _value in found.headers):
            return found
        return replace(found, headers=(("Content-Type", found.content.kind), *found.headers))


class _Writer:
    """Writes the answer of one operation."""

    def __init__(self, operation: Any, reads: AnswerReads, name: str) -> None:
        self._operation = operation
        self._reads, self._name = reads, name

    def write(self, members: dict[str, object]) -> AwsAnswer:
        shape = self._operation.output_shape
        if shape is None:
            return AwsAnswer(WrittenAnswer(b"", "text/plain"))
        found = self._converted(members, shape, ())
        assert isinstance(found, dict)
        headers: list[tuple[str, str]] = []
        for name, inner in shape.members.items():
            if inner.serialization.get("location") and name in found:
                headers += _headers(found.pop(name), inner)
        payload = shape.serialization.get("payload")
        if payload is None:
            return AwsAnswer(self._content(found, shape), tuple(headers))
        inside = shape.members[payload]
        if inside.type_name == "structure":
            return AwsAnswer(self._content(found.get(payload, {}), inside), tuple(headers))
        others = {name: one for name, one in members.items() if name not in shape.members}
        text = members.get(payload)
        body = json.dumps(others) if others or text is None else _text(text)
        form = JSON if others or text is None else TEXT
        return AwsAnswer(WrittenAnswer(body.encode(), "text/plain", form), tuple(headers), True)

    def _content(self, members: Any, shape: Any) -> WrittenAnswer:
        kind = _protocol(self._operation)
        if "json" in kind:
            return WrittenAnswer(json.dumps(members).encode(), f"application/x-amz-{kind}")
        root = Xml.Element(shape.name)
        inside = root
        if kind == "query":
            inside = Xml.SubElement(root, shape.serialization.get("resultWrapper", "Result"))
        _add_members(inside, members, shape)
        return WrittenAnswer(Xml.tostring(root), "application/xml")

    def _converted(self, value: object, shape: Any, path: JsonPath) -> object:
        """Return a value in the type that the description says."""
        if shape.name == "AttributeValue":
            return _typed(value)
        kind = shape.type_name
        if kind == "structure":
            members = value if isinstance(value, dict) else {}
            return {
                name: self._converted(members[name], inner, (*path, name))
                for name, inner in shape.members.items()
                if members.get(name) is not None
            }
        if kind == "map":
            members = value if isinstance(value, dict) else {}
            return {
                key: self._converted(one, shape.value, (*path, key)) for key, one in members.items()
            }
        if kind == "list":
            if not isinstance(value, list):
                self._reads.note_use(self._name, path, ITERATED)
            elements = value if isinstance(value, list) else [value]
            return [
                self._converted(one, shape.member, (*path, index))
                for index, one in enumerate(elements)
            ]
        if kind in ("integer", "long", "float", "double") and isinstance(value, str):
            self._reads.note_use(self._name, path, NUMBER)
        if kind == "string":
            return _text(value) if _text(value) in shape.enum or not shape.enum else shape.enum[0]
        return _scalar(value, kind)


def _scalar(value: object, kind: str) -> object:
    """Return a value as a scalar of a kind that botocore names."""
    if kind in ("integer", "long"):
        return int(_number(value))
    if kind in ("float", "double"):
        return _number(value)
    if kind == "boolean":
        return value not in (False, 0, "", "false")
    if kind == "timestamp":
        return value if isinstance(value, int | float) else _SOME_TIME
    return base64.b64encode(_text(value).encode()).decode() if kind == "blob" else value


def _protocol(operation: Any) -> str:
    model = operation.service_model
    return str(getattr(model, "resolved_protocol", None) or model.metadata["protocol"])


def _typed(value: object) -> object:
    """Return a value of DynamoDB with its type: ``{"N": "1"}``."""
    if isinstance(value, dict):
        kind, inside = next(iter(value.items()), ("", None))
        if len(value) == 1 and kind.isupper() and len(kind) <= len("BOOL"):
            return {kind: _text(inside)} if kind in ("S", "N") else {kind: inside}
        return {"M": {name: _typed(one) for name, one in value.items()}}
    if isinstance(value, list):
        return {"L": [_typed(one) for one in value]}
    if isinstance(value, bool) or value is None:
        return {"NULL": True} if value is None else {"BOOL": value}
    return {"N": str(value)} if isinstance(value, int | float) else {"S": str(value)}


def _add_members(parent: Any, members: dict[str, Any], shape: Any) -> None:
    for name, value in members.items():
        inner = shape.members[name]
        for one in _elements(inner.serialization.get("name", name), value, inner):
            parent.append(one)


def _elements(tag: str, value: Any, shape: Any) -> Iterator[Any]:
    """Yield the elements that a member is written as."""
    element = Xml.Element(tag)
    if shape.type_name == "structure":
        _add_members(element, value, shape)
    elif shape.type_name == "list":
        flat = shape.serialization.get("flattened")
        inside = shape.member.serialization.get("name", tag if flat else "member")
        found = [part for one in value for part in _elements(inside, one, shape.member)]
        if flat:
            yield from found
            return
        element.extend(found)
    elif shape.type_name == "map":
        for key, one in value.items():
            entry = Xml.SubElement(element, "entry")
            entry.extend(_elements("key", key, shape.key))
            entry.extend(_elements("value", one, shape.value))
    else:
        element.text = str(value).lower() if isinstance(value, bool) else str(value)
    yield element


def _error(operation: Any, members: dict[str, object], status: int) -> AwsAnswer:
    told = members.get("Error")
    told = told if isinstance(told, dict) else {}
    names = [one.name for one in operation.error_shapes]
    missing = [one for one in names if "NotFound" in one or "NoSuch" in one]
    usual = missing[0] if status == 404 and missing else _usual_code(status)
    code = _text(told.get("Code") or usual)
    message = _text(told.get("Message") or usual)
    kind = _protocol(operation)
    if "json" in kind:
        body = json.dumps({"__type": code, "message": message}).encode()
        return AwsAnswer(
            WrittenAnswer(body, f"application/x-amz-{kind}"), (("x-amzn-errortype", code),)
        )
    error = Xml.Element("Error")
    Xml.SubElement(error, "Code").text = code
    Xml.SubElement(error, "Message").text = message
    for around in {"query": ["ErrorResponse"], "ec2": ["Errors", "Response"]}.get(kind, []):
        outer = Xml.Element(around)
        outer.append(error)
        error = outer
    return AwsAnswer(WrittenAnswer(Xml.tostring(error), "application/xml"))


def _usual_code(status: int) -> str:
    if status == HTTPStatus.FORBIDDEN:
        return "AccessDenied"
    with suppress(ValueError):
        return "".join(HTTPStatus(status).phrase.split())
    return "InternalError"


def _headers(value: Any, shape: Any) -> Iterator[tuple[str, str]]:
    """Yield the headers that a member is written as; each answer has its length already."""
    where, name = shape.serialization["location"], shape.serialization.get("name", "")
    if where == "headers":  # an object, whose members have one beginning
        for key, one in value.items():
            if _HEADER_NAME.fullmatch(key):
                yield f"{name}{key}", _header(one, shape.value)
    elif where == "header" and name.lower() != "content-length":
        yield name, _header(value, shape)


def _header(value: object, shape: Any) -> str:
    if shape.type_name == "timestamp":
        return "Tue, 14 Nov 2023 22:13:20 GMT"
    return " ".join(_text(value).split())


def _number(value: object) -> float:
    if isinstance(value, int | float):
        return value
    found = _NUMBER.search(_text(value))
    with suppress(ValueError):
        return float(found[0]) if found is not None else 1
    return 1


def _text(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value)
