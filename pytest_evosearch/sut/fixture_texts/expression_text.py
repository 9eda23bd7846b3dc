"""Lays out long expressions of written fixtures in black's style."""

from __future__ import annotations

import ast

WIDTH = 88
"""Columns of a line in black's style."""


def double_quoted(expression: str) -> str:
    """Return `expression` with black's quotes, where only the quotes change."""
    if '"' in expression or "\\" in expression:
        return expression
    return expression.replace("'", '"')


def laid_out(before: str, expression: str) -> str:
    """Return the line `before` plus `expression`, with one element a line if it is too long.

    `before` is the indentation and the first words, as in ``    return ``.
    """
    line = before + double_quoted(expression)
    if len(line) <= WIDTH:
        return line
    opening, elements, closing = _parts(ast.parse(expression, mode="eval").body)
    if not elements:
        return line
    indent = " " * (len(before) - len(before.lstrip()))
    inside = [laid_out(f"{indent}    {name}", element) + "," for name, element in elements]
    return "\n".join([before + opening, *inside, indent + closing])


def _parts(tree: ast.expr) -> tuple[str, list[tuple[str, str]], str]:
    """Return the opening of an expression, its elements with their prefixes, and its closing."""
    if isinstance(tree, ast.Call):
        elements = [("", ast.unparse(argument)) for argument in tree.args]
        elements += [
            (f"{keyword.arg}=" if keyword.arg else "**", ast.unparse(keyword.value))
            for keyword in tree.keywords
        ]
        return f"{double_quoted(ast.unparse(tree.func))}(", elements, ")"
    if isinstance(tree, ast.List):
        return "[", [("", ast.unparse(element)) for element in tree.elts], "]"
    if isinstance(tree, ast.Dict):
        pairs = zip(tree.keys, tree.values, strict=True)
        return "{", [(_key(key), ast.unparse(value)) for key, value in pairs], "}"
    return "", [], ""


def _key(key: ast.expr | None) -> str:
    return "**" if key is None else f"{double_quoted(ast.unparse(key))}: "
