"""Every planted bug can be reached; they are the point of this application and stay."""

from __future__ import annotations

import statistics

import pytest

ADMIN = {"X-Admin-Key": "change-me"}
CARD = {"card": "4242424242424242", "expires": "12/2090"}


def test_1_token_of_a_deleted_account(customer):
    customer.send("DELETE", "/accounts/me")

    with pytest.raises(TypeError):
        customer.send("GET", "/accounts/me")


def test_2_birthday_on_the_29th_of_february(customer):
    customer.login("leap@example.org", birthday="1996-02-29")

    with pytest.raises(ValueError, match="day"):
        customer.send("GET", "/accounts/me")


def test_3_language_without_a_country(customer):
    with pytest.raises(IndexError):
        customer.send("PATCH", "/accounts/me", {"language": "en"})


def test_4_unknown_sorting_downwards(client):
    with pytest.raises(KeyError):
        client.get("/api/products?sort=-x")


def test_5_pages_without_products(client):
    with pytest.raises(ZeroDivisionError):
        client.get("/api/products?size=0")


def test_6_unknown_country_in_francs(client):
    with pytest.raises(KeyError):
        client.get("/api/products/1/price?currency=CHF&country=XX")


def test_7_category_below_itself(client):
    client.post("/api/categories", json={"name": "a", "parent": "a"}, headers=ADMIN)

    with pytest.raises(RecursionError):
        client.get("/api/categories/a")


def test_8_no_review_is_good_enough(client, customer):
    customer.send("POST", "/products/1/reviews", {"stars": 2, "text": "So so"})

    with pytest.raises(ZeroDivisionError):
        client.get("/api/products/1/reviews?stars=3")


def test_9_product_in_a_cart_is_deleted(client, customer):
    customer.send("PUT", "/cart/1", {"quantity": 1})
    client.delete("/api/products/1", headers=ADMIN)

    with pytest.raises(TypeError):
        customer.send("GET", "/cart")


def test_10_coupon_without_an_end(client, customer):
    client.post("/api/coupons", json={"code": "X", "percent": 5}, headers=ADMIN)

    with pytest.raises(TypeError):
        customer.send("POST", "/cart/coupon", {"code": "X"})


@pytest.mark.parametrize("expires", ["13/2090", "1/0"])
def test_11_card_that_expires_never(customer, expires):
    customer.send("PUT", "/cart/1", {"quantity": 1})
    order_id = customer.send("POST", "/orders", {"country": "DE"}).json["id"]

    with pytest.raises(ValueError, match=r"must be in|out of range"):
        customer.send("POST", f"/orders/{order_id}/pay", {**CARD, "expires": expires})


def test_12_invoice_of_a_returned_order(customer):
    customer.send("PUT", "/cart/1", {"quantity": 1})
    order_id = customer.send("POST", "/orders", {"country": "DE"}).json["id"]
    customer.send("POST", f"/orders/{order_id}/pay", CARD)
    customer.send("POST", f"/orders/{order_id}/return", {"reason": "too small"})

    with pytest.raises(ZeroDivisionError):
        customer.send("GET", f"/orders/{order_id}/invoice")


def test_13_median_of_no_orders(client):
    with pytest.raises(statistics.StatisticsError):
        client.get("/api/reports/sales?detail=median", headers=ADMIN)
