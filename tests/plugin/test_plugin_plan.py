from __future__ import annotations


def test_plan_prints_the_block_and_stops(shop) -> None:
    result = shop.search("--evosearch-plan", script="load")
    assert result.ret == 0
    result.stdout.fnmatch_lines(
        [
            (
                'evosearch: app      shop.create_app()              fixture "app" (conftest.py:*), '
                "function scope"
            ),
            '           client   fixture "client"',
        ]
    )
    result.stdout.no_fnmatch_line("*%*")
    result.stdout.no_fnmatch_line("*= evosearch =*")


def test_plan_alone_is_enough(shop) -> None:
    assert shop.run("--evosearch-plan", "--evosearch-level=0").ret == 0
    assert shop.told["settings"]["plan"] is True


def test_plan_is_shown_when_quiet(shop) -> None:
    result = shop.search("--evosearch-plan", "-q", script="load")
    result.stdout.fnmatch_lines(["evosearch: app *"])


def test_collect_only_lists_endpoints_and_spends_nothing(shop) -> None:
    result = shop.search("--collect-only")
    assert result.ret == 0
    result.stdout.fnmatch_lines(["GET /  (page, size)", "1 endpoint, 12 targets known"])
    assert shop.told["settings"]["plan"] is True
    result.stdout.no_fnmatch_line("*test_index*")
