from __future__ import annotations

import calendar
import math

import pytest


def result(client, path):
    response = client.get(f"/api/{path}")
    assert response.status_code == 200
    assert response.mimetype == "text/plain"
    return response.text


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("PI/0/0", math.pi),
        ("e/0/0", math.e),
        ("sqrt/9/0", 3.0),
        ("log/1/0", 0.0),
        ("log/0/0", -math.inf),
        ("sine/1/0", math.sin(1)),
        ("cosine/1/0", math.cos(1)),
        ("tangent/1/0", math.tan(1)),
        ("plus/1/2", 3.0),
        ("subtract/1/2", -1.0),
        ("multiply/3/2", 6.0),
        ("divide/3/2", 1.5),
        ("divide/3/0", math.inf),
        ("divide/3/-0.0", -math.inf),
        ("modulo/3/2", 0.0),
    ],
)
def test_calc(client, path, expected):
    assert float(result(client, f"calc/{path}")) == expected


@pytest.mark.parametrize(
    "path",
    ["sqrt/-1/0", "log/-1/0", "sine/inf/0", "cosine/inf/0", "tangent/inf/0", "divide/0/0"],
)
def test_calc_gives_no_number(client, path):
    assert result(client, f"calc/{path}") == "nan"


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("userid/user123/x", "1"),
        ("USERID/USER123/x", "1"),
        ("userid/user12/x", "0"),
        ("userid/guest12/x", "0"),
        ("session/am/abc.com", "1"),
        ("session/am/abc.org", "2"),
        ("session/pm/abc.com", "2"),
        ("other/am/abc.com", "0"),
    ],
)
def test_cookie(client, path, expected):
    assert result(client, f"cookie/{path}") == expected


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("5/abab", "6"),
        ("-4/abab", "0"),
        ("-4/baab", "10"),
        ("-500/abab", "6"),
        ("700/abab", "6"),
        ("0/zzz", "10"),
    ],
)
def test_costfuns_the_last_comparison_decides(client, path, expected):
    assert result(client, f"costfuns/{path}") == expected


@pytest.mark.parametrize(
    ("path", "expected"),
    [("mon/jan", "2"), ("SUN/DEC", "13"), ("x/may", "5"), ("thur/x", "1"), ("thu/x", "0")],
)
def test_dateparse(client, path, expected):
    assert result(client, f"dateparse/{path}") == expected


@pytest.mark.parametrize("number", range(1, 13))
def test_dateparse_adds_the_number_of_the_month(client, number):
    month = calendar.month_abbr[number]

    assert result(client, f"dateparse/x/{month}") == str(number)


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("text/a.txt", "1"),
        ("acrobat/a.pdf", "2"),
        ("word/a.b.doc", "3"),
        ("bin/a.exe", "4"),
        ("lib/a.dll", "5"),
        ("text/a.pdf", "0"),
        ("acrobat/a.txt", "0"),
        ("word/a.txt", "0"),
        ("bin/a.txt", "0"),
        ("lib/a.exe", "0"),
        ("text/txt", "0"),
        ("Text/a.txt", "0"),
    ],
)
def test_filesuffix(client, path, expected):
    assert result(client, f"filesuffix/{path}") == expected


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("28/a", "3"),
        ("-2147483620/a", "-2147483620"),
        ("7/a", "3"),
        ("0/world", "2"),
        ("0/a", "0"),
    ],
)
def test_notypevar(client, path, expected):
    assert result(client, f"notypevar/{path}") == expected


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("aaaaa/bbbbb/dddddd/ccccc", "increasing"),
        ("ddddd/ccccc/aaaaa/bbbbbb", "decreasing"),
        ("aaaaa/bbbbb/ccccc/ddddd", "unordered"),
        ("aaaa/bbbbb/ddddd/ccccc", "unordered"),
        ("aaaaa/bbbbb/ddddddd/ccccc", "unordered"),
    ],
)
def test_ordered4_swaps_the_last_two(client, path, expected):
    assert result(client, f"ordered4/{path}") == expected


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("xabcx/abc", "1"),
        ("xcbax/abc", "2"),
        ("xabccba/abc", "1"),
        ("xxabcxcba/abc", "2"),
        ("xxxcbaabc/abc", "3"),
        ("xxxxcbaxabc/abc", "4"),
        ("nothing/abc", "0"),
        ("abdcbd/abc", "0"),
        ("abccxcbx/abc", "1"),
        ("cbaaxabx/abc", "2"),
        ("abab/ab", "0"),
        ("a/abc", "0"),
    ],
)
def test_pat(client, path, expected):
    assert result(client, f"pat/{path}") == expected


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("http//:some-host/page1", "url"),
        ("gopher//:a/b", "url"),
        ("mon12jan", "date"),
        ("12.5e+10", "fpe"),
        ("1.5e-10", "fpe"),
        ("1.5e-1", "none"),
        ("mon1jan", "none"),
        ("http//:9/a", "none"),
    ],
)
def test_regex(client, text, kind):
    assert result(client, f"pat/{text}") == kind


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("two/a/b", "2"),
        ("For/a/b", "4"),
        ("four/a/b", "4"),
        ("you/a/b", "u"),
        ("and/a/b", "n"),
        ("are/a/b", "r"),
        ("see/YOU/b", "cu"),
        ("by/the/way", "btw"),
        ("by/the/sea", ""),
    ],
)
def test_text2txt(client, path, expected):
    assert result(client, f"text2txt/{path}") == expected


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("male/mr", "1"),
        ("male/mrs", "-1"),
        ("FEMALE/LADY", "0"),
        ("female/sir", "-1"),
        ("none/rthon", "2"),
        ("none/mr", "-1"),
        ("other/dr", "-1"),
    ],
)
def test_title(client, path, expected):
    assert result(client, f"title/{path}") == expected


@pytest.mark.parametrize(
    "path",
    ["calc/plus/x/1", "costfuns/x/a", "costfuns/2147483648/a", "notypevar/-2147483649/a"],
)
def test_what_is_no_number_is_refused(client, path):
    assert client.get(f"/api/{path}").status_code == 400
