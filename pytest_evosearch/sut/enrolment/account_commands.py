"""Commands of the application that make accounts: ``flask create-admin``, ``flask user add``.

A command counts when it takes a password, or when its name says that it creates a person. Flask's
own runner runs it, as a test of the project would. Prompts are answered according to the words of
the question.
"""

from __future__ import annotations

from collections.abc import Iterator
from collections.abc import Mapping
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import click

from pytest_evosearch.core.english import words_of
from pytest_evosearch.core.quick_dataclasses import dataclass
from pytest_evosearch.core.vocabulary import ADMINISTRATOR
from pytest_evosearch.core.vocabulary import AGAIN
from pytest_evosearch.core.vocabulary import CREATE
from pytest_evosearch.core.vocabulary import LOGIN_NAME
from pytest_evosearch.core.vocabulary import MAKE
from pytest_evosearch.core.vocabulary import REGISTER
from pytest_evosearch.core.vocabulary import Certainty
from pytest_evosearch.sut.deeds import Deed
from pytest_evosearch.sut.enrolment.account_templates import Parameter
from pytest_evosearch.sut.enrolment.account_templates import call_code
from pytest_evosearch.sut.enrolment.account_templates import is_password
from pytest_evosearch.sut.patches import Patches

MOST_QUESTIONS = 6
"""Most prompts of a running command that are answered."""

MAKING = frozenset(
    (*CREATE.words(Certainty.LIKELY), *REGISTER.words(), *MAKE.words(Certainty.LIKELY))
)
PERSONS = frozenset((*LOGIN_NAME.words(Certainty.LIKELY), *ADMINISTRATOR.words(), "member"))

QUESTION = "question "
"""Prefix of parameters that are answers to prompts."""


class CommandFailed(Exception):
    """Says that a command ended with an error."""


@dataclass(frozen=True)
class CommandTemplate:
    """A command, given by its words."""

    words: tuple[str, ...]
    command: Any
    parameters: tuple[Parameter, ...]

    @property
    def door(self) -> str:
        """Return the command as the owner would type it."""
        return " ".join(("flask", *self.words))

    def with_parameters(self, parameters: tuple[Parameter, ...]) -> CommandTemplate:
        """Return a copy with the known parameters."""
        return replace(self, parameters=parameters)

    def run(self, app: Any, values: Mapping[str, object]) -> None:
        """Run the command; raise `CommandFailed` when it fails."""
        result = self.invoked(app, values)
        if result.exit_code != 0:
            raise CommandFailed(result.output)

    def invoked(self, app: Any, values: Mapping[str, object]) -> Any:
        """Return the result of the command."""
        with _no_terminal():
            return self.deed(values).run(app=app)

    def arguments(self, values: Mapping[str, object]) -> list[str]:
        """Return the arguments after ``flask``."""
        given = list(self.words)
        for one in self.command.params:
            if one.name in values:
                given += _written(one, values[one.name])
        return given

    def deed(self, values: Mapping[str, object]) -> Deed:
        """Return the statement that runs the command of ``app``."""
        answers = "".join(
            f"{value}\n" for name, value in values.items() if name.startswith(QUESTION)
        )
        named: dict[str, object] = {"args": self.arguments(values)}
        named |= {"input": answers} if answers else {}
        return Deed((call_code("app.test_cli_runner().invoke", (), named),))


def account_commands(app: Any, asked: bool) -> Iterator[CommandTemplate]:
    """Yield the commands of `app` that may create an account; those with a password first.

    With `asked`, run the other ones to learn their prompts.
    """
    found = [one for one in _commands(app.cli, ()) if _may_make_account(one)]
    asking = [one for one in found if not any(is_password(each.name) for each in one.parameters)]
    yield from (one for one in found if one not in asking)
    for template in asking:
        yield _with_answers(app, template) if asked else template


def _commands(group: Any, words: tuple[str, ...]) -> Iterator[CommandTemplate]:
    for name, command in sorted(getattr(group, "commands", {}).items()):
        if isinstance(command, click.Group):
            yield from _commands(command, (*words, name))
        elif not _is_of_flask(command):
            parameters = [_parameter(one) for one in command.params]
            if None not in parameters:
                known = tuple(one for one in parameters if one is not None)
                yield CommandTemplate((*words, name), command, known)


def _is_of_flask(command: Any) -> bool:
    module = str(getattr(command.callback, "__module__", ""))
    return module.partition(".")[0] in ("flask", "flask_migrate", "flask_assets", "")


def _may_make_account(template: CommandTemplate) -> bool:
    words = {word for part in template.words for word in words_of(part.replace("-", "_"))}
    if any(is_password(one.name) for one in template.parameters):
        return not words & {"reset", "change", "update", "set", "delete", "remove"}
    return bool(words & MAKING) and bool(words & PERSONS)


def _parameter(given: Any) -> Parameter | None:
    """Return the parameter for a click parameter, None when no account value fits."""
    name, kind = given.name, given.type
    asks = getattr(given, "prompt", None) is not None
    default = None if callable(given.default) else given.default
    if not isinstance(default, (str, int, float, bool)):
        default = None
    needed = bool(given.required or asks)
    if isinstance(kind, click.Choice):
        options = tuple(getattr(one, "name", one) for one in kind.choices)
        return Parameter(name, default, needed, options)
    if getattr(given, "is_flag", False):
        return Parameter(name, bool(default), False, (False, True))
    if not needed and not is_password(name):
        return Parameter(name, default, required=False)
    if kind.name in ("integer", "integer range"):
        return Parameter(name, default or 1, required=False)
    if kind.name != "text" or given.nargs != 1:
        return None
    return Parameter(name, default)


def _written(given: Any, value: object) -> list[str]:
    """Return a value as command-line arguments, none when it is omitted."""
    if isinstance(given, click.Argument):
        return [] if value is None else [str(value)]
    names = sorted(given.opts, key=len)
    if given.is_flag:
        return [names[-1]] if value and not given.default else []
    needed = given.required or given.prompt is not None
    if value is None or (value == given.default and not needed):
        return []
    return [names[-1], str(value)]


def _with_answers(app: Any, template: CommandTemplate) -> CommandTemplate:
    """Return the command with the prompts that it shows while it runs."""
    for _ in range(MOST_QUESTIONS):
        values = {one.name: one.filled("Cedar-2041") for one in template.parameters}
        result = template.invoked(app, values)
        question = _question_of(result)
        if not question:
            break
        before = [one.name for one in template.parameters if one.name.startswith(QUESTION)]
        words = words_of(question)
        if before and set(AGAIN.words()) & set(words):
            words = words_of(before[-1])[2:]
        asked = Parameter(f"{QUESTION}{len(before) + 1} {'_'.join(words)}")
        template = replace(template, parameters=(*template.parameters, asked))
    return template


def _question_of(result: Any) -> str:
    """Return the prompt at which a command stopped without an answer, empty without one."""
    if result.exit_code == 0 or not isinstance(result.exception, (SystemExit, EOFError)):
        return ""
    lines = [line for line in result.output.splitlines() if line and "Aborted" not in line]
    if not lines or "Error" in lines[-1] or "Usage" in result.output:
        return ""
    return str(lines[-1]).rpartition(":")[0].rpartition(":")[2] or str(lines[-1])


@contextmanager
def _no_terminal() -> Iterator[None]:
    """Keep commands from reading the user's terminal, as `getpass` would."""
    import getpass

    def refuse(*_arguments: object, **_keywords: object) -> str:
        raise EOFError("no terminal")

    with Patches() as patches:
        patches.setattr(getpass, "getpass", refuse)
        yield
