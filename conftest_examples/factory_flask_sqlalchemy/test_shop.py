def test_create_and_show(client):
    created = client.post("/items", json={"name": "Lamp", "price": 30})

    assert created.status_code == 201
    assert client.get(f"/items/{created.json['id']}").json["name"] == "Lamp"


def test_names_are_unique(client):
    client.post("/items", json={"name": "Lamp", "price": 30})

    assert client.post("/items", json={"name": "Lamp", "price": 40}).status_code == 409


def test_every_test_starts_empty(client):
    assert client.get("/items").json == []
