"""Nine functions of textbooks without hints, as the paper on lazy instantiation has them."""

from __future__ import annotations

import sys
from importlib.util import module_from_spec
from importlib.util import spec_from_file_location
from types import CodeType
from types import ModuleType

import pytest

TEXTBOOK = """
def factorial(n):
    if n < 0:
        raise ValueError("n must not be negative")
    product = 1
    for factor in range(2, n + 1):
        product *= factor
    return product


def fibonacci(n):
    if n < 2:
        return n
    before, last = 0, 1
    for _ in range(n - 1):
        before, last = last, before + last
    return last


def greatest_common_divisor(a, b):
    while b:
        a, b = b, a % b
    return abs(a)


def is_prime(n):
    if n < 2:
        return False
    divisor = 2
    while divisor * divisor <= n:
        if n % divisor == 0:
            return False
        divisor += 1
    return True


def binary_search(items, wanted):
    low, high = 0, len(items) - 1
    while low <= high:
        middle = (low + high) // 2
        if items[middle] == wanted:
            return middle
        if items[middle] < wanted:
            low = middle + 1
        else:
            high = middle - 1
    return -1


def bubble_sort(items):
    for end in range(len(items) - 1, 0, -1):
        for i in range(end):
            if items[i] > items[i + 1]:
                items[i], items[i + 1] = items[i + 1], items[i]
    return items


def insertion_sort(items):
    for i in range(1, len(items)):
        item = items[i]
        place = i
        while place > 0 and items[place - 1] > item:
            items[place] = items[place - 1]
            place -= 1
        items[place] = item
    return items


def classify_triangle(a, b, c):
    if a <= 0 or b <= 0 or c <= 0:
        return "none"
    if a + b <= c or b + c <= a or a + c <= b:
        return "none"
    if a == b == c:
        return "equilateral"
    if a == b or b == c or a == c:
        return "isosceles"
    return "scalene"


def roman_numeral(number):
    if not 0 < number < 4000:
        raise ValueError("only 1 to 3999 have a numeral")
    numeral = ""
    for value, letters in ((10, "X"), (9, "IX"), (5, "V"), (4, "IV"), (1, "I")):
        while number >= value:
            numeral += letters
            number -= value
    return numeral
"""


def lines_of(code: CodeType) -> set[int]:
    return {line for _start, _end, line in code.co_lines() if line and line > code.co_firstlineno}


def module_of(file) -> ModuleType:  # type: ignore[no-untyped-def]
    spec = spec_from_file_location(file.stem, file)
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.slow("a whole search of nine functions, and its tests line by line")
def test_every_statement_of_nine_textbook_functions_is_tested(project) -> None:  # type: ignore[no-untyped-def]
    (project.path / "textbook.py").write_text(TEXTBOOK)
    given = "--evosearch=900x", "--evosearch-units=textbook", "--evosearch-seed=1"
    once = "--evosearch-set", "plan.circumstances=first"
    result = project.pytester.runpytest_subprocess("-p", "pytest_evosearch.plugin", *given, *once)
    assert result.ret == 0

    (project.path / "conftest.py").write_text(
        "import sys\n\n"
        "seen = set()\n\n\n"
        "def note(frame, event, argument):\n"
        "    if frame.f_code.co_filename.endswith('textbook.py'):\n"
        "        seen.add(f'{frame.f_code.co_name}:{frame.f_lineno}')\n"
        "        return note\n\n\n"
        "def pytest_sessionstart():\n"
        "    sys.settrace(note)\n\n\n"
        "def pytest_sessionfinish():\n"
        "    sys.settrace(None)\n"
        "    with open('seen.txt', 'w') as file:\n"
        "        file.write(' '.join(seen))\n"
    )
    own = project.pytester.runpytest_subprocess("evosearch_units", "-p", "no:evosearch")
    assert own.ret == 0

    sys.dont_write_bytecode = True
    functions = vars(module_of(project.path / "textbook.py")).values()
    codes = [one.__code__ for one in functions if hasattr(one, "__code__")]
    statements = {f"{code.co_name}:{line}" for code in codes for line in lines_of(code)}
    assert len(codes) == 9
    assert statements - set((project.path / "seen.txt").read_text().split()) == set()
