def test_hello(client):
    assert client.get("/hello/Ann").text == "Hello, Ann!"


def test_unknown_language(client):
    assert client.get("/hello/Ann?language=xx").status_code == 404


def test_visitors_are_remembered_once(client):
    client.get("/hello/Ann")
    client.get("/hello/Ann?language=de")

    assert client.get("/").json == {"languages": ["de", "en", "nb"], "visitors": 1}
