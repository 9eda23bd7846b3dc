"""Reads WTForms and Flask-WTF forms at validation: handlers often set choices."""

from __future__ import annotations

from collections.abc import Callable
from collections.abc import Hashable
from collections.abc import Iterable
from collections.abc import Iterator
from collections.abc import Mapping
from types import ModuleType
from typing import Any
from weakref import WeakKeyDictionary

from pytest_evosearch.sut.documents.validators.hooks import Hook
from pytest_evosearch.sut.documents.validators.hooks import Part
from pytest_evosearch.sut.documents.validators.hooks import Placed
from pytest_evosearch.sut.documents.validators.hooks import Schema
from pytest_evosearch.sut.documents.validators.hooks import enumeration
from pytest_evosearch.sut.documents.validators.hooks import kinds_of
from pytest_evosearch.sut.documents.validators.hooks import limits
from pytest_evosearch.sut.documents.validators.hooks import object_schema
from pytest_evosearch.sut.documents.validators.hooks import pattern
from pytest_evosearch.sut.documents.validators.named_types import schema_named

_LONGEST_LIST = 3
"""Most entries of a field list that get names of their own."""


def hooks(library: ModuleType) -> list[Hook]:
    """Return the validation, and the processing before it that receives the data."""
    forms = _Forms()
    return [
        Hook(library.BaseForm, "process", forms.identity, forms.parts, before=forms.note_source),
        Hook(library.BaseForm, "validate", forms.identity, forms.parts),
    ]


class _Forms:
    """Knows, for each living form, the data that it was made from."""

    def __init__(self) -> None:
        self._sources: WeakKeyDictionary[Any, Any] = WeakKeyDictionary()

    def note_source(self, form: Any, formdata: Any = None, *_further: Any, **_words: Any) -> None:
        """Remember the data; Flask-WTF passes a bare object to mean the data of the request."""
        if formdata is not None and type(formdata) is not object:
            self._sources[form] = formdata

    def identity(self, form: Any, *_further: object, **_words: object) -> Hashable:
        """Return the class, and what a handler may have changed in an instance."""
        choices = tuple(_choices_of(field) for field in form._fields.values())
        return (type(form), form._prefix, tuple(form._fields), choices)

    def parts(self, form: Any, *_further: object, **_words: object) -> Iterable[Part]:
        """Return the fields, and the data that the form was made from."""
        data = self._sources.get(form)
        if data is None and hasattr(form, "is_submitted") and form.is_submitted():
            data = Placed("form")
        return [] if data is None else [Part(data, lambda: _schema(form))]


def _choices_of(field: Any) -> Hashable:
    """Return enough of a field's choices to notice a change."""
    choices = getattr(field, "choices", None)
    if not isinstance(choices, (list, tuple)) or not choices:
        return None
    return (len(choices), str(choices[-1]))


def _schema(form: Any) -> Schema:
    """Return a schema with the sent names and their rules."""
    fields = list(_named(form))
    properties = {field.name: _field(field) for field in fields}
    required = []
    for field in fields:
        partner = next((name for name in map(_partner_of, field.validators) if name), None)
        if partner in form._fields:
            # Fields that must be equal obey the rules of both.
            other = form._fields[partner]
            properties[field.name] = {**_field(other), **properties[field.name]}
            properties[other.name] = dict(properties[field.name])
        if _is_required(field):
            required.append(field.name)
    return object_schema(properties, required)


def _named(form: Any) -> Iterator[Any]:
    """Yield the fields that have names in a request; tokens are learnt from pages."""
    for field in form._fields.values():
        yield from _inside(field)


def _inside(field: Any) -> Iterator[Any]:
    kinds = kinds_of(field, "wtforms")
    if "FormField" in kinds:
        yield from _named(field.form)
    elif "FieldList" in kinds:
        for entry in field.entries[:_LONGEST_LIST]:
            yield from _inside(entry)
    elif "CSRFTokenField" not in kinds:
        yield field


def _field(field: Any) -> Schema:
    schema = _typed(field)
    for validator in field.validators:
        for kind in kinds_of(validator, "wtforms"):
            if kind in _VALIDATORS:
                schema.update(_VALIDATORS[kind](validator))
                break
    return schema


def _typed(field: Any) -> Schema:
    if hasattr(field, "iter_choices"):
        return _choice(field)
    # Base classes count, too: those of Flask-WTF's own fields, and of the application's.
    for kind in kinds_of(field, "wtforms"):
        if kind == "BooleanField":  # a ticked box; one that is not ticked sends nothing
            return {"enum": ["y"]}
        found = schema_named(kind, getattr(field, "format", None))
        if found:
            return found
    return {"type": "string"}


def _choice(field: Any) -> Schema:
    try:
        values = [str(choice[0]) for choice in field.iter_choices()]
    except TypeError:  # no choices were set
        values = []
    options = enumeration(values) if getattr(field, "validate_choice", True) else {}
    options = options or {"type": "string"}
    is_several = any("Multiple" in kind.__name__ for kind in type(field).__mro__)
    return {"type": "array", "items": options} if is_several else options


def _is_required(field: Any) -> bool:
    return any(
        kind in ("DataRequired", "InputRequired", "FileRequired")
        for validator in field.validators
        for kind in (one.__name__ for one in type(validator).__mro__)
    )


def _partner_of(validator: Any) -> str | None:
    is_equal_to = "EqualTo" in kinds_of(validator, "wtforms")
    return validator.fieldname if is_equal_to else None


def _length(validator: Any) -> Schema:
    low, high = validator.min, validator.max
    given = (low if low >= 0 else None, high if high >= 0 else None)
    return limits(*given, ("minLength", "maxLength"))


_VALIDATORS: Mapping[str, Callable[[Any], Schema]] = {
    "Length": _length,
    "NumberRange": lambda one: limits(one.min, one.max, ("minimum", "maximum")),
    "Regexp": lambda one: pattern(one.regex),
    "MacAddress": lambda _one: {"pattern": "^([0-9a-f]{2}:){5}[0-9a-f]{2}$"},
    "AnyOf": lambda one: enumeration(one.values),
    "Email": lambda _one: {"format": "email"},
    "URL": lambda _one: {"format": "uri"},
    "UUID": lambda _one: {"format": "uuid"},
    "IPAddress": lambda one: {"format": "ipv4" if one.ipv4 else "ipv6"},
}
