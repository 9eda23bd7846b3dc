def test_search(client):
    response = client.get("/api/books?q=a&in_stock=yes&order=price")

    assert [book["title"] for book in response.json] == ["Emma", "Walden"]


def test_create_and_order(client):
    book = {"title": "Middlemarch", "author": "George Eliot", "price_in_cents": 1000, "stock": 2}
    created = client.post("/api/books", json=book)
    assert created.status_code == 201

    order = {"book_id": created.json["id"], "quantity": 2, "discount": "student"}
    ordered = client.post("/api/orders", json=order)

    assert ordered.status_code == 201
    assert ordered.json["total_in_cents"] == 1800
    assert client.delete(f"/api/books/{created.json['id']}").status_code == 409


def test_order_more_than_there_is(client):
    response = client.post("/api/orders", json={"book_id": 2})

    assert response.status_code == 409


def test_catalogue(client):
    assert "only 3 left" in client.get("/").text
