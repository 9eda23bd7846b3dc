def test_posts_are_public(client):
    page = client.get("/").text

    assert "First post" in page
    assert "edit" not in page


def test_writing_needs_an_account(client):
    assert client.get("/new").location == "/account/login"


def test_register_and_log_in(client, auth):
    registered = client.post("/account/register", data={"name": "cy", "password": "hidden"})
    assert registered.location == "/account/login"

    assert auth.login("cy", "hidden").location == "/"


def test_wrong_password(auth):
    assert "wrong password" in auth.login(password="x").text


def test_edit_own_post(client, auth):
    auth.login()

    client.post("/1/edit", data={"title": "Changed", "body": ""})

    assert "Changed" in client.get("/").text


def test_posts_of_others_are_theirs(client, auth):
    auth.login()

    assert client.post("/2/delete").status_code == 403
