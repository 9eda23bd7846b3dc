"""Reads OpenAPI 2.0 (Swagger), 3.0 and 3.1 documents into endpoints.

No function here raises on a broken document. Each operation is read on its own; one that cannot be
understood is omitted with a notice.
"""

from __future__ import annotations

from collections.abc import Iterator
from collections.abc import Mapping
from dataclasses import replace
from fnmatch import fnmatchcase
from typing import NamedTuple
from typing import TypeAlias
from urllib.parse import urlsplit

from pytest_evosearch.core.http_words import ALL
from pytest_evosearch.genes.base import Gene
from pytest_evosearch.genes.collections import ArrayGene
from pytest_evosearch.genes.collections import ObjectGene
from pytest_evosearch.genes.encoded import EncodedGene
from pytest_evosearch.genes.optional import NullableGene
from pytest_evosearch.genes.text import TextGene
from pytest_evosearch.genes.uploads import file_gene
from pytest_evosearch.problem.http.descriptions.json_schema import Schema
from pytest_evosearch.problem.http.descriptions.json_schema import SchemaGenes
from pytest_evosearch.problem.http.descriptions.parameters import parameters_of
from pytest_evosearch.problem.http.descriptions.schema_suggestions import suggestions_of
from pytest_evosearch.problem.http.exchanges.endpoint import Endpoint
from pytest_evosearch.problem.http.exchanges.endpoint import Location
from pytest_evosearch.problem.http.exchanges.endpoint import Parameter

Document: TypeAlias = Mapping[str, object]

METHODS = tuple(method.lower() for method in ALL)

LOCATIONS: Mapping[str, Location] = {
    **{one.value: one for one in (Location.PATH, Location.QUERY, Location.HEADER, Location.COOKIE)},
    "querystring": Location.QUERY,
    "formData": Location.FORM,
}

IGNORED_HEADERS = ("accept", "content-type", "authorization")
"""Header parameters that OpenAPI ignores, because other keywords describe them."""

SEPARATORS: Mapping[str, str] = {
    "csv": ",",
    "ssv": " ",
    "tsv": "\t",
    "pipes": "|",
    "spaceDelimited": " ",
    "pipeDelimited": "|",
}

MOST_LEVELS = 5
"""Deepest nesting of schemas inside schemas."""


class SchemaReading(NamedTuple):
    """The endpoints of a document, with a notice for everything that could not be read."""

    endpoints: list[Endpoint]
    notices: list[str]


def endpoints_from_openapi(document: object) -> SchemaReading:
    """Return the endpoints that a parsed OpenAPI document declares, in its order.

    Templates include the base path (``basePath`` or the path of the first server).  Never
    raises; an unreadable document gives no endpoints and a notice.
    """
    if not isinstance(document, Mapping) or not isinstance(document.get("paths"), Mapping):
        return SchemaReading([], ["the OpenAPI document has no paths"])
    reader = _Reader(document)
    endpoints = {endpoint.key: endpoint for endpoint in reader.endpoints()}
    return SchemaReading(list(endpoints.values()), reader.genes.notices)


class _Reader:
    """Reads one document."""

    def __init__(self, document: Document) -> None:
        self.document = document
        self.genes = SchemaGenes(document)

    def endpoints(self) -> Iterator[Endpoint]:
        """Yield the readable operations; note and omit the others."""
        paths = self.document["paths"]
        for path, item in paths.items() if isinstance(paths, Mapping) else ():
            shared, _followed = self.genes.resolve(item)
            for method in METHODS:
                if not isinstance(shared.get(method), Mapping):
                    continue
                try:
                    yield self._endpoint(str(path), method, shared)
                except Exception as error:
                    # As with schemas, no content of a document may end the run.
                    problem = f"{type(error).__name__}: {error}"
                    self.genes.note(f"{method.upper()} {path} could not be read ({problem})")

    def _endpoint(self, path: str, method: str, shared: Schema) -> Endpoint:
        operation, _followed = self.genes.resolve(shared[method])
        template = self._prefix(operation, shared) + (path if path.startswith("/") else f"/{path}")
        parameters = {
            parameter.key: parameter
            for source in (shared, operation)
            for parameter in self._parameters(source, operation)
        }
        for parameter in self._request_body(operation):
            parameters.setdefault(parameter.key, parameter)
        endpoint = Endpoint(
            method=method.upper(),
            template=template,
            name=str(operation.get("operationId") or f"{method.upper()} {template}"),
            statuses=_statuses(operation),
            summary=str(operation.get("summary") or ""),
            responses=_responses(operation),
            operation={"security": self.document.get("security"), **operation},
            fields=self._fields(operation, shared),
        )
        for name in endpoint.placeholders:
            missing = Parameter(Location.PATH, name, TextGene(1, current="a"), True, "schema")
            parameters.setdefault(missing.key, missing)
        return replace(endpoint, parameters=tuple(_declared(parameters, endpoint)))

    def _fields(self, operation: Schema, shared: Schema) -> dict[str, Schema]:
        """Return the fields of the JSON body, including those of ``allOf``."""
        listed = [part.get("parameters") for part in (shared, operation)]
        nodes = [node for part in listed for node in (part if isinstance(part, list) else ())]
        given = [self.genes.resolve(node)[0] for node in nodes]
        schemas = [one.get("schema") for one in given if one.get("in") == "body"]
        content = self.genes.resolve(operation.get("requestBody"))[0].get("content")
        for kind, media in content.items() if isinstance(content, Mapping) else ():
            if _is_json(str(kind)) and isinstance(media, Mapping):
                schemas.append(media.get("schema"))
        return self._properties(schemas[0]) if schemas else {}

    def _properties(self, node: object, depth: int = 0) -> dict[str, Schema]:
        schema, _followed = self.genes.resolve(node)
        found: dict[str, Schema] = {}
        parts = schema.get("allOf")
        for part in parts if isinstance(parts, list) and depth < MOST_LEVELS else ():
            found.update(self._properties(part, depth + 1))
        properties = schema.get("properties")
        for name, inner in properties.items() if isinstance(properties, Mapping) else ():
            found[str(name)] = self.genes.resolve(inner)[0]
        return found

    def _prefix(self, operation: Schema, shared: Schema) -> str:
        """Return the path before every template, without its final slash."""
        base = self.document.get("basePath")
        if isinstance(base, str):
            return _without_slash(base)
        for holder in (operation, shared, self.document):
            servers = holder.get("servers")
            if isinstance(servers, list) and servers and isinstance(servers[0], Mapping):
                return _without_slash(urlsplit(_server_url(servers[0])).path)
        return ""

    def _parameters(self, source: Schema, operation: Schema) -> Iterator[Parameter]:
        listed = source.get("parameters")
        for node in listed if isinstance(listed, list) else ():
            declared, _followed = self.genes.resolve(node)
            where, name = declared.get("in"), str(declared.get("name", ""))
            if not declared:
                continue  # the reference that could not be followed has its notice
            if where == "body":
                yield from self._body_of_swagger(declared, operation)
            elif where not in LOCATIONS or not name:
                self.genes.note(f"parameter {name!r} in {where!r} is of no known kind")
            elif where != "header" or name.lower() not in IGNORED_HEADERS:
                yield from self._parameter(declared, LOCATIONS[str(where)], name)

    def _parameter(self, declared: Schema, where: Location, name: str) -> Iterator[Parameter]:
        gene = self.genes.gene(self._schema_of(declared))
        required = declared.get("required") is True or where is Location.PATH
        if declared.get("type") == "file" or (where is Location.FORM and _is_file(gene)):
            where = Location.FILE
        inner = gene.gene if isinstance(gene, NullableGene) else gene
        if any(map(_is_json, _media_types(declared))):
            gene = EncodedGene(gene)
        elif isinstance(inner, ArrayGene):
            gene = _serialised(inner, declared, where)
        elif isinstance(inner, ObjectGene) and where is Location.QUERY and inner.fields:
            deep = declared.get("style") == "deepObject"
            spelling = f"{name}[{{}}]" if deep else "{}"
            yield from parameters_of(inner, where, "schema", spelling)
            return
        if where is Location.FILE:
            gene = file_gene(name, gene)
        yield Parameter(where, name, gene, required, "schema")

    def _schema_of(self, declared: Schema) -> Schema:
        """Return the schema of a parameter, with the examples beside it."""
        schema: object = declared.get("schema")
        content = declared.get("content")
        if schema is None and isinstance(content, Mapping) and content:
            media = next(iter(content.values()))
            schema = media.get("schema") if isinstance(media, Mapping) else None
        if schema is None and ("type" in declared or "enum" in declared):
            # OpenAPI 2: the parameter is its own schema, except that `required` is a flag.
            return {word: item for word, item in declared.items() if word != "required"}
        return self._with_examples(schema, declared)

    def _with_examples(self, schema: object, holder: Schema) -> Schema:
        resolved: Schema = schema if isinstance(schema, Mapping) else {}
        examples = {word: holder[word] for word in ("example", "examples") if word in holder}
        found = [self._example(value) for value in suggestions_of(examples)]
        if not found:
            return resolved
        looked_up, _followed = self.genes.resolve(resolved)
        known = [value for value in suggestions_of(looked_up) if value not in found]
        return {**resolved, "examples": [*found, *known]}

    def _example(self, value: object) -> object:
        if isinstance(value, Mapping) and "$ref" in value:
            resolved, _followed = self.genes.resolve(value)
            return resolved.get("value", resolved)
        return value

    def _body_of_swagger(self, declared: Schema, operation: Schema) -> Iterator[Parameter]:
        consumes = operation.get("consumes") or self.document.get("consumes")
        types = [str(kind) for kind in consumes] if isinstance(consumes, list) else []
        media = next((kind for kind in types if _is_json(kind)), None)
        media = media or next(iter(types), "application/json")
        required = declared.get("required") is True
        holder = {"schema": declared.get("schema"), **_examples_in(declared)}
        yield from self._body(media, holder, required)

    def _request_body(self, operation: Schema) -> Iterator[Parameter]:
        """Yield the parameters of a body: all JSON and form kinds, else raw text."""
        body, _followed = self.genes.resolve(operation.get("requestBody"))
        content = body.get("content")
        if not isinstance(content, Mapping):
            return
        required = body.get("required") is True
        structured = [kind for kind in content if _is_json(str(kind)) or _is_form(str(kind))]
        for kind in structured or list(content)[:1]:
            media = content[kind]
            if isinstance(media, Mapping):
                yield from self._body(str(kind), media, required)

    def _body(self, kind: str, media: Schema, required: bool) -> Iterator[Parameter]:
        schema = self._with_examples(media.get("schema"), media)
        if _is_json(kind):
            gene = self.genes.gene(schema)
            yield Parameter(Location.JSON, "", gene, required, "schema")
        elif _is_form(kind):
            gene = self.genes.gene(schema)
            if isinstance(gene, ObjectGene):
                yield from parameters_of(gene, Location.FORM, "schema")
        else:
            gene = self.genes.gene(schema) if schema else TextGene(current="a")
            if gene.element() is not None or isinstance(gene, ObjectGene):
                gene = TextGene(current="a")
            mimetype = kind.partition(";")[0].strip()
            known = None if "*" in mimetype else mimetype
            yield Parameter(Location.TEXT, "", gene, required, "schema", known)


def _declared(
    parameters: Mapping[tuple[Location, str], Parameter], endpoint: Endpoint
) -> Iterator[Parameter]:
    """Yield the parameters, without path parameters that the template lacks."""
    for parameter in parameters.values():
        if parameter.location is not Location.PATH or parameter.name in endpoint.placeholders:
            yield parameter


def _without_slash(path: str) -> str:
    path = path.rstrip("/")
    return path if not path or path.startswith("/") else f"/{path}"


def _server_url(server: Mapping[str, object]) -> str:
    """Return a server's URL with its variables replaced by their defaults."""
    url = str(server.get("url") or "")
    variables = server.get("variables")
    for name, variable in variables.items() if isinstance(variables, Mapping) else ():
        default = variable.get("default", "") if isinstance(variable, Mapping) else ""
        url = url.replace(f"{{{name}}}", str(default))
    return url


def _statuses(operation: Schema) -> tuple[int, ...]:
    responses = operation.get("responses")
    codes = [str(code) for code in responses] if isinstance(responses, Mapping) else []
    return tuple(int(code) for code in codes if len(code) == 3 and code.isdecimal())


def _responses(operation: Schema) -> dict[str, object]:
    declared = operation.get("responses")
    entries = declared.items() if isinstance(declared, Mapping) else ()
    return {str(status): response for status, response in entries}


def _examples_in(declared: Schema) -> dict[str, object]:
    """Return the examples beside a body; OpenAPI 2 tools use these keywords without a standard."""
    words = (("example", "x-example"), ("examples", "x-examples"))
    return {
        word: declared.get(word, declared.get(extension))
        for word, extension in words
        if word in declared or extension in declared
    }


def _media_types(declared: Schema) -> list[str]:
    """Return the media types that a parameter or a body accepts."""
    content = declared.get("content")
    return [str(kind) for kind in content] if isinstance(content, Mapping) else []


def _is_json(kind: str) -> bool:
    mimetype = kind.partition(";")[0].strip().lower()
    return mimetype.endswith(("/json", "+json")) or fnmatchcase("application/json", mimetype)


def _is_form(kind: str) -> bool:
    mimetype = kind.partition(";")[0].strip().lower()
    return mimetype in ("application/x-www-form-urlencoded", "multipart/form-data")


def _is_file(gene: Gene) -> bool:
    present = gene.present()
    element = present.element()
    return present.is_binary if element is None else _is_file(element)


def _serialised(gene: ArrayGene, declared: Schema, where: Location) -> Gene:
    """Return the gene of an array in its parameter's style: repeated names, or joined."""
    repeatable = where in (Location.QUERY, Location.FORM)
    if where is Location.FILE:
        # One file for each name: applications differ in how they take several files.
        return gene.template
    if "collectionFormat" in declared or "schema" not in declared:
        style = str(declared.get("collectionFormat", "csv"))
        if style == "multi" and repeatable:
            return gene
        return EncodedGene(gene, SEPARATORS.get(style, ","))
    style = str(declared.get("style", "form"))
    explode = declared.get("explode", style == "form")
    if repeatable and explode is not False:
        return gene
    return EncodedGene(gene, SEPARATORS.get(style, ","))
