"""Genes of the arguments of a unit.

The sources in order: what the project gives for it, its type hint, the default of the parameter,
the type that its docstring names, what examples of docstrings and callers pass, what stand-ins have
shown, its name.  A class of which an object is needed is called as its own unit, with genes of its
own arguments.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from collections.abc import Collection
from collections.abc import Mapping
from collections.abc import Sequence
from enum import Enum
from functools import partial
from typing import Any

from pytest_evosearch.genes.base import Gene
from pytest_evosearch.genes.choice import ChoiceGene
from pytest_evosearch.genes.choice import ConstantGene
from pytest_evosearch.genes.choice import EnumGene
from pytest_evosearch.genes.choice import same
from pytest_evosearch.genes.collections import ArrayGene
from pytest_evosearch.genes.collections import ObjectGene
from pytest_evosearch.genes.constructed import ConvertedGene
from pytest_evosearch.genes.constructed import MadeGene
from pytest_evosearch.genes.constructed import Named
from pytest_evosearch.genes.constructed import TupleGene
from pytest_evosearch.genes.constructed import is_held
from pytest_evosearch.genes.constructed import resolved
from pytest_evosearch.genes.example import Usual
from pytest_evosearch.genes.example import example_of
from pytest_evosearch.genes.optional import Field
from pytest_evosearch.genes.optional import optional
from pytest_evosearch.genes.text import ANY_TEXT
from pytest_evosearch.problem.units.code_uses import Uses
from pytest_evosearch.problem.units.code_uses import uses_of
from pytest_evosearch.problem.units.constants import vocabulary_of
from pytest_evosearch.problem.units.example_genes import gene_among
from pytest_evosearch.problem.units.example_genes import gene_of_examples
from pytest_evosearch.problem.units.example_genes import is_alike
from pytest_evosearch.problem.units.example_genes import is_shown
from pytest_evosearch.problem.units.example_genes import makes
from pytest_evosearch.problem.units.fixed_reads import is_read
from pytest_evosearch.problem.units.fixed_reads import reads_of
from pytest_evosearch.problem.units.hinted_genes import ANYTHING
from pytest_evosearch.problem.units.hinted_genes import CALLED
from pytest_evosearch.problem.units.hinted_genes import DEEPEST
from pytest_evosearch.problem.units.hinted_genes import SCALARS
from pytest_evosearch.problem.units.hinted_genes import gene_of_default
from pytest_evosearch.problem.units.hinted_genes import gene_of_hint
from pytest_evosearch.problem.units.hinted_genes import gene_of_protocol
from pytest_evosearch.problem.units.hinted_genes import hints_of
from pytest_evosearch.problem.units.hinted_genes import is_unknown
from pytest_evosearch.problem.units.inventory import constructing_units
from pytest_evosearch.problem.units.inventory import function_of
from pytest_evosearch.problem.units.inventory import is_between_equals
from pytest_evosearch.problem.units.inventory import members_of
from pytest_evosearch.problem.units.matched_texts import MatchedTexts
from pytest_evosearch.problem.units.own_classes import classes_of
from pytest_evosearch.problem.units.own_classes import is_base
from pytest_evosearch.problem.units.own_classes import is_unmade
from pytest_evosearch.problem.units.unit import Kind
from pytest_evosearch.problem.units.unit import Parameter
from pytest_evosearch.problem.units.unit import Unit
from pytest_evosearch.problem.units.unit import UnitCall
from pytest_evosearch.problem.units.unit import home_of
from pytest_evosearch.problem.units.unit import made_of
from pytest_evosearch.problem.units.unit import maker_of
from pytest_evosearch.problem.units.unit import takes_any_number
from pytest_evosearch.problem.units.usual_values import default_of
from pytest_evosearch.problem.units.usual_values import documented_types
from pytest_evosearch.problem.units.usual_values import usual_of
from pytest_evosearch.standins.shape import Shape

Shapes = Mapping[str, Shape]
"""Parameter -> what stand-ins have shown."""

Values = Mapping[str, Mapping[str, Sequence[object]]]
"""Unit -> parameter -> recipes of its arguments."""

_KINDS: dict[str, Any] = {kind.__name__: kind for kind in SCALARS if isinstance(kind, type)}
"""Names of types in shapes -> types."""


FEW_USES = 1
"""Uses of a parameter that may be chance: a key of a dictionary, or a comparison with anything."""


class Confirmation(Enum):
    """What shows that the types of all arguments are right."""

    TOLD = "hints, defaults, docstrings or callers"
    USED = "several uses in the code, or examples"
    NONE = "nothing"


class Arguments:
    """Makes the genes of arguments."""

    def __init__(
        self,
        units: Mapping[str, Unit],
        given: Values | None = None,
        seen: Values | None = None,
        documented: Values | None = None,
    ) -> None:
        self._units = units
        self._given = given or {}
        """What the project gives: nothing else is passed."""
        self._seen = seen or {}
        """What callers passed."""
        self._examples = documented or {}
        """What the examples of docstrings pass."""
        self._beside: dict[tuple[str, str], list[object]] = {}
        """Module and parameter -> what examples pass for it, to any unit of the module."""
        for key, passed in self._examples.items():
            for name, values in passed.items():
                known = self._beside.setdefault((key.partition(":")[0], name), [])
                known += [one for one in values if not any(same(one, each) for each in known)]
        self.matched = MatchedTexts(units, self.uses)
        self._shapes: dict[str, Shapes] = {}
        self._made: dict[str, tuple[int, tuple[tuple[str, Gene], ...]]] = {}
        self._unknown: dict[str, tuple[str, ...]] = {}
        self._uses: dict[str, Uses] = {}

    def learn(self, unit: Unit, shapes: Shapes) -> None:
        """Take over what stand-ins have shown of the arguments of a unit."""
        self._shapes[unit.key] = shapes
        self._made.clear()

    def unknown(self, unit: Unit) -> tuple[str, ...]:
        """Return the parameters whose types only stand-ins can show."""
        if unit.key not in self._unknown:
            function = function_of(unit)
            hints = hints_of(function)
            self._unknown[unit.key] = tuple(
                one.name
                for one in unit.parameters
                if self._told(unit, function, hints, one) in (None, ANYTHING)
            )
        return self._unknown[unit.key]

    def confirmation(self, unit: Unit, passed: Collection[str]) -> Confirmation:
        """Say what shows the types of the arguments that are passed."""
        shapes = self._shapes.get(unit.key, {})
        unsure = [shapes.get(name, Shape()) for name in self.unknown(unit) if name in passed]
        if not all(map(is_shown, unsure)):
            return Confirmation.NONE
        is_used = bool(unsure) or not self._exemplary(unit).isdisjoint(passed)
        return Confirmation.USED if is_used else Confirmation.TOLD

    def _exemplary(self, unit: Unit) -> set[str]:
        """Return the parameters whose types only examples show: these need not be all types."""
        function = function_of(unit)
        hints = hints_of(function)
        shown = (one for one in unit.parameters if self.examples(unit, one.name))
        return {one.name for one in shown if self._declared(unit, function, hints, one, 0) is None}

    def call(self, unit: Unit) -> UnitCall:
        """Return a call of a unit with the genes of its arguments."""
        known = self._made.get(unit.key)
        if known is None or known[0] != self.matched.changes:
            known = self._made[unit.key] = self.matched.changes, self._genes(unit, 0)
        return UnitCall(unit.key, known[1])

    def _genes(self, unit: Unit, depth: int) -> tuple[tuple[str, Gene], ...]:
        function = function_of(unit)
        hints = hints_of(function)
        genes = []
        for one in unit.parameters:
            gene = self._told(unit, function, hints, one, depth)
            if self.matched.of(unit, one.name) and (gene is None or gene is ANYTHING):
                gene = ANY_TEXT
            elif gene is None or gene is ANYTHING:
                shape = self._shape(unit, one.name)
                if one.is_variadic:
                    shape = shape.element or Shape()
                gene = self.gene_of_shape(shape, depth)
                if shape.kind != "function" and one.name in self.uses(unit).called:
                    gene = CALLED
                elif one.name not in self.uses(unit).called:
                    gene = self._of_classes(unit, one.name, gene, depth)
            if one.is_variadic:
                gene = ArrayGene(gene)
            elif not one.is_required:
                gene = optional(gene)
            genes.append((one.name, gene))
        return tuple(genes)

    def _shape(self, unit: Unit, name: str) -> Shape:
        """Return what stand-ins have shown of a parameter.

        Where the code of its unit shows little, what that of others shows counts: those of its
        class with a parameter of this name, or of its module.
        """
        own = self._shapes.get(unit.key, {}).get(name, Shape())
        others = [
            shapes[name]
            for key, shapes in self._shapes.items()
            if name in shapes and home_of(self._units[key]) == home_of(unit)
        ]
        passed_on = self.matched.passed_on(unit, name)
        others += [self._shapes.get(one.key, {}).get(key, Shape()) for one, key in passed_on]
        best = max(others, key=lambda one: one.uses, default=own)
        return best if own.uses <= FEW_USES < best.uses else own

    def _of_classes(self, unit: Unit, name: str, gene: Gene, depth: int) -> Gene:
        """Return the gene of an argument that may be of some classes, mostly of the code."""
        owner = self._units.get(unit.owner)
        is_reflected = unit.operator is not None and unit.operator.is_reflected
        is_other = name == "other" and is_unknown(gene) and not is_reflected
        is_operand = is_between_equals(unit) or is_other
        kind = resolved(Named(owner.module, owner.name)) if owner is not None else None
        own = kind if is_operand and isinstance(kind, type) else None
        kinds = classes_of(unit, self.uses(unit), name, own)
        gene = ANYTHING if is_reflected and makes(gene, unit.owner) else gene
        if not is_unknown(gene) and not self.uses(unit).kinds.get(name) and own is None:
            return gene
        made = [gene_of_hint(one, self.made, depth + 1) for one in kinds[: 1 if depth else None]]
        known = [one for one in made if one is not None]
        if not is_unknown(gene) and not any(map(partial(is_alike, gene), known)):
            known.append(gene)
        known += [ANYTHING] if name in self.uses(unit).checked and known and not depth else []
        return ChoiceGene(tuple(known), 0) if known else gene

    def seen(self, unit: Unit, name: str) -> Sequence[object]:
        """Return what docstrings show, and what callers passed, for a parameter."""
        return (*self.examples(unit, name), *self._seen.get(unit.key, {}).get(name, ()))

    def examples(self, unit: Unit, name: str) -> Sequence[object]:
        """Return what docstrings show for a parameter."""
        return self._examples.get(unit.key, {}).get(name, ())

    def proposed(self, unit: Unit, name: str) -> Sequence[object]:
        """Return what is seen for a parameter; otherwise, for one of this name in the module."""
        beside = self._beside.get((unit.module, name), ())
        return self.seen(unit, name) or self.matched.of(unit, name) or beside

    def usual(self, unit: Unit, name: str) -> Usual:
        """Return what people would pass for a parameter."""
        beside = self._beside.get((unit.module, name), ())
        default = default_of(function_of(unit), name)
        words = vocabulary_of(unit, default) if isinstance(default, str) else ()
        matching = self.matched.of(unit, name)
        return usual_of((*self.seen(unit, name), *words, *matching), beside, default)

    def passing(self, unit: Unit, name: str, value: object) -> Gene:
        """Return the gene of a parameter with a value; one from a docstring is kept as it is."""
        gene = dict(self.call(unit).arguments)[name]
        shown = self._beside.get((unit.module, name), ())
        if any(same(value, one) for one in shown) and not self._given.get(unit.key, {}).get(name):
            is_free = bool(unit.owner) and name not in hints_of(function_of(unit))
            return example_of(gene, value, is_free or bool(self.examples(unit, name)))
        return gene.adopt(value) or gene

    def _told(
        self,
        unit: Unit,
        function: Any,
        hints: Mapping[str, Any],
        one: Parameter,
        depth: int = 0,
    ) -> Gene | None:
        """Return the gene that the project, the signature, the docstring or a caller tells."""
        gene = self._declared(unit, function, hints, one, depth)
        is_free = gene is None and one.name not in hints

        def make(kind: type, levels: int) -> Gene | None:
            return self.made(kind, max(depth, levels) + 1)

        return gene_of_examples(self.seen(unit, one.name), make) if is_free else gene

    def _declared(
        self,
        unit: Unit,
        function: Any,
        hints: Mapping[str, Any],
        one: Parameter,
        depth: int,
    ) -> Gene | None:
        """Return the gene that the project, the signature or the docstring tells."""
        if given := self._given.get(unit.key, {}).get(one.name):
            return EnumGene(tuple(given), closed=True)
        if one.is_variable:
            return reads_of(function)[one.name] if is_read(one.name) else ANY_TEXT
        if values := members_of(unit):
            return EnumGene(values, closed=True)

        def make(kind: type, levels: int) -> Gene | None:
            return self.made(kind, max(depth, levels) + 1)

        if one.name in hints:
            hinted = gene_of_hint(hints[one.name], make, depth)
            is_checked = one.name in self.uses(unit).checked and not depth
            return ChoiceGene((hinted, ANYTHING), 0) if hinted and is_checked else hinted
        if not one.is_required and not one.is_variadic:
            default = inspect.signature(function).parameters[one.name].default
            if (gene := gene_of_default(default, make)) is not None:
                asked = () if depth else self.uses(unit).kinds.get(one.name, ())
                return gene_among(gene, [gene_of_hint(kind, make, 1) for kind in asked])
        if members := self.uses(unit).members.get(one.name):
            return EnumGene(tuple(members), closed=True)
        return self._documented(function, one.name, make)

    def uses(self, unit: Unit) -> Uses:
        """Return what the code of a unit does with its parameters."""
        if unit.key not in self._uses:
            self._uses[unit.key] = uses_of(function_of(unit))
        return self._uses[unit.key]

    def _documented(
        self, function: Any, name: str, make: Callable[[type, int], Gene | None]
    ) -> Gene | None:
        for kind in documented_types(function, name):
            if kind in _KINDS or kind == "function":
                return gene_of_hint(_KINDS.get(kind, Callable), make)
        return None

    def made(self, kind: type, depth: int = 0) -> Gene | None:
        """Return the gene of an object of a class; None where its constructor is not known."""
        named = Named(kind.__module__, kind.__qualname__)
        if depth > DEEPEST or not is_held(named):
            return ConstantGene(None) if depth > DEEPEST else None
        unit = maker_of(f"{named.module}:{named.name}", self._units)
        if unit is None and (is_unmade(kind) or is_base(kind)):
            heirs = [self._whole(one, depth) for one in self._heirs(kind)[: 1 if depth > 1 else 4]]
            if heirs:
                return heirs[0] if len(heirs) == 1 else ChoiceGene(tuple(heirs), 0)
            if is_unmade(kind):
                return gene_of_protocol(kind, self.made, depth)
        if unit is not None:
            made = constructing_units(kind) if takes_any_number(unit) else []
            ways = [self._made_by(one, depth) for one in made]
            whole = self._whole(unit, depth)
            return ChoiceGene((*ways, whole), 0) if ways else whole
        try:
            parameters = inspect.signature(kind).parameters.values()
        except (ValueError, TypeError):
            return None
        hints = hints_of(vars(kind).get("__init__", kind))
        parts = tuple(
            (
                "" if one.kind is not one.KEYWORD_ONLY else one.name,
                gene_of_hint(
                    hints.get(one.name, Any), lambda each, _levels: self.made(each, depth + 1)
                )
                or ANYTHING,
            )
            for one in parameters
            if one.default is one.empty and one.kind not in (one.VAR_POSITIONAL, one.VAR_KEYWORD)
        )
        if not parts and (ways := [self._made_by(one, depth) for one in constructing_units(kind)]):
            return ChoiceGene((*ways, MadeGene(parts, named)), 0)
        return MadeGene(parts, named)

    def _made_by(self, unit: Unit, depth: int) -> MadeGene:
        """Return the gene of what a class or a class method gives."""
        return made_of(unit, self._genes(unit, depth))

    def _whole(self, unit: Unit, depth: int) -> MadeGene:
        """Return the gene of what a class gives; one inside its own kind gets no further ones."""
        is_inside = takes_any_number(unit) and depth > 1
        return made_of(unit, ()) if is_inside else self._made_by(unit, depth)

    def _heirs(self, kind: type) -> list[Unit]:
        """Return the units that are classes which extend a class."""
        classes = [one for one in self._units.values() if one.kind is Kind.CLASS]
        found = [(one, resolved(Named(one.module, one.name))) for one in classes]
        return [one for one, real in found if isinstance(real, type) and kind in real.__mro__]

    def gene_of_shape(self, shape: Shape, depth: int = 0) -> Gene:
        """Return the gene of what stand-ins have shown."""
        if shape.named[1]:
            kind = resolved(Named(*shape.named))
            gene = gene_of_hint(kind, self.made, depth + 1) if isinstance(kind, type) else None
            return gene or ANYTHING
        inside = shape.element or Shape()
        if shape.kind == "object":
            parts = [(str(key), self.gene_of_shape(one, depth + 1)) for key, one in shape.members]
            return MadeGene(tuple(parts), Named("types", "SimpleNamespace"))
        if shape.kind == "tuple" and shape.members:
            return TupleGene(
                tuple(("", self.gene_of_shape(one, depth)) for _, one in shape.members)
            )
        if shape.kind == "dict" and shape.members:
            fields = [
                Field(str(key), self.gene_of_shape(one, depth + 1)) for key, one in shape.members
            ]
            return ObjectGene(tuple(fields))
        if shape.kind in ("list", "tuple", "set", "iterator"):
            array = ArrayGene(self.gene_of_shape(inside, depth + 1))
            return array if shape.kind == "list" else ConvertedGene(array, shape.kind)
        if shape.kind == "function":
            return ConvertedGene(self.gene_of_shape(inside, depth + 1), "function")
        told = gene_of_hint(_KINDS.get(shape.kind), self.made, depth) if shape.kind else None
        return told if told is not None and shape.kind in _KINDS else ANYTHING
