"""HTML forms of a page, read with the standard library's tolerant parser.

Forms are often nested wrongly in tables.  A tree builder loses their fields then; `html.parser`
keeps them, because it reads one start tag after another.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from collections.abc import Iterator
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import field
from dataclasses import replace
from html.parser import HTMLParser

from pytest_evosearch.core.quick_dataclasses import dataclass

LARGEST_PAGE = 200_000
"""Characters of a page that are parsed: a form stands early in a page, and parsing takes time."""

FORGERY_WORDS = "csrf|xsrf|forgery"
"""Words for a token against forged requests, as a pattern to match without regard to case."""

_NEVER_SENT = frozenset({"button", "reset"})
"""Types of controls that no browser sends."""

PLAIN_NAME = re.compile(r"[\w-]+")
"""A name that needs no escaping in a pattern."""


@dataclass
class FormField:
    """One named control of a form."""

    name: str
    kind: str = "text"
    """The ``type`` of an input, or ``select``, ``textarea`` or ``submit``."""
    value: str = ""
    options: list[str] = field(default_factory=list)
    required: bool = False
    attributes: dict[str, str] = field(default_factory=dict)


@dataclass
class Form:
    """One way to submit a form: where it goes, how, and with what."""

    action: str = ""
    method: str = "GET"
    fields: dict[str, FormField] = field(default_factory=dict)
    encoding: str = ""
    """The attribute ``enctype``; empty for the default."""
    has_plain_button: bool = False
    """Whether a button without a name submits it."""
    button: str | None = None
    """The name of the first button; empty where it has none, None where there is no button."""

    @property
    def sent(self) -> Iterator[FormField]:
        """The fields that a browser sends when the first button is pressed."""
        for control in self.fields.values():
            if control.kind != "submit" or control.name == self.button:
                yield control


def parse_forms(page: str) -> list[Form]:
    """Return the forms of `page` in order.

    A button that submits its form to another address, or by another method, gives a form of its
    own right after that form.  Controls without a form are dropped.
    """
    reader = FormReader()
    reader.read(page)
    return reader.forms()


def field_patterns(name: str) -> list[str]:
    """Return patterns that find the value of the input `name` in a page, the simplest first."""
    return [f'name="{name}".*?value="(.+?)"', f'value="([^"]+)"[^>]*name="{name}"']


def finding(patterns: Iterable[str], page: str, value: object) -> str | None:
    """Return the first pattern whose first match in `page` is `value`; None if there is none."""
    for pattern in patterns:
        found = re.search(pattern, page)
        if found is not None and found[1] == value:
            return pattern
    return None


def quoted_pattern(pattern: str) -> str:
    """Write a pattern as a literal of source code.

    The pattern may hold single quotes or double quotes, but not both.
    """
    mark = '"' if "'" in pattern else "'"
    return f"{mark}{pattern}{mark}"


class _Owned:
    """A form of a page, with the buttons that lead elsewhere."""

    def __init__(self, attributes: Mapping[str, str]) -> None:
        self.form = _aimed(Form(), attributes, "")
        self._detours: list[tuple[dict[str, str], FormField | None]] = []

    def add(self, kind: str, attributes: dict[str, str]) -> FormField | None:
        """Add a control; return its field, or None if it has no name and so is never sent."""
        if kind in ("submit", "image") and {"formaction", "formmethod"} & attributes.keys():
            control = _control(kind, attributes) if attributes.get("name") else None
            self._detours.append((attributes, control))
            return control
        name = attributes.get("name", "")
        if kind in ("submit", "image") and self.form.button is None:
            self.form.button = name if kind == "submit" else ""
        if not name or kind == "image":  # an image sends where it was clicked
            self.form.has_plain_button |= kind in ("submit", "image")
            return None
        known = self.form.fields.get(name)
        if known is not None:
            known.options.append(attributes.get("value", ""))
            return known
        return self.form.fields.setdefault(name, _control(kind, attributes))

    def submissions(self) -> Iterator[Form]:
        """Yield the form, and a form for each button that leads elsewhere."""
        yield self.form
        for attributes, control in self._detours:
            fields = dict(self.form.fields)
            if control is not None:
                fields[control.name] = control
            button = "" if control is None else control.name
            yield _aimed(replace(self.form, fields=fields, button=button), attributes, "form")


def _aimed(form: Form, attributes: Mapping[str, str], prefix: str) -> Form:
    """Return `form` with the target that attributes name, those of a button with a prefix."""
    return replace(
        form,
        action=attributes.get(f"{prefix}action", form.action),
        method=attributes.get(f"{prefix}method", "").upper() or form.method,
        encoding=attributes.get(f"{prefix}enctype", form.encoding).lower(),
    )


def _control(kind: str, attributes: dict[str, str]) -> FormField:
    value = attributes.get("value", "")
    made = FormField(attributes["name"], kind, value, required="required" in attributes)
    made.attributes = attributes
    if kind in ("radio", "checkbox", "submit") and value:
        made.options.append(value)
    return made


class FormReader(HTMLParser):
    """Collects forms tag by tag.

    A control belongs to the form whose ``id`` its attribute ``form`` names, else to the open form.
    Such a form may follow its control, so controls are assigned at the end.
    """

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self._forms: list[_Owned] = []
        self._named: dict[str, _Owned] = {}
        self._early: list[tuple[str, str, dict[str, str]]] = []
        """Controls that name a form which was not read yet: name of the form, kind, attributes."""
        self._form: _Owned | None = None
        self._select: FormField | None = None
        self._area: FormField | None = None
        self._option: str | None = None
        """The text of the open option, if it has no value: the text is its value."""
        self._is_selected = False
        self._templates = 0
        """How many templates are open: what they contain is no part of the page."""

    @property
    def open_form(self) -> Form | None:
        """The form whose tag is open; None outside of forms."""
        return None if self._form is None else self._form.form

    @property
    def is_inert(self) -> bool:
        """Whether a template is open: what it contains is no part of the page."""
        return self._templates > 0

    def read(self, page: str) -> None:
        """Read a page, as far as it can be parsed.

        The parser gives up on malformed declarations such as "<![if". What comes before is kept.
        """
        with suppress(AssertionError):
            self.feed(page[:LARGEST_PAGE])
            self.close()

    def forms(self) -> list[Form]:
        """Return the forms that were read."""
        for name, kind, attributes in self._early:
            if name in self._named:
                self._named[name].add(kind, attributes)
        return [form for owned in self._forms for form in owned.submissions()]

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Take in the beginning of an element."""
        attributes = {name: value or "" for name, value in attrs}
        if tag == "template":
            self._templates += 1
        elif self._templates:
            return
        elif tag == "form" and self._form is None:  # browsers ignore a form inside another one
            self._form = _Owned(attributes)
            self._forms.append(self._form)
            self._named.setdefault(attributes.get("id", ""), self._form)
        else:
            self._read_control(tag, attributes)

    def _read_control(self, tag: str, attributes: dict[str, str]) -> None:
        kind = attributes.get("type", "").lower()
        if tag == "option":
            self._end_option()
            self._read_option(attributes)
        elif tag == "input" and kind not in _NEVER_SENT:
            self._add(kind or "text", attributes)
        elif tag == "button" and kind not in _NEVER_SENT:
            self._add("submit", attributes)
        elif tag == "select":
            self._select = self._add("select", attributes)
        elif tag == "textarea":
            self._area = self._add("textarea", attributes)

    def _read_option(self, attributes: dict[str, str]) -> None:
        self._is_selected = "selected" in attributes
        if self._select is None:
            return
        if "value" in attributes:
            self._choose(attributes["value"])
        else:
            self._option = ""

    def _choose(self, value: str) -> None:
        if self._select is None:
            return
        self._select.options.append(value)
        if self._is_selected:
            self._select.value = value

    def _end_option(self) -> None:
        if self._option is not None:
            self._choose(" ".join(self._option.split()))
        self._option = None

    def _add(self, kind: str, attributes: dict[str, str]) -> FormField | None:
        owner = attributes.get("form")
        if owner and owner not in self._named:
            self._early.append((owner, kind, attributes))
            return None
        form = self._named[owner] if owner else self._form
        return form.add(kind, attributes) if form is not None else None

    def handle_endtag(self, tag: str) -> None:
        """Take in the end of an element."""
        if tag == "template":
            self._templates = max(0, self._templates - 1)
        elif tag == "form":
            self._form = None
        elif tag == "option":
            self._end_option()
        elif tag == "select":
            self._end_option()
            self._select = None
        elif tag == "textarea":
            self._area = None

    def handle_data(self, data: str) -> None:
        """Take in a text."""
        if self._area is not None:
            self._area.value += data
        if self._option is not None:
            self._option += data
