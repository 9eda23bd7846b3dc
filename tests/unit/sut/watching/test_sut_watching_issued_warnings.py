from __future__ import annotations

import warnings

import pytest

from pytest_evosearch.sut.watching.issued_warnings import by_its_words
from pytest_evosearch.sut.watching.issued_warnings import filter_name
from pytest_evosearch.sut.watching.issued_warnings import warnings_noted


def test_every_class_is_noted_though_filters_hide_it_or_make_it_an_error() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with warnings_noted() as classes:
            for _time in range(2):
                warnings.warn("old", DeprecationWarning, stacklevel=1)
                warnings.warn("older", FutureWarning, stacklevel=1)
        with pytest.raises(UserWarning):
            warnings.warn("now", UserWarning, stacklevel=1)

    assert classes == {"DeprecationWarning", "FutureWarning"}


def test_what_the_application_allows_itself_is_not_noted() -> None:
    with warnings_noted() as classes, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        warnings.warn("allowed", UserWarning, stacklevel=1)

    assert classes == set()


def test_only_a_class_that_can_be_imported_has_a_name() -> None:
    class Local(UserWarning):
        pass

    assert filter_name(pytest.PytestConfigWarning) == "pytest.PytestConfigWarning"
    assert filter_name(Local) == ""
    assert filter_name(ResourceWarning) == ""


def test_a_warning_of_a_library_is_told_by_its_words_and_the_class_of_python() -> None:
    kind = pytest.PytestConfigWarning

    assert by_its_words("The key is 9 bytes long", kind) == "The key is:UserWarning"
    assert by_its_words("The Query.get() method", kind) == "The Query.get:UserWarning"
    assert by_its_words("7 keys", kind) == ""
    assert by_its_words("The key is old", DeprecationWarning) == ""
