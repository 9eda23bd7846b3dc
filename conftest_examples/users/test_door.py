import pytest


def test_anonymous(client):
    assert client.get("/me").status_code == 401


def test_key(client, evosearch_users):
    assert client.get("/me", headers=evosearch_users["key"]).json == {"user": "alice"}


def test_basic(client, evosearch_users):
    assert client.delete("/messages", auth=evosearch_users["admin"]).json == {"deleted": 0}


def test_cookie(client, evosearch_users):
    evosearch_users["cookie"](client)

    client.post("/messages", data={"text": "hi"})

    assert client.get("/messages").json == ["hi"]


@pytest.mark.parametrize("password", ["", "wrong"])
def test_wrong_password(client, password):
    assert client.get("/me", auth=("root", password)).status_code == 401
