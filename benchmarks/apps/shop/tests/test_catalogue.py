from __future__ import annotations

import pytest

ADMIN = {"X-Admin-Key": "change-me"}
PRODUCT = {"name": "Go", "category": "games", "price": 3000, "stock": 5}


@pytest.mark.parametrize(
    ("query", "names"),
    [
        ("", ["Chess", "Kite", "Riesling"]),
        ("q=i", ["Kite", "Riesling"]),
        ("category=games", ["Chess"]),
        ("sort=-price", ["Chess", "Kite", "Riesling"]),
        ("sort=newest&size=2&page=2", ["Riesling"]),
        ("available=yes&size=1", ["Chess"]),
    ],
)
def test_search(client, query, names):
    products = client.get(f"/api/products?{query}").json["products"]

    assert [product["name"] for product in products] == names


@pytest.mark.parametrize(
    ("query", "status"), [("sort=size", 400), ("page=9", 404), ("page=0", 400), ("size=51", 400)]
)
def test_search_is_refused(client, query, status):
    assert client.get(f"/api/products?{query}").status_code == status


def test_life_of_a_product(client):
    created = client.post("/api/products", json=PRODUCT, headers=ADMIN)
    assert created.status_code == 201
    path = f"/api/products/{created.json['id']}"

    replaced = client.put(path, json={**PRODUCT, "price": 1}, headers=ADMIN)
    assert replaced.json["price"] == client.get(path).json["price"] == 1

    assert client.delete(path, headers=ADMIN).status_code == 204
    assert client.get(path).status_code == 404


@pytest.mark.parametrize("change", [{"price": 0}, {"stock": 1001}, {"price": "1"}, {"name": " "}])
def test_product_is_checked(client, change):
    response = client.post("/api/products", json={**PRODUCT, **change}, headers=ADMIN)

    assert response.status_code == 400


@pytest.mark.parametrize(("headers", "status"), [({}, 401), ({"X-Admin-Key": "x"}, 403)])
def test_administration_needs_the_key(client, headers, status):
    assert client.post("/api/products", json=PRODUCT, headers=headers).status_code == status


@pytest.mark.parametrize(
    ("query", "total"),
    [
        ("", 1500),
        ("quantity=10", 14250),
        ("quantity=100", 127500),
        ("country=DE", 1785),
        ("currency=chf&country=CH", 1539),
        ("country=XX", 1500),
    ],
)
def test_price(client, query, total):
    assert client.get(f"/api/products/1/price?{query}").json["total"] == total


@pytest.mark.parametrize(("query", "status"), [("currency=USD", 422), ("quantity=0", 400)])
def test_price_is_refused(client, query, status):
    assert client.get(f"/api/products/1/price?{query}").status_code == status


def test_categories(client):
    body = {"name": "chess", "parent": "games"}
    assert client.post("/api/categories", json=body, headers=ADMIN).status_code == 201
    assert client.post("/api/categories", json=body, headers=ADMIN).status_code == 409
    body = {"name": "go", "parent": "nothing"}
    assert client.post("/api/categories", json=body, headers=ADMIN).status_code == 422

    assert client.get("/api/categories/chess").json["path"] == ["toys", "games", "chess"]
    assert client.get("/api/categories/go").status_code == 404
    assert len(client.get("/api/categories").json) == 4


def test_reviews(client, customer):
    review = {"stars": 4, "text": "It flies"}
    created = customer.send("POST", "/products/1/reviews", review)
    assert created.status_code == 201
    assert customer.send("POST", "/products/1/reviews", review).status_code == 409
    assert client.get("/api/products/1/reviews").json["average"] == 4

    path = f"/reviews/{created.json['id']}"
    assert customer.login("bo@example.org").send("DELETE", path).status_code == 403
    assert customer.login("ann@example.org").send("DELETE", path).status_code == 204
    assert customer.send("DELETE", path).status_code == 404


def test_bad_review_needs_a_reason(customer):
    review = {"stars": 1, "text": "Bad"}

    assert customer.send("POST", "/products/1/reviews", review).status_code == 422
