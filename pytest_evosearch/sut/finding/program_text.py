"""Writes the code that runs a program of the project up to the start of its server."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence

from pytest_evosearch.core.quick_dataclasses import dataclass

SERVED = "served[0]"
"""The expression for the application that the program would have served."""

MAIN_BLOCK = '''\
def run_main_block(module):
    """Run what stands below `if __name__ == "__main__":` in a module."""
    source = Path(module.__file__).read_text(encoding="utf-8")
    for node in ast.parse(source).body:
        if isinstance(node, ast.If) and ast.unparse(node.test) == "__name__ == '__main__'":
            block = ast.Module(node.body, type_ignores=[])
            exec(compile(block, module.__file__, "exec"), vars(module))
'''


@dataclass(frozen=True)
class ProgramText:
    """A program, and the function that starts its server."""

    target: str
    """Name of that function: ``flask.Flask.run``."""
    parameters: str
    """The first parameters of that function."""
    application: str
    """The application as an expression of the parameters."""
    arguments: Sequence[str]
    """Values of `sys.argv` for the program."""
    module: str
    function: str | None
    """Function to call; None for the block below ``if __name__ == "__main__":``."""
    closed: str | None = None
    """A parameter that would stay open: a socket."""
    unrun: Sequence[str] = ()
    """Functions that would run other programs, and must not: ``os.popen``."""

    @property
    def standard_modules(self) -> Sequence[str]:
        """Modules of the standard library that the text uses."""
        mocks = ("unittest.mock",) if self.unrun else ()
        return ("sys", *mocks) if self.function else ("ast", "sys", *mocks)

    @property
    def helper(self) -> str | None:
        """Source of a function that the text calls."""
        return None if self.function else MAIN_BLOCK

    @property
    def lines(self) -> str:
        """Statements that leave the application in a list called ``served``."""
        call = f"{self.module}.{self.function}()"
        if self.function is None:
            call = f"run_main_block({self.module})"
        closing = f"    {self.closed}.close()\n" if self.closed else ""
        unrun = "".join(
            f'    patch.setattr("{name}", unittest.mock.MagicMock())  # runs no other program\n'
            for name in self.unrun
        )
        arguments = ", ".join(f'"{argument}"' for argument in self.arguments)
        return textwrap.indent(
            f"served = []\n"
            "\n"
            f"def start_server({self.parameters}, *args, **kwargs):\n"
            f"    served.append({self.application})\n"
            f"{closing}"
            "    raise SystemExit\n"
            "\n"
            "with pytest.MonkeyPatch.context() as patch, suppress(SystemExit):\n"
            f'    patch.setattr("{self.target}", start_server)\n'
            f'    patch.setattr(sys, "argv", [{arguments}])\n'
            f"{unrun}"
            f"    {call}\n",
            "    ",
        )
