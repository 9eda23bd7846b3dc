"""The expected values are SciPy's: jv, expn, f.cdf and gammaincc."""

from __future__ import annotations

import pytest


def result(client, path):
    response = client.get(f"/api/{path}")
    assert response.status_code == 200
    assert response.json["resultAsInt"] is None
    return response.json["resultAsDouble"]


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("bessj/3/1.5", 0.06096395114113964),
        ("bessj/3/-1.5", -0.06096395114113964),
        ("bessj/4/-1.5", 0.011768132420343793),
        ("bessj/3/10", 0.05837937930518667),
        ("bessj/3/7.9", -0.2894950400052376),
        ("bessj/5/50", -0.08140024769656964),
        ("bessj/10/9.9", 0.19901352409053372),
        ("bessj/1000/1", 0.0),
        ("bessj/3/0", 0.0),
        ("expint/0/2", 0.06766764161830635),
        ("expint/1/0.5", 0.5597735947761608),
        ("expint/5/0.7", 0.10195968068159111),
        ("expint/13/1", 0.02812077997294261),
        ("expint/100/0.5", 0.006095474587318911),
        ("expint/1/3", 0.01304838109419704),
        ("expint/3/4", 0.002761360945689982),
        ("expint/2/0", 1.0),
        ("fisher/1/1/2", 0.6081734479693928),
        ("fisher/1/2/2", 0.7071067811865476),
        ("fisher/2/1/2", 0.552786404500042),
        ("fisher/2/2/2", 0.6666666666666667),
        ("fisher/3/5/1.5", 0.6778346286938095),
        ("fisher/5/4/0.7", 0.3471312703925079),
        ("fisher/1/8/3", 0.8784970811828869),
        ("fisher/10/20/1", 0.5244995315671084),
        ("gammq/1/0", 1.0),
        ("gammq/1/1", 0.36787944117144245),
        ("gammq/0.5/0.2", 0.5270892568655381),
        ("gammq/2/5", 0.04042768199451279),
        ("gammq/100/120", 0.027863739890520652),
    ],
)
def test_known_value(client, path, expected):
    assert result(client, path) == pytest.approx(expected, abs=5e-8)


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("bessj/3/inf", "NaN"),
        ("expint/0/5e-324", "Infinity"),
        ("expint/2147483647/2", pytest.approx(6.302e-11, rel=1e-3)),
        ("fisher/0/0/1", "NaN"),
        ("fisher/1/1/-5", "NaN"),
        ("fisher/3/4/-2", 0.0),
        ("fisher/2/2/-3", 1.0),
        ("fisher/-2147483648/-2147483648/1", 1.0),
        ("gammq/1e308/1.1e308", "NaN"),
    ],
)
def test_arithmetic_never_raises(client, path, expected):
    assert result(client, path) == expected


@pytest.mark.parametrize(
    "path",
    [
        "bessj/2/1",
        "bessj/1001/1",
        "bessj/3/x",
        "expint/-1/1",
        "expint/1/-1",
        "expint/0/0",
        "expint/1/0",
        "expint/2/nan",
        "expint/2/inf",
        "fisher/1001/1/1",
        "fisher/1/1001/1",
        "gammq/0/1",
        "gammq/1/-1",
        "gammq/1e6/1e6",
        "gammq/1e20/1e20",
    ],
)
def test_refused(client, path):
    assert client.get(f"/api/{path}").status_code == 400
