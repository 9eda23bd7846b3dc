def test_secret_is_kept(client):
    assert client.put("/secrets/door", data={"text": "under the mat"}).status_code == 204
    assert client.get("/secrets/door").json["text"] == "under the mat"


def test_old_requests_are_refused(client):
    assert client.get("/secrets/door", headers={"X-Sent-At": "1"}).status_code == 408


def test_wrong_signatures_are_refused(client):
    assert client.get("/secrets/door", headers={"X-Signature": "0"}).status_code == 403
