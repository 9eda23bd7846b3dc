"""Turns JSON Schema, in every dialect of OpenAPI 2.0, 3.0 and 3.1, into genes.

No function here raises on a broken schema. An unreadable part becomes an arbitrary text or is
omitted, and a notice reports it.
"""

from __future__ import annotations

from collections.abc import Callable
from collections.abc import Mapping
from collections.abc import Sequence
from typing import TypeAlias
from urllib.parse import unquote
from urllib.parse import urlsplit

from pytest_evosearch.core.exception_texts import text_of_exception
from pytest_evosearch.genes.base import Gene
from pytest_evosearch.genes.characters import fits
from pytest_evosearch.genes.choice import ChoiceGene
from pytest_evosearch.genes.choice import ConstantGene
from pytest_evosearch.genes.collections import ArrayGene
from pytest_evosearch.genes.collections import ObjectGene
from pytest_evosearch.genes.formats import BytesGene
from pytest_evosearch.genes.optional import Field
from pytest_evosearch.genes.optional import NullableGene
from pytest_evosearch.genes.optional import NullGene
from pytest_evosearch.genes.regex import RegexGene
from pytest_evosearch.genes.scalars import BooleanGene
from pytest_evosearch.genes.scalars import IntegerGene
from pytest_evosearch.genes.text import TextGene
from pytest_evosearch.problem.http.descriptions.schema_bounds import count
from pytest_evosearch.problem.http.descriptions.schema_bounds import united
from pytest_evosearch.problem.http.descriptions.schema_scalars import FORMATS
from pytest_evosearch.problem.http.descriptions.schema_scalars import as_python
from pytest_evosearch.problem.http.descriptions.schema_scalars import enumeration
from pytest_evosearch.problem.http.descriptions.schema_scalars import integer_gene
from pytest_evosearch.problem.http.descriptions.schema_scalars import laid_out
from pytest_evosearch.problem.http.descriptions.schema_scalars import number_gene
from pytest_evosearch.problem.http.descriptions.schema_suggestions import as_json
from pytest_evosearch.problem.http.descriptions.schema_suggestions import suggestions_of
from pytest_evosearch.problem.http.descriptions.schema_suggestions import with_suggestions
from pytest_evosearch.problem.http.descriptions.shown_schemas import schema_of

Schema: TypeAlias = Mapping[str, object]

LARGEST_CHAIN = 20
"""Longest chain of references that lead to references."""

LARGEST_REPETITION = 2
"""How many times a recursive schema is unfolded inside itself."""

LARGEST_TREE = 600
"""Most genes made for one schema; the rest is omitted. Mutual recursion would explode."""

ANYTHING = ChoiceGene((TextGene(current="a"), IntegerGene(current=1), BooleanGene(True)))
"""Gene of a schema without any keyword: anything is valid, so one gene of each kind."""

_WORDS_OF_TYPE: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("object", ("properties", "additionalProperties", "patternProperties", "required")),
    ("array", ("items", "prefixItems", "minItems", "maxItems", "uniqueItems")),
    ("number", ("minimum", "maximum", "multipleOf", "exclusiveMinimum", "exclusiveMaximum")),
    ("string", ("minLength", "maxLength", "pattern", "format", "contentEncoding")),
)
"""Keywords that imply a missing `type`."""


def gene_from_schema(
    schema: object, document: Mapping[str, object], notices: list[str] | None = None
) -> Gene:
    """Return the gene of a JSON schema; local references are looked up in `document`.

    This never raises: a schema that cannot be understood becomes `ANYTHING`, with a line in
    `notices`.
    """
    return SchemaGenes(document, notices).gene(schema)


class SchemaGenes:
    """Makes the genes of the schemas of one document."""

    def __init__(self, document: Mapping[str, object], notices: list[str] | None = None) -> None:
        self._document = document
        self.notices: list[str] = [] if notices is None else notices
        self._left = LARGEST_TREE
        self._makers: Mapping[str, Callable[[Schema, tuple[str, ...]], Gene | None]] = {
            "null": lambda _schema, _stack: NullGene(),
            "boolean": lambda _schema, _stack: BooleanGene(),
            "integer": lambda schema, _stack: integer_gene(schema),
            "number": lambda schema, _stack: number_gene(schema),
            "string": lambda schema, _stack: self._text(schema),
            "file": lambda _schema, _stack: BytesGene(current=b"a"),
            "array": self._array,
            "object": self._object,
        }

    def gene(self, schema: object) -> Gene:
        """Return the gene of `schema`; `ANYTHING` when nothing can be read from it."""
        self._left = LARGEST_TREE
        try:
            return self._gene(schema, ()) or ANYTHING
        except Exception as error:
            # People and many tools write documents, and no content may end the run. The notice
            # names the problem.
            self.note(f"a schema could not be read ({text_of_exception(error)})")
            return ANYTHING

    def note(self, notice: str) -> None:
        """Keep a notice, each text once."""
        if notice not in self.notices:
            self.notices.append(notice)

    def resolve(self, node: object) -> tuple[Schema, tuple[str, ...]]:
        """Return `node` with its reference replaced, and the references followed.

        Only references inside the document are followed. Keywords beside ``$ref`` count (3.1).
        """
        followed: list[str] = []
        besides: dict[str, object] = {}
        while isinstance(node, Mapping) and isinstance(node.get("$ref"), str):
            reference = str(node["$ref"])
            besides = {**node, **besides}
            if reference in followed or len(followed) >= LARGEST_CHAIN:
                self.note(f"reference {reference} leads back to itself")
                return {}, tuple(followed)
            followed.append(reference)
            node = self._pointed(reference)
        if not isinstance(node, Mapping):
            return {}, tuple(followed)
        siblings = {word: item for word, item in besides.items() if word != "$ref"}
        return ({**node, **siblings} if siblings else node), tuple(followed)

    def _pointed(self, reference: str) -> object:
        """Follow a JSON pointer (RFC 6901) from the root of the document."""
        if not reference.startswith("#"):
            # One notice for each host: documents of standards refer there dozens of times.
            elsewhere = urlsplit(reference).netloc or reference.partition("#")[0]
            self.note(f"references to {elsewhere} leave the document and are not followed")
            return None
        node: object = self._document
        for part in unquote(reference[1:]).split("/")[1:]:
            key = part.replace("~1", "/").replace("~0", "~")
            if isinstance(node, Mapping) and key in node:
                node = node[key]
            elif isinstance(node, list) and key.isdigit() and int(key) < len(node):
                node = node[int(key)]
            else:
                self.note(f"reference {reference} leads nowhere")
                return None
        return node

    def _gene(self, schema: object, stack: tuple[str, ...]) -> Gene | None:
        """Return the gene of `schema`, None when it must be omitted here."""
        if schema is True:
            return ANYTHING
        resolved, followed = self.resolve(schema)
        self._left -= 1
        stack += followed
        if self._left < 0 or any(stack.count(name) > LARGEST_REPETITION for name in followed):
            return None
        if not resolved:
            return None if schema is False else ANYTHING
        return self._described(self._flattened(resolved), stack)

    def _flattened(self, schema: Schema, above: tuple[str, ...] = ()) -> Schema:
        """Return `schema` with the members of ``allOf`` united into it."""
        members = schema.get("allOf")
        if not isinstance(members, list):
            return schema
        flat: Schema = {word: item for word, item in schema.items() if word != "allOf"}
        for member in members:
            resolved, followed = self.resolve(member)
            if not any(name in above for name in followed):
                flat = united(flat, self._flattened(resolved, above + followed))
        return flat

    def _described(self, schema: Schema, stack: tuple[str, ...]) -> Gene | None:
        types = _types_of(schema)
        nullable = schema.get("nullable") is True or schema.get("x-nullable") is True
        gene: Gene | None
        if "const" in schema:
            return ConstantGene(as_json(schema["const"]))
        options = schema.get("enum")
        if isinstance(options, list) and options:
            nullable = nullable or None in options
            gene = enumeration(options)
        elif alternatives := _alternatives_of(schema):
            gene, null = self._choice(schema, alternatives, stack)
            nullable = nullable or null
        else:
            named = [name for name in types if name != "null"]
            nullable = nullable or (len(named) < len(types) and bool(named))
            gene = self._typed(schema, named or types, stack)
        if gene is None:
            return None
        gene = self._as_shown(with_suggestions(gene, suggestions_of(schema)), schema, stack)
        return NullableGene(gene) if nullable and gene.not_null() is not None else gene

    def _as_shown(self, gene: Gene, schema: Schema, stack: tuple[str, ...]) -> Gene:
        """Return `gene`, or first the value of an example where it has another type.

        Generators of documents call every type that they do not know a text.
        """
        if not gene.takes_suggestions:
            return gene
        examples = (value for value in suggestions_of(schema) if isinstance(value, (dict, list)))
        shown = next((value for value in examples if value and gene.adopt(value) is None), None)
        other = self._gene(schema_of(shown), stack) if shown is not None else None
        return gene if other is None else ChoiceGene((other, gene))

    def _choice(
        self, schema: Schema, alternatives: Sequence[object], stack: tuple[str, ...]
    ) -> tuple[Gene | None, bool]:
        """Return the gene of ``oneOf`` or ``anyOf``, and whether null is one of them."""
        base = {word: item for word, item in schema.items() if word not in ("oneOf", "anyOf")}
        genes: list[Gene] = []
        null = False
        for alternative in alternatives:
            resolved, followed = self.resolve(alternative)
            if resolved.get("type") == "null":
                null = True
                continue
            if any(stack.count(name) >= LARGEST_REPETITION for name in followed):
                continue
            full = united(base, self._flattened(resolved)) if base else resolved
            gene = self._gene(_discriminated(full, schema, followed), stack + followed)
            if gene is not None and gene not in genes:
                genes.append(gene)
        if len(genes) > 1:
            return ChoiceGene(tuple(genes)), null
        return (genes[0] if genes else (NullGene() if null else None)), null

    def _typed(self, schema: Schema, types: list[str], stack: tuple[str, ...]) -> Gene | None:
        genes = []
        for name in types:
            make = self._makers.get(name)
            if make is None:
                self.note(f"unknown type {name!r}")
            gene = ANYTHING if make is None else make(schema, stack)
            if gene is not None:
                genes.append(gene)
        if not types:
            return ANYTHING
        return genes[0] if len(genes) == 1 else (ChoiceGene(tuple(genes)) if genes else None)

    def _text(self, schema: Schema) -> Gene:
        shortest, longest = count(schema, "minLength") or 0, count(schema, "maxLength")
        pattern = schema.get("pattern")
        if isinstance(pattern, str) and pattern:
            try:
                return RegexGene.compile(as_python(pattern), shortest, longest)
            except ValueError as error:
                self.note(str(error))
        form = str(schema.get("format", "")).lower()
        if form == "binary":
            return BytesGene(shortest, longest, b"a" * max(shortest, 1))
        if str(schema.get("contentEncoding", "")).lower() == "base64":
            form = "byte"
        if form in FORMATS:
            return laid_out(FORMATS[form], schema.get("x-layout"))
        plain = "a" * max(shortest, 1)
        return TextGene(shortest, longest, current=plain if fits(plain, longest) else "")

    def _array(self, schema: Schema, stack: tuple[str, ...]) -> Gene:
        items = schema.get("items", True)
        prefix = schema.get("prefixItems", items if isinstance(items, list) else None)
        if isinstance(prefix, list) and prefix:
            items = {"anyOf": prefix} if len(prefix) > 1 else prefix[0]
        template = self._gene(items, stack)
        shortest, longest = count(schema, "minItems") or 0, count(schema, "maxItems")
        if template is None:
            # The end of a recursion: only the empty list.
            return ArrayGene(maximum_length=0)
        elements = max(shortest, 1) if longest is None else min(max(shortest, 1), longest)
        unique = schema.get("uniqueItems") is True
        # Equal elements would violate uniqueness from the start.
        elements = min(elements, 1) if unique else elements
        return ArrayGene(template, shortest, longest, (template,) * elements, unique=unique)

    def _object(self, schema: Schema, stack: tuple[str, ...]) -> Gene:
        required = schema.get("required")
        names = [str(name) for name in required] if isinstance(required, list) else []
        properties = schema.get("properties")
        examples = [value for value in suggestions_of(schema) if isinstance(value, Mapping)]
        fields = []
        for name, inner in properties.items() if isinstance(properties, Mapping) else ():
            field = self._field(str(name), inner, str(name) in names, stack, examples)
            if field is not None:
                fields.append(field)
        declared = [field.name for field in fields]
        known = properties if isinstance(properties, Mapping) else {}
        fields += [
            Field(name, TextGene(current="a"))
            for name in dict.fromkeys(names)
            if name not in declared and name not in known
        ]
        return ObjectGene(tuple(fields), self._additional(schema, stack))

    def _field(
        self,
        name: str,
        schema: object,
        required: bool,
        stack: tuple[str, ...],
        examples: Sequence[Mapping[str, object]],
    ) -> Field | None:
        gene = self._gene(schema, stack)
        if gene is None:
            return None
        gene = with_suggestions(gene, [given[name] for given in examples if name in given])
        resolved, _followed = self.resolve(schema)
        if resolved.get("readOnly") is True:
            # A client should not send it; some applications accept it, so a rare try is worthwhile.
            return Field.optional(name, gene, active=False)
        return Field(name, gene) if required else Field.optional(name, gene)

    def _additional(self, schema: Schema, stack: tuple[str, ...]) -> Gene | None:
        additional = schema.get("additionalProperties")
        if additional is True:
            return ANYTHING
        if isinstance(additional, Mapping):
            return self._gene(additional, stack)
        patterns = schema.get("patternProperties")
        if isinstance(patterns, Mapping) and patterns:
            return self._gene(next(iter(patterns.values())), stack)
        return None


def _types_of(schema: Schema) -> list[str]:
    """Return the declared types, or those that other keywords imply."""
    declared = schema.get("type")
    if isinstance(declared, str):
        return [declared]
    if isinstance(declared, list):
        return [str(name) for name in declared]
    for name, words in _WORDS_OF_TYPE:
        if any(word in schema for word in words):
            return [name]
    return []


def _alternatives_of(schema: Schema) -> Sequence[object]:
    for word in ("oneOf", "anyOf"):
        alternatives = schema.get(word)
        if isinstance(alternatives, list) and alternatives:
            return alternatives
    return ()


def _discriminated(alternative: Schema, schema: Schema, followed: tuple[str, ...]) -> Schema:
    """Return `alternative` with its discriminating property fixed to its own name."""
    discriminator = schema.get("discriminator")
    if not isinstance(discriminator, Mapping) or not followed:
        return alternative
    name = str(discriminator.get("propertyName", ""))
    mapping = discriminator.get("mapping")
    value = followed[0].rpartition("/")[2]
    for given, reference in mapping.items() if isinstance(mapping, Mapping) else ():
        if reference in (followed[0], value):
            value = str(given)
            break
    fixed: Schema = {"properties": {name: {"const": value}}, "required": [name]}
    return united(alternative, fixed)
