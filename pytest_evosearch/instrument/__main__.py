"""``python -m pytest_evosearch.instrument FILE [LEVEL]`` prints the transformed source."""

from __future__ import annotations

import ast
import sys
from pathlib import Path

from pytest_evosearch.instrument.transformation.nodes import unit_of
from pytest_evosearch.instrument.transformation.transform import instrument


def transformed_source(source: str, path: str, level: int) -> str:
    """Return `source` in its executed form; the probes of its units read as ``PROBES0`` ..."""
    tree, _ = instrument(source, path, level)
    return ast.unparse(_Naming().visit(tree))


class _Naming(ast.NodeTransformer):
    """Gives the placeholder a readable name."""

    def visit_Constant(self, node: ast.Constant) -> ast.expr:
        unit = unit_of(node.value)
        return node if unit is None else ast.Name(f"PROBES{unit}", ast.Load())


def main(arguments: list[str]) -> int:
    """Print the transformed source of the file that the arguments name."""
    if not arguments:
        sys.stderr.write("usage: python -m pytest_evosearch.instrument FILE [LEVEL]\n")
        return 4
    level = int(arguments[1]) if len(arguments) > 1 else 3
    source = Path(arguments[0]).read_text(encoding="utf-8")
    sys.stdout.write(transformed_source(source, arguments[0], level) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
