from __future__ import annotations

import re
from pathlib import Path

from pytest_evosearch.settings.oracle_specs import DEFAULT_NAMES
from pytest_evosearch.settings.oracle_specs import ORACLE_NAMES
from pytest_evosearch.settings.oracle_specs import ORACLES
from pytest_evosearch.settings.oracle_specs import Question
from pytest_evosearch.settings.oracle_specs import expanded
from pytest_evosearch.settings.oracle_specs import look_inside
from pytest_evosearch.settings.oracle_specs import questions_for

DOCUMENT = Path(__file__).parents[3] / "docs" / "oracles.md"


def test_groups_stand_for_their_members() -> None:
    assert expanded(["default"]) == DEFAULT_NAMES
    assert expanded(["default", "server-error"]) == DEFAULT_NAMES
    assert expanded(["challenge-missing", "default"]) == ("challenge-missing", *DEFAULT_NAMES)
    assert expanded(["all"]) == ORACLE_NAMES


def test_the_document_has_a_row_for_each_oracle_with_its_default() -> None:
    rows = re.findall(r"^\| `([\w-]+)` \| (yes|no)", DOCUMENT.read_text("utf-8"), re.MULTILINE)
    assert {code: default == "yes" for code, default in rows} == {
        spec.code: spec.is_default for spec in ORACLES
    }


def test_questions_are_those_of_the_chosen_oracles() -> None:
    assert questions_for(["secret-leak", "background-error"]) == frozenset()
    assert questions_for(["slow-path", "object-authorization"]) == {
        *(Question.GROWTH, Question.FOREIGN, Question.DELETED_BY_OTHERS)
    }
    assert questions_for(ORACLE_NAMES) == frozenset(Question)


def test_few_oracles_look_inside() -> None:
    assert not look_inside(["server-error"])
    assert look_inside(["server-error", "sql-injection"])
