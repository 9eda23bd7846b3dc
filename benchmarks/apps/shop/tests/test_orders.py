from __future__ import annotations

import pytest

CARD = {"card": "4242 4242 4242 4242", "expires": "12/2090"}


@pytest.fixture
def order(customer):
    """An open order of two kites."""
    customer.send("PUT", "/cart/1", {"quantity": 2})
    return customer.send("POST", "/orders", {"country": "de"}).json


def test_cart(customer):
    customer.send("PUT", "/cart/1", {"quantity": 2})
    customer.send("POST", "/cart/coupon", {"code": "spring"})

    cart = customer.send("GET", "/cart").json
    assert (cart["total"], cart["discount"]) == (3000, 300)

    assert customer.send("DELETE", "/cart/1").status_code == 204
    assert customer.send("DELETE", "/cart/1").status_code == 404


def test_coupon_below_its_minimum(customer):
    customer.send("PUT", "/cart/1", {"quantity": 2})
    customer.send("POST", "/cart/coupon", {"code": "BIGCART"})

    assert customer.send("GET", "/cart").json["discount"] == 0


def test_wine_is_for_adults(customer):
    assert customer.send("PUT", "/cart/3", {"quantity": 1}).status_code == 403

    customer.login("old@example.org", birthday="1980-01-02")
    assert customer.send("PUT", "/cart/3", {"quantity": 1}).status_code == 204


@pytest.mark.parametrize(
    ("path", "quantity", "status"), [("2", 4, 409), ("9", 1, 404), ("1", 0, 400)]
)
def test_cart_is_refused(customer, path, quantity, status):
    assert customer.send("PUT", f"/cart/{path}", {"quantity": quantity}).status_code == status


def test_unknown_coupon(customer):
    assert customer.send("POST", "/cart/coupon", {"code": "x"}).status_code == 404


def test_expired_coupon(client, customer):
    coupon = {"code": "OLD", "percent": 5, "until": "2020-01-01"}
    client.post("/api/coupons", json=coupon, headers={"X-Admin-Key": "change-me"})

    assert customer.send("POST", "/cart/coupon", {"code": "OLD"}).status_code == 409


def test_order(customer, order):
    assert (order["total"], order["shipping"], order["status"]) == (3000, 400, "open")
    assert customer.send("GET", "/cart").json["lines"] == []
    assert customer.send("GET", "/products/1").json["stock"] == 18
    assert customer.send("GET", "/orders?status=open").json == [order]
    assert customer.send("GET", f"/orders/{order['id']}").json == order


def test_express_and_free_shipping(customer):
    customer.send("PUT", "/cart/1", {"quantity": 8})
    order = customer.send("POST", "/orders", {"country": "FR", "express": True}).json

    assert order["shipping"] == 300


@pytest.mark.parametrize(("country", "status"), [("XX", 422), ("DE", 409)])
def test_order_is_refused(customer, country, status):
    assert customer.send("POST", "/orders", {"country": country}).status_code == status


@pytest.mark.parametrize(
    "change",
    [{"card": "4242"}, {"card": "4242424242424241"}, {"expires": "x"}, {"expires": "1/2020"}],
    ids=str,
)
def test_payment_is_refused(customer, order, change):
    response = customer.send("POST", f"/orders/{order['id']}/pay", {**CARD, **change})

    assert response.status_code == 422


def test_pay_invoice_return(customer, order):
    path = f"/orders/{order['id']}"
    assert customer.send("GET", f"{path}/invoice").status_code == 409
    assert customer.send("POST", f"{path}/return", {"reason": "broken"}).status_code == 409
    assert customer.send("POST", f"{path}/pay", CARD).json["status"] == "paid"
    assert customer.send("POST", f"{path}/pay", CARD).status_code == 409
    assert customer.send("POST", f"{path}/cancel").status_code == 409
    assert customer.send("DELETE", "/accounts/me").status_code == 409
    assert customer.send("GET", f"{path}/invoice").json["percent"] == 0
    assert customer.send("GET", f"{path}/invoice?format=text").text == "2 Kite 1500\ntotal 3400"

    returned = customer.send("POST", f"{path}/return", {"reason": "Broken string"})

    assert (returned.json["status"], returned.json["total"]) == ("returned", -400)


def test_cancel_puts_it_back_on_the_shelf(customer, order):
    assert customer.send("POST", f"/orders/{order['id']}/cancel").json["status"] == "cancelled"
    assert customer.send("GET", "/products/1").json["stock"] == 20


def test_orders_of_others_are_unknown(customer, order):
    customer.login("bo@example.org")

    assert customer.send("GET", f"/orders/{order['id']}").status_code == 404


def test_report(client, customer, order):
    headers = {"X-Admin-Key": "change-me"}

    assert client.get("/api/reports/sales", headers=headers).json == {"orders": 1, "revenue": 3000}
    wrong = client.get("/api/reports/sales?since=2030-01-01&until=2020-01-01", headers=headers)
    assert wrong.status_code == 422


@pytest.mark.parametrize(
    ("change", "status"),
    [({}, 201), ({"code": "a b"}, 422), ({"code": "SPRING"}, 409), ({"percent": 91}, 400)],
    ids=str,
)
def test_coupons(client, change, status):
    coupon = {"code": "NEW", "percent": 10, "minimum": 100, **change}

    response = client.post("/api/coupons", json=coupon, headers={"X-Admin-Key": "change-me"})

    assert response.status_code == status


def test_health(client):
    assert client.get("/api/health").json == {"products": 3}
