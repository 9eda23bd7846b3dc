"""Makes tests that send fields which callers are not meant to set."""

from __future__ import annotations

import re
from collections.abc import Iterator
from collections.abc import Mapping
from collections.abc import Sequence

from pytest_evosearch.genes.base import Gene
from pytest_evosearch.genes.visit import ValuePath
from pytest_evosearch.problem.http.descriptions.json_object import with_fields
from pytest_evosearch.problem.http.descriptions.parameters import EndpointModel
from pytest_evosearch.problem.http.exchanges.endpoint import Location
from pytest_evosearch.problem.http.exchanges.exchange import Exchange
from pytest_evosearch.problem.http.exchanges.individual import Call
from pytest_evosearch.problem.http.exchanges.individual import Individual
from pytest_evosearch.problem.http.inquiries.edited_calls import sequence
from pytest_evosearch.problem.http.inquiries.edited_calls import shown_object
from pytest_evosearch.problem.http.inquiries.edited_calls import with_json_leaves

MOST_FIELDS = 6
"""Most protected fields of one resource that are tried."""

STRANGE_NUMBER = 4711

_POWERFUL = re.compile(
    r"(?:is_?)?(?:admin|administrator|superuser|staff|moderator|root)|roles?|permissions?"
    r"|owner(?:_?id)?|(?:is_?)?(?:verified|approved|confirmed)|(?:account_?)?balance|credits?",
    re.IGNORECASE,
)


def is_powerful(name: str) -> bool:
    """Say whether a user who sets a field of this name gains power over others."""
    return _POWERFUL.fullmatch(name) is not None


class MassInquirer:
    """Makes tests that set protected fields from a test that writes ordinary ones."""

    def __init__(self, model: EndpointModel) -> None:
        self._model = model
        self._readers = model.readers

    def tests(
        self, base: Individual, act: Exchange, shown: Mapping[str, Mapping[str, object]]
    ) -> Iterator[Individual]:
        """Yield `base`, with the exchange `act`, with all protected fields, then with one each.

        `shown` are responses of reading endpoints, which show the names of fields.
        """
        call = base.calls[-1]
        method, _, template = call.endpoint.partition(" ")
        if method not in ("POST", "PUT", "PATCH"):
            return
        reader = self._readers.get(template)
        known = {**(shown_object(act) or {}), **shown.get(reader or "", {})}
        fields = self._protected(call, act, known)
        choices = [fields, *([one] for one in fields)] if len(fields) > 1 else [fields]
        for chosen in choices if fields else ():
            sent = with_fields(call, dict(chosen))
            if sent is None:
                return
            if method == "POST":
                yield sequence(base.calls[:-1], call, sent)
                yield sequence(base.calls[:-1], call, _with_other_texts(sent, chosen))
            elif reader is not None:
                inputs = tuple(one for one in call.inputs if one.location is not Location.JSON)
                read = Call(reader, inputs, 0, call.user)
                yield sequence(base.calls[:-1], read, sent, read)

    def _protected(
        self, call: Call, act: Exchange, known: Mapping[str, object]
    ) -> list[tuple[str, object]]:
        """Return names and values of fields that responses show but callers should not set."""
        declared = self._model.endpoint(call.endpoint).fields
        body = act.request.json
        sent = body if isinstance(body, dict) else {}
        found = []
        for name, value in known.items():
            read_only = declared.get(name, {}).get("readOnly") is True
            wanted = read_only or (name not in declared and name not in sent and is_powerful(name))
            if wanted and (value is None or isinstance(value, (bool, int, float, str))):
                found.append((name, _another(name, value)))
        return found[:MOST_FIELDS]


def _another(name: str, value: object) -> object:
    """Return a value of this kind that the field has not had yet."""
    if isinstance(value, bool):
        return not value
    if isinstance(value, (int, float)):
        return STRANGE_NUMBER
    if value is None:
        return STRANGE_NUMBER if name.lower().endswith("id") else True
    return "admin" if "role" in name.lower() else "evosearch"


def _with_other_texts(call: Call, but: Sequence[tuple[str, object]]) -> Call:
    """Return the call with other texts: the created resource may have to be unique."""
    kept = dict(but)

    def other(value_path: ValuePath, leaf: Gene) -> Gene | None:
        value = leaf.value()
        is_other = isinstance(value, str) and value_path and value_path[-1] not in kept
        return leaf.adopt(f"a{value}") if is_other else None

    return with_json_leaves(call, other)
