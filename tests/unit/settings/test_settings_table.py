from __future__ import annotations

from dataclasses import dataclass
from dataclasses import is_dataclass
from pathlib import Path

import pytest

from pytest_evosearch.core.budget import Budget
from pytest_evosearch.errors import InvalidSetting
from pytest_evosearch.search.algorithms import ALGORITHMS as REGISTERED
from pytest_evosearch.settings.checked import CommandSettings
from pytest_evosearch.settings.checked import Settings
from pytest_evosearch.settings.checked import build_settings
from pytest_evosearch.settings.options import ALGORITHMS
from pytest_evosearch.settings.options import OPTIONS
from pytest_evosearch.settings.options import Kind
from pytest_evosearch.settings.options import option_named
from pytest_evosearch.settings.tunables import TUNABLES
from pytest_evosearch.settings.tunables import Tunable
from pytest_evosearch.settings.tunables import parse_tunables
from pytest_evosearch.settings.tunables import tunables_in


def build(**values: object) -> Settings:
    return build_settings(values, rootdir=Path(), seed=1)


def test_names_of_flags_and_keys() -> None:
    assert option_named("budget").flag == "--evosearch"
    assert option_named("budget").key == "evosearch"
    assert option_named("allow_db").flag == "--evosearch-allow-db"
    assert option_named("allow_db").key == "evosearch_allow_db"


def test_every_option_explains_itself() -> None:
    for option in OPTIONS:
        assert option.help[0].isupper()
        assert not option.help.endswith(".")
        assert (option.metavar is None) == (option.kind is Kind.SWITCH)


def test_every_name_is_used_once() -> None:
    assert len({option.key for option in OPTIONS}) == len(OPTIONS)


def test_unknown_option_is_no_row() -> None:
    with pytest.raises(KeyError):
        option_named("speed")


def test_algorithms_are_those_that_are_registered() -> None:
    assert list(ALGORITHMS) == REGISTERED.names


def test_nothing_given_means_the_documented_defaults() -> None:
    settings = build()
    command_line = CommandSettings(reproduce="pytest --evosearch")
    assert settings == Settings(Budget.parse("10m"), 1, Path(), command_line=command_line)


def parts_of(settings: Settings) -> list[object]:
    return [settings, *(part for part in vars(settings).values() if is_dataclass(part))]


def test_defaults_of_the_table_are_those_of_the_settings() -> None:
    values = {name: value for part in parts_of(build()) for name, value in vars(part).items()}
    for option in OPTIONS:
        if option.default is not None:
            assert values[option.name] == option.default


def test_given_values_arrive_typed() -> None:
    settings = build(budget="5x", seed="7", level="2", output="made", fail_on=["fault"])
    assert settings.budget.evaluations == 5
    assert (settings.seed, settings.search.level) == (7, 2)
    assert settings.suite.output == Path("made")
    assert settings.reports.fail_on == {"fault"}


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("budget", "soon"),
        ("budget", "0s"),
        ("seed", "x"),
        ("level", 9),
        ("level", -1),
        ("algorithm", "moi"),
        ("faults", "maybe"),
        ("fail_on", ["fault", "bug"]),
        ("set", ["a=1"]),
    ],
)
def test_bad_value_is_refused_in_one_line(name: str, value: object) -> None:
    with pytest.raises(InvalidSetting) as raised:
        build(**{name: value})
    assert "\n" not in str(raised.value)


def test_last_assignment_of_a_tunable_wins() -> None:
    assert parse_tunables(["test.max_calls = 3", "test.max_calls=4"]) == {"test.max_calls": "4"}


@pytest.mark.parametrize("text", ["nan", "-1", "inf", "1e400", "", "ten"])
def test_numbers_out_of_range_are_refused(text: str) -> None:
    with pytest.raises(InvalidSetting, match="takes a number"):
        Tunable(0.5).parse("mio.focus", text)


def test_text_tunables_take_any_word() -> None:
    assert Tunable("lowest").parse("mio.sampling", "quickest") == "quickest"


def test_tunable_has_its_type() -> None:
    settings = build(set=["request.timeout=2"])
    assert settings.tunable("request.timeout") == 2.0
    assert settings.tunable("test.max_calls") == TUNABLES["test.max_calls"].default


def test_tunables_of_algorithms_are_added_by_the_caller() -> None:
    known = {**TUNABLES, "mio.focus": Tunable(0.5)}
    settings = build_settings({"set": ["mio.focus=0.7"]}, rootdir=Path(), seed=1, tunables=known)
    assert settings.tunables == {"mio.focus": "0.7"}
    with pytest.raises(InvalidSetting, match="unknown tunable"):
        build(set=["mio.focus=0.7"])


@pytest.mark.parametrize("url", ["http://127.0.0.1:5000", "https://shop.example.org/"])
def test_the_address_of_a_server_has_no_slash_at_its_end(url: str) -> None:
    assert build(url=url).application.url == url.rstrip("/")


@pytest.mark.parametrize(
    "url", ["shop", "//shop", "ftp://shop", "http://", "http://shop/a", "http://[", "http://a?b"]
)
def test_what_is_no_address_of_a_server_is_refused(url: str) -> None:
    with pytest.raises(InvalidSetting, match="write --evosearch-url=http://"):
        build(url=url)


def test_a_browser_visits_no_server_that_runs_elsewhere() -> None:
    assert build(browser=True).search.browser
    with pytest.raises(InvalidSetting, match="--evosearch-browser cannot be used with"):
        build(browser=True, url="http://127.0.0.1:5000")


def test_what_only_a_browser_shows_needs_one() -> None:
    assert build(browser=True, oracles=("default", "overflow")).search.browser
    assert build(oracles=("all",)).search.oracles == ("all",)
    with pytest.raises(InvalidSetting, match="=overflow is what a browser shows: add"):
        build(oracles=("default", "overflow"))


def test_a_password_in_the_address_is_not_repeated() -> None:
    with pytest.raises(InvalidSetting) as caught:
        build(url="http://ann:secret@shop")
    assert "secret" not in str(caught.value)


@dataclass(frozen=True)
class Foreign:
    """Parameters of an algorithm that does not ship."""

    shift: int = -3
    eager: bool = True


@pytest.mark.parametrize(("text", "value"), [("true", True), ("False", False)])
def test_a_switch_is_read_as_a_switch(text: str, value: bool) -> None:
    assert tunables_in(Foreign)["eager"].parse("own.eager", text) is value


def test_a_switch_is_nothing_else() -> None:
    with pytest.raises(InvalidSetting, match=r"'own.eager' takes true or false, not 'maybe'"):
        tunables_in(Foreign)["eager"].parse("own.eager", "maybe")


def test_a_plain_field_takes_any_number() -> None:
    assert tunables_in(Foreign)["shift"].parse("own.shift", "-7") == -7
    with pytest.raises(InvalidSetting, match=r"'own.shift' takes a whole number, not 'nan'"):
        tunables_in(Foreign)["shift"].parse("own.shift", "nan")
