from __future__ import annotations

import pytest

from pytest_evosearch.core.exception_texts import attribute_of
from pytest_evosearch.core.exception_texts import message_of
from pytest_evosearch.core.exception_texts import text_of_exception
from pytest_evosearch.errors import CutOff


class Silent(Exception):
    def __str__(self) -> str:
        raise KeyError("detail")


class Leaving(Exception):
    def __str__(self) -> str:
        raise SystemExit


class Numeric(Exception):
    def __str__(self) -> str:
        return 5  # type: ignore[return-value]


class Hanging(Exception):
    def __str__(self) -> str:
        raise CutOff


class Sly(str):
    __slots__ = ()

    def split(self, *_arguments: object) -> list[str]:  # type: ignore[override]
        raise RuntimeError


class Dressed(Exception):
    def __str__(self) -> str:
        return Sly("dressed up")


class Closed(Exception):
    @property
    def errno(self) -> int:
        raise RuntimeError


@pytest.mark.parametrize(
    ("error", "message"),
    [
        (Silent(), "<message unavailable: KeyError>"),
        (Leaving(), "<message unavailable: SystemExit>"),
        (Numeric(), "<message unavailable: TypeError>"),
        (ValueError("half \ud800 a pair"), "half \\ud800 a pair"),
        (Dressed(), "dressed up"),
        (ValueError("plain"), "plain"),
    ],
)
def test_whatever_an_exception_says_is_text_that_can_be_written(
    error: Exception, message: str
) -> None:
    assert message_of(error) == message
    assert type(message_of(error)) is str


def test_told_in_one_line_with_the_type() -> None:
    assert text_of_exception(ValueError("two\n  lines")) == "ValueError: two lines"
    assert text_of_exception(ValueError()) == "ValueError"
    assert text_of_exception(Dressed()) == "Dressed: dressed up"


def test_a_time_limit_reaches_through_the_reading() -> None:
    with pytest.raises(CutOff):
        message_of(Hanging())


def test_an_attribute_that_cannot_be_read_is_none() -> None:
    assert attribute_of(Closed(), "errno") is None
    assert attribute_of(OSError(5, "no"), "errno") == 5
