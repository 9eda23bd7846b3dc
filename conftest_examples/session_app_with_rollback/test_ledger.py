def test_deposit_and_withdraw(client):
    account = client.post("/accounts", json={"owner": "Ann"}).json["id"]
    client.post(f"/accounts/{account}/deposit", json={"amount": 50})

    response = client.post(f"/accounts/{account}/withdraw", json={"amount": 20})

    assert response.json["balance"] == 30


def test_overdraft_is_refused(client):
    account = client.post("/accounts", json={"owner": "Ann"}).json["id"]

    assert client.post(f"/accounts/{account}/withdraw", json={"amount": 1}).status_code == 409
    assert client.get("/accounts").json[0]["balance"] == 0


def test_every_test_starts_empty(client):
    assert client.get("/accounts").json == []
