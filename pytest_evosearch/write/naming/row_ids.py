"""Chooses ids for the rows of a parametrised test by what is special about each."""

from __future__ import annotations

from collections.abc import Mapping
from collections.abc import Sequence
from html import unescape

from pytest_evosearch.core.english import snake_case
from pytest_evosearch.problem.http.exchanges.exchange import MESSAGE_KEYS
from pytest_evosearch.write.answers.traits import is_run
from pytest_evosearch.write.answers.traits import value_trait
from pytest_evosearch.write.content.builder import Rows

LONGEST_ID = 40
"""Most characters of a row's id."""

FEWEST_LACKING = 2
"""Fewest rows without an input for which their own inputs are the better ids."""

ADDRESS = ("method", "path")
"""Columns of the request's address."""

TEXT = "text"
"""Column for texts of pages."""

PAGE = ("path", TEXT)
"""Columns of a table of pages: each is called by its path."""


def with_ids(columns: Mapping[str, Sequence[object]], labels: Sequence[str]) -> Rows:
    """Return the rows of a table, with ids where pytest's own are not informative.

    `columns` and `labels` have one value for each row. A label says what is special about a row, in
    words joined by underscores, or is empty.
    """
    values = tuple(zip(*columns.values(), strict=True))
    if _has_readable_ids(values):
        return Rows(tuple(columns), values)
    addresses = _addresses(columns)
    if addresses:
        return Rows(tuple(columns), values, addresses)
    texts = [label.replace("_", "-") for label in labels]
    if not _are_telling(texts):
        said = _messages(columns)
        if said:
            return Rows(tuple(columns), values, said)
        contents = [""] * len(values)
        # a path is more informative than its method
        for column in list(zip(*values, strict=True))[:2]:
            added = _content_ids(column)
            contents = [f"{one}-{two}".strip("-") for one, two in zip(contents, added, strict=True)]
            if all(added) and len(set(contents)) == len(contents):
                return Rows(tuple(columns), values, tuple(contents))
        if all(added) and not any(texts):
            return Rows(tuple(columns), values, _distinct(contents))
    lacks = [any(value in ("", None) for value in row) for row in values]
    # beside rows that lack something, another one without a label is complete
    plain = ["complete" if any(lacks) and not one else "plain" for one in lacks]
    telling = [
        f"{text or other}-{_hint(row)}" if texts.count(text) > 1 and _hint(row) else text or other
        for text, other, row in zip(texts, plain, values, strict=True)
    ]
    return Rows(tuple(columns), values, _distinct(telling))


def _addresses(columns: Mapping[str, Sequence[object]]) -> tuple[str, ...]:
    """Return the request of each row; empty when that distinguishes no rows."""
    told = [ADDRESS[-1]] if tuple(columns) == PAGE else list(ADDRESS)
    if not set(told) <= columns.keys():
        return ()
    texts = ["-".join(map(str, row)) for row in zip(*map(columns.__getitem__, told), strict=True)]
    is_short = all(len(text) <= LONGEST_ID and text.isascii() for text in texts)
    return tuple(texts) if is_short and len(set(texts)) == len(texts) else ()


def _are_telling(labels: Sequence[str]) -> bool:
    """Say whether each row has a label of its own that is more than a missing input."""
    lacking = [label for label in labels if label.startswith("without-")]
    return all(labels) and len(set(labels)) == len(labels) and len(lacking) < FEWEST_LACKING


def _messages(columns: Mapping[str, Sequence[object]]) -> tuple[str, ...]:
    """Return the sentences in the responses of the rows; empty where some have none of their own.

    Values that were sent show less of why the rows differ.  What is expected is in the last column.
    """
    *inputs, last = columns
    said = (
        [_said(value) for value in columns[last]]
        if inputs and last in (*MESSAGE_KEYS, TEXT)
        else []
    )
    is_telling = all("-" in text for text in said) and len(set(said)) == len(said)
    return tuple(said) if is_telling else ()


def _said(value: object) -> str:
    """Return a message as an id, ``password-is-too-short``; empty when it is too long."""
    text = snake_case(unescape(str(value)).replace("'", "")).replace("_", "-")
    return text if len(text) <= LONGEST_ID else ""


def _content_ids(values: Sequence[object]) -> list[str]:
    """Return the rows' first values as ids; for objects, the inputs that no other row has."""
    objects = [value for value in values if isinstance(value, dict)]
    if len(objects) < len(values):
        return [_content_id(value) for value in values]
    owned = [_own_inputs(value, objects) for value in objects]
    if all(owned):  # each row has its own subject
        return [_content_id(own) for own in owned]
    peculiar = [_peculiarities(value, objects) for value in objects]
    ids = []
    for value, own in zip(objects, peculiar, strict=True):
        others = [part for parts in peculiar if parts is not own for part in parts]
        telling = (part for part in own if part not in others and len(part) <= LONGEST_ID)
        ids.append(next(telling, _content_id(value)))
    return ids


def _own_inputs(
    value: Mapping[object, object], objects: Sequence[Mapping[object, object]]
) -> dict[object, object]:
    """Return the first two inputs of an object that no other one has."""
    own = [name for name in value if sum(name in one for one in objects) == 1]
    return {name: value[name] for name in own[:2]}


def _peculiarities(
    value: Mapping[object, object], objects: Sequence[Mapping[object, object]]
) -> list[str]:
    """Return phrases for what is special about an object, the best first: ``without-title``.

    A missing input only distinguishes it from objects with all its inputs and more. For an object
    with a single input, that input is the better phrase.
    """
    fuller = [one for one in objects if value.keys() < one.keys()]
    names = dict.fromkeys(name for one in fuller for name in one)
    lacking = [name for name in names if name not in value]
    missing = [f"without_{snake_case(str(name))}" for name in lacking if len(value) != 1]
    traits = [
        f"{trait}_{snake_case(str(name))}"
        for name, part in value.items()
        if (trait := value_trait(part))
    ]
    return [text.replace("_", "-") for text in (*missing, *traits)]


def _content_id(value: object) -> str:
    """Return an id for a dict of inputs, ``max-price-0``, or the words of a text.

    For other values, return an adjective for an unusual value, or mostly nothing.
    """
    if isinstance(value, str) and is_run(value):
        return f"{len(value)}-characters"
    if isinstance(value, str):
        text = snake_case(value).replace("_", "-")
        return text if 0 < len(text) <= LONGEST_ID else value_trait(value)
    if not isinstance(value, dict):
        return value_trait(value)
    if not value:
        return "nothing"
    parts = [
        f"{name}_{snake_case(str(part)) if _is_short(part) else ''}" for name, part in value.items()
    ]
    text = "-".join(snake_case(part).replace("_", "-") for part in parts)
    names = "-".join(snake_case(str(name)).replace("_", "-") for name in value)
    return text if len(text) <= LONGEST_ID else names if len(names) <= LONGEST_ID else ""


def _is_short(value: object) -> bool:
    return isinstance(value, (str, int, float)) and len(str(value)) <= 12


def _hint(row: Sequence[object]) -> str:
    """Return the first value of a row as part of an id, empty when it is no short text."""
    value = row[0]
    if isinstance(value, dict) and value:
        value = list(value.values())[-1]
    text = snake_case(str(value)) if isinstance(value, (str, int, float)) else ""
    return text.replace("_", "-") if len(text) <= 15 else ""


def _has_readable_ids(rows: Sequence[Sequence[object]]) -> bool:
    """Say whether pytest's own ids are short, informative and distinct."""
    own = []
    for row in rows:
        parts = [_own_id(value) for value in row]
        if any(part is None for part in parts):
            return False
        own.append("-".join(part or "" for part in parts))
    return len(set(own)) == len(own) and all(len(text) <= 60 for text in own)


def _own_id(value: object) -> str | None:
    """Return pytest's id for a scalar, None where it would be ``payload0`` or unreadable."""
    if isinstance(value, str):
        readable = 0 < len(value) <= 50 and value.isascii() and value.isprintable()
        return value if readable and not is_run(value) else None
    if value is None or isinstance(value, (bool, int, float)):
        return str(value) if len(repr(value)) <= 25 else None
    return None


def _distinct(labels: Sequence[str]) -> tuple[str, ...]:
    found: list[str] = []
    for label in labels:
        text, number = label, 2
        while text in found:
            text, number = f"{label}-{number}", number + 1
        found.append(text)
    return tuple(found)
