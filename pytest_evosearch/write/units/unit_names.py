"""The name of a test of a unit: what is called, with what, and how it ends."""

from __future__ import annotations

import re
from collections.abc import Iterator

from pytest_evosearch.genes.constructed import Made
from pytest_evosearch.problem.units.fixed_reads import is_read
from pytest_evosearch.problem.units.fixed_reads import replaced_class
from pytest_evosearch.problem.units.results import Instance
from pytest_evosearch.problem.units.unit import Unit
from pytest_evosearch.write.units.unit_expectations import is_asserted
from pytest_evosearch.write.units.unit_specimen import UnitSpecimen

MOST_OPTIONS = 3
"""Most options that the name of a test lists."""

LONGEST_WORDS = 30
"""Most characters of a value in the name of a test."""


def name_of_test(specimen: UnitSpecimen) -> str:
    """Return a name that says which unit is tested, and how its call ends."""
    result, base = specimen.result, name_of_unit(specimen.unit)
    if result.raised is not None:
        return f"{base}_raises_{snake_of(result.raised.kind.name.rpartition('.')[2])}"
    changed = [name for name, _value in result.changed]
    if changed and result.value is None:
        what = _first_change(specimen) if changed[0] == "self" else changed[0]
        return f"{base}_changes_{what}" if what else base
    if result.value is None and result.files:
        return f"{base}_writes_a_file"
    if result.value is None and not result.printed:
        return base if specimen.unit.gives_nothing else f"{base}_returns_none"
    if isinstance(result.value, Instance) and result.value.is_refusal:
        return f"{base}_returns_{snake_of(result.value.kind.name.rpartition('.')[2])}"
    if isinstance(result.value, bool):
        return f"{base}_is_{str(result.value).lower()}"
    if result.printed:
        return f"{base}_prints"
    return base


def _given_options(specimen: UnitSpecimen) -> dict[str, object]:
    parameters = specimen.unit.parameters
    required = {one.name for one in parameters if one.is_required or one.is_variadic}
    given = specimen.test.act.values().items()
    return {name: value for name, value in given if name not in required}


def has_acting_option(specimen: UnitSpecimen) -> bool:
    """Say whether an option that is passed changes the result."""
    return bool(_given_options(specimen).keys() - specimen.idle)


def names_with_options(specimen: UnitSpecimen) -> list[str]:
    """Return a name that lists the options that act in the tested call; none where these are many.

    Where no option acts, the name says so: ``also_with_binary``.
    """
    base, given = name_of_unit(specimen.unit), _given_options(specimen)
    acting = given.keys() - specimen.idle
    options = [
        f"{'without' if value is False else 'with'}_{snake_of(name)}"
        for name, value in given.items()
        if name in acting or not acting
    ]
    ending = name_of_test(specimen).removeprefix(base)
    is_short = 0 < len(options) <= MOST_OPTIONS
    joined = "_and_".join(options).replace("_and_with_", "_and_")
    joined = joined if acting else f"also_{joined}"
    return [f"{base}_{joined}{ending}"] if is_short else []


def longer_names(specimen: UnitSpecimen) -> list[str]:
    """Return names that tell a test from others of its unit: by options, and by what it gives."""
    result, base = specimen.result, name_of_unit(specimen.unit)
    ending = name_of_test(specimen).removeprefix(base)
    names = names_with_options(specimen)
    if not ending and result.changed and result.changed[0][0] != "self":
        names += [f"{one}_changes_{snake_of(result.changed[0][0])}" for one in (base, *names)]
    value = result.value.elements if isinstance(result.value, Instance) else result.value
    if not ending and isinstance(value, (str, list, tuple, dict, set)) and not value:
        names.append(f"{base}_is_empty")
    if not ending and type(value) in (int, float) and not value:
        names.append(f"{base}_is_zero")
    return [*names, *_names_with_input(specimen, ending)]


def _names_with_input(specimen: UnitSpecimen, ending: str) -> Iterator[str]:
    """Yield a name that tells what is passed: the first short value, of the object if need be."""
    for path, read in specimen.variables.items():
        if is_read(path) and replaced_class(read) and isinstance(read, Made):
            words = "_".join(f"{one:02}" for one in read.arguments[3:] or read.arguments)
            when = f"{'at' if read.arguments[3:] else 'on'}_{words}"
            yield f"{name_of_unit(specimen.unit)}_{when}{ending}"
    yield from _names_with_state(specimen, ending)
    for one in reversed(specimen.test.calls):
        known = specimen.units[one.unit].parameters
        required = {each.name for each in known if each.is_required and not each.is_variable}
        for value in (value for name, value in one.values().items() if name in required):
            words = "empty_text" if value == "" else _words(value)
            if words and len(words) <= LONGEST_WORDS:
                yield f"{name_of_unit(specimen.unit)}_of_{words}{ending}"
                return


def _names_with_state(specimen: UnitSpecimen, ending: str) -> Iterator[str]:
    """Yield names that tell what the object got, or what was called on it before."""
    base = name_of_unit(specimen.unit)
    for one in specimen.test.calls[-2:0:-1]:
        method = specimen.units[one.unit].name.rpartition(".")[2].strip("_")
        yield f"{base}_after_{snake_of(method)}{ending}"
    maker = specimen.test.calls[0]
    if len(specimen.test) > 1:
        required = {one.name for one in specimen.units[maker.unit].parameters if one.is_required}
        given = [snake_of(name) for name in maker.values() if name not in required]
        if 0 < len(given) <= MOST_OPTIONS:
            yield f"{base}_of_{'_and_'.join(given)}{ending}"


def _words(value: object) -> str:
    if isinstance(value, Made):
        return snake_of(value.function.name.rpartition(".")[2])
    if type(value) not in (str, int, float, bool, type(None)):
        return ""
    text = str(value) if isinstance(value, str) else str(value).replace("-", "minus ")
    return "_".join(re.findall(r"[a-z0-9]+", text.lower()))


def name_of_unit(unit: Unit) -> str:
    """Return how the names of all tests of a unit begin."""
    words = [snake_of(part) for part in unit.name.split(".")]
    return "_".join(["test", *(word.strip("_") for word in words)])


def _first_change(specimen: UnitSpecimen) -> str:
    value = dict(specimen.result.changed).get("self")
    if not isinstance(value, Instance) or value.elements is not None:
        return ""
    asserted = (name for name, one in value.attributes if is_asserted(one))
    names = [name for name in asserted if not name.startswith("__")]
    return snake_of(names[0]) if names else ""


def snake_of(name: str) -> str:
    """Return a name in the spelling of variables and functions."""
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "_", name).lower()
