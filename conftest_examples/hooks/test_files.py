def test_write_and_read(client):
    written = client.put("/files/a.txt", data=b"abc")

    assert written.status_code == 201
    assert client.get("/files/a.txt").data == b"abc"


def test_names_with_a_dot_in_front_are_refused(client):
    assert client.put("/files/.profile", data=b"abc").status_code == 400


def test_every_test_starts_empty(client):
    assert client.get("/files").json == []
