from __future__ import annotations

import pytest


def result(client, path):
    response = client.get(f"/api/{path}")
    assert response.status_code == 200
    assert response.json["resultAsDouble"] is None
    return response.json["resultAsInt"]


@pytest.mark.parametrize(
    ("sides", "kind"),
    [
        ("3/4/5", 1),
        ("3/3/5", 2),
        ("5/3/3", 2),
        ("3/5/3", 2),
        ("7/7/7", 3),
        ("0/1/1", 0),
        ("1/-1/1", 0),
        ("1/1/0", 0),
        ("9/4/5", 0),
        ("4/9/5", 0),
        ("4/5/9", 0),
        ("2147483647/2147483647/1", 2),
        ("2147483647/2147483646/2147483645", 1),
    ],
)
def test_triangle(client, sides, kind):
    assert result(client, f"triangle/{sides}") == kind


@pytest.mark.parametrize(
    ("numbers", "expected"),
    [
        ("7/3", 1),
        ("7/-3", 1),
        ("-7/3", -1),
        ("-7/-3", 1),
        ("6/3", 0),
        ("0/3", -1),
        ("3/0", -1),
        ("3/7", -1),
        ("10000/1", 0),
    ],
)
def test_remainder(client, numbers, expected):
    assert result(client, f"remainder/{numbers}") == expected


@pytest.mark.parametrize("numbers", ["10001/1", "-10001/1", "1/10001", "1/-10001"])
def test_remainder_of_too_large_numbers_is_refused(client, numbers):
    assert client.get(f"/api/remainder/{numbers}").status_code == 400


@pytest.mark.parametrize("side", ["x", "1.5", "2147483648", "-2147483649", "9" * 5000])
def test_what_is_no_32_bit_integer_is_refused_with_an_empty_body(client, side):
    response = client.get(f"/api/triangle/{side}/1/1")

    assert response.status_code == 400
    assert response.data == b""
