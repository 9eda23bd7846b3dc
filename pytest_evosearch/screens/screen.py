"""Screens: the abstract state of a page, and the actions that it offers.

Two pages are the same screen when they have the same route, status, set of controls and kinds of
messages.  Texts, ids, values and the number of rows do not count:

    a link       counts as the route that it leads to, without its query
    a button     counts as method, route and its name
    a choice     is a way to submit its form, but does not count: what can be chosen may be data
    a field      counts by its name without digits, and only in forms that change something
    a message    counts by the words of its class

An action has a name, by which its uses are counted over all states.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable
from collections.abc import Iterable
from collections.abc import Iterator
from typing import TypeAlias

from pytest_evosearch.core.forms import Form
from pytest_evosearch.core.http_words import SAFE
from pytest_evosearch.core.quick_dataclasses import dataclass
from pytest_evosearch.screens.choosing import CLICK
from pytest_evosearch.screens.choosing import SUBMIT
from pytest_evosearch.screens.choosing import Offer
from pytest_evosearch.screens.page_contents import PageContents
from pytest_evosearch.screens.page_contents import ScriptedControl
from pytest_evosearch.screens.page_contents import contents_of

Resolve: TypeAlias = "Callable[[str, str], str | None]"
"""Returns the endpoint of a method and an address on the page; None outside the application."""

LONGEST_STEP = 20
"""Longest value of a hidden field, in characters, that may name a step."""

MOST_CHOICES = 6
"""Most options of a control that makes its form several actions: more are data."""

_DIGITS = re.compile(r"\d+")
_CHOICE = re.compile(r" \[.*\]$")


@dataclass(frozen=True)
class PageAction:
    """One way to leave a page: a link, or a form with one of its buttons."""

    offer: Offer
    method: str
    address: str
    sent: tuple[tuple[str, str], ...] = ()
    """What it sends without being asked: the button, values of a script."""
    form: Form | None = None
    """The form that is filled and submitted."""
    scripted: bool = False
    """Whether a script of the page sends it (htmx)."""


@dataclass(frozen=True)
class Screen:
    """What a page is for a person."""

    state: str
    actions: tuple[PageAction, ...] = ()
    heading: str = ""
    """The texts of its headings."""
    step: str = ""
    """The values of short hidden fields: a wizard keeps its step there."""
    requests: tuple[Offer, ...] = ()
    """What can be requested where an answer is no page."""

    @property
    def offers(self) -> tuple[Offer, ...]:
        """Return the offered actions, those of one name once."""
        return tuple(dict.fromkeys((*(one.offer for one in self.actions), *self.requests)))


def screen_of(route: str, status: int, page: str, resolve: Resolve) -> Screen:
    """Return the screen of a page that `route` answered with `status`."""
    contents = contents_of(page)
    actions = tuple(_actions(contents, resolve))
    controls = {_CHOICE.sub("", action.offer.name).partition("=")[0] for action in actions}
    controls.update(_fields(actions))
    return Screen(
        state_named(route, status, (*controls, *(f"!{kind}" for kind in contents.messages))),
        actions,
        " / ".join(contents.headings),
        " / ".join(_steps(contents.forms)),
    )


def state_named(route: str, status: int, parts: Iterable[str]) -> str:
    """Return the name of a state; its last part is a digest of the set of `parts`."""
    text = "\n".join(sorted(set(parts)))
    digest = hashlib.sha256(text.encode()).hexdigest()[:6]
    return f"{route} {status} {digest}"


def _actions(contents: PageContents, resolve: Resolve) -> Iterator[PageAction]:
    for address in contents.links:
        route = resolve("GET", address)
        if route is not None:
            yield PageAction(Offer(route, CLICK), "GET", address)
    by_script = [id(control.form) for control in contents.scripted if control.is_form]
    for form in contents.forms:
        if id(form) not in by_script:
            yield from _submissions(form, resolve)
    for control in contents.scripted:
        route = resolve(control.method, control.address)
        if route is not None:
            yield _scripted(control, route)


def _submissions(form: Form, resolve: Resolve) -> Iterator[PageAction]:
    """Yield one action for each button of a form."""
    method = form.method if form.method in ("GET", "POST") else "GET"
    route = resolve(method, form.action)
    if route is None:
        return
    buttons = [control for control in form.fields.values() if control.kind == "submit"]
    if form.has_plain_button or not buttons:
        for name, value in _choices(form):
            offer = Offer(f"{route} [{name}: {value}]" if name else route, SUBMIT)
            sent = ((name, value),) if name else ()
            yield PageAction(offer, method, form.action, sent, form)
    for button in buttons:
        for value in dict.fromkeys(button.options or [button.value]):
            shown = _DIGITS.sub("", value)
            offer = Offer(f"{route} {button.name}={shown}", SUBMIT)
            yield PageAction(offer, method, form.action, ((button.name, value),), form)


def _choices(form: Form) -> Iterator[tuple[str, str]]:
    """Yield each option of the first control that offers a few; one empty pair if none does.

    "Archive" and "delete" in a list are as different as two buttons.
    """
    for control in form.fields.values():
        options = dict.fromkeys(control.options)
        are_few = control.kind in ("select", "radio") and 1 < len(options) <= MOST_CHOICES
        if are_few and not any(map(_DIGITS.search, options)):
            yield from ((control.name, value) for value in options)
            return
    yield "", ""


def _scripted(control: ScriptedControl, route: str) -> PageAction:
    words = [f"{name}={_DIGITS.sub('', value)}" for name, value in control.values]
    name = " ".join((route, *words))
    kind = CLICK if control.form is None else SUBMIT
    given = control.method, control.address, control.values, control.form
    return PageAction(Offer(name, kind), *given, scripted=True)


def _fields(actions: Iterable[PageAction]) -> Iterator[str]:
    """Yield the names of fields that people see in forms that change something."""
    for action in actions:
        if action.form is None or action.method in SAFE:
            continue
        for control in action.form.fields.values():
            if control.kind not in ("hidden", "submit"):
                yield f"[{_DIGITS.sub('', control.name)}]"


def _steps(forms: Iterable[Form]) -> Iterator[str]:
    for form in forms:
        for control in form.fields.values():
            if control.kind == "hidden" and 0 < len(control.value) <= LONGEST_STEP:
                yield f"{control.name}={control.value}"
