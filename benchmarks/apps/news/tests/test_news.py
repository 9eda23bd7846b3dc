from __future__ import annotations

import pytest

NORWEGIAN = {"authorId": "ann", "text": "Snow", "country": "Norway"}
SWEDISH = {"authorId": "bo", "text": "Sun", "country": "sweden"}
TIME = "2024-05-06T07:08:09Z"


@pytest.fixture
def news_id(client):
    return client.post("/news", json=NORWEGIAN).json


def test_countries(client):
    countries = client.get("/countries").json

    assert len(countries) == len(set(countries)) == 247
    assert {"Norway", "Åland Islands", "The Bahamas"} <= set(countries)


def test_create_answers_with_a_numeric_id(client):
    response = client.post("/news", json=NORWEGIAN)

    assert response.status_code == 201
    assert response.json == 1
    assert "Location" not in response.headers


def test_create_in_the_versioned_media_type(client):
    media_type = "application/vnd.tsdes.news+json;charset=UTF-8;version=2"

    response = client.post("/news", json=NORWEGIAN, headers={"Content-Type": media_type})

    assert response.status_code == 201


@pytest.mark.parametrize(
    "change",
    [
        {"id": "1"},
        {"newsId": "1"},
        {"creationTime": TIME},
        {"creationTime": "yesterday"},
        {"authorId": None},
        {"text": None},
        {"country": None},
        {"authorId": ["ann"]},
        {"authorId": " "},
        {"authorId": "a" * 33},
        {"text": ""},
        {"text": "a" * 1025},
        {"country": "Atlantis"},
    ],
    ids=str,
)
def test_create_refuses(client, change):
    response = client.post("/news", json={**NORWEGIAN, **change})

    assert response.status_code == 400
    assert client.get("/news").json == []


def test_violations_are_joined(client):
    response = client.post("/news", json={"authorId": "", "text": "", "country": ""})

    assert response.text == (
        "authorId must not be blank, text must not be blank, country is not valid"
    )


@pytest.mark.parametrize(("body", "status"), [("[]", 400), ("{", 400)])
def test_create_refuses_what_is_no_object(client, body, status):
    response = client.post("/news", data=body, content_type="application/json")

    assert response.status_code == status


def test_create_refuses_other_media_types(client):
    assert client.post("/news", data={"text": "a"}).status_code == 415


def test_get(client, news_id):
    news = client.get(f"/news/{news_id}").json

    assert news.pop("creationTime")
    assert news == {**NORWEGIAN, "newsId": str(news_id), "id": str(news_id)}


def test_scalars_become_strings(client):
    news_id = client.post("/news", json={**NORWEGIAN, "authorId": 7, "text": "\ud800"}).json

    news = client.get(f"/news/{news_id}").json
    assert (news["authorId"], news["text"]) == ("7", "?")


@pytest.mark.parametrize("path", ["7", "x", str(2**63)])
def test_get_what_is_missing(client, path):
    assert client.get(f"/news/{path}").status_code == 404


@pytest.mark.parametrize(
    ("query", "texts"),
    [
        ("", ["Snow", "Sun"]),
        ("?country=Norway", ["Snow"]),
        ("?country=norway", []),
        ("?authorId=bo", ["Sun"]),
        ("?country=sweden&authorId=bo", ["Sun"]),
        ("?country=Norway&authorId=bo", []),
        ("?country=%20&authorId=%20", ["Snow", "Sun"]),
    ],
)
def test_list(client, query, texts):
    client.post("/news", json=NORWEGIAN)
    client.post("/news", json=SWEDISH)

    assert [news["text"] for news in client.get(f"/news{query}").json] == texts


@pytest.mark.parametrize("name", ["id", "newsId"])
def test_replace(client, news_id, name):
    body = {**SWEDISH, name: str(news_id), "creationTime": TIME}

    response = client.put(f"/news/{news_id}", json=body)

    assert response.status_code == 204
    news = client.get(f"/news/{news_id}").json
    assert (news["text"], news["creationTime"]) == ("Sun", "2024-05-06T07:08:09+00:00")


@pytest.mark.parametrize(
    ("path", "change", "status"),
    [
        ("1", {"id": None}, 404),
        ("1", {"id": "x"}, 404),
        ("1", {"id": str(2**63)}, 404),
        ("2", {"id": "1"}, 409),
        ("01", {"id": "1"}, 409),
        ("2", {"id": "2"}, 404),
        ("1", {"newsId": "2"}, 409),
        ("1", {"text": None}, 400),
        ("1", {"creationTime": None}, 400),
        ("1", {"country": "Atlantis"}, 400),
        ("1", {}, 204),
    ],
    ids=str,
)
def test_replace_statuses(client, news_id, path, change, status):
    body = {**NORWEGIAN, "id": str(news_id), "creationTime": TIME, **change}

    assert client.put(f"/news/{path}", json=body).status_code == status


def test_replace_takes_plain_json_only(client, news_id):
    headers = {"Content-Type": "application/vnd.tsdes.news+json"}

    assert client.put(f"/news/{news_id}", json={}, headers=headers).status_code == 415


@pytest.mark.parametrize(
    ("path", "text", "status"),
    [
        ("1", "Rain", 204),
        ("1", " ", 400),
        ("1", "a" * 1025, 400),
        ("2", "Rain", 404),
        ("x", "Rain", 400),
    ],
)
def test_replace_text(client, news_id, path, text, status):
    response = client.put(f"/news/{path}/text", data=text, content_type="text/plain")

    assert response.status_code == status


def test_replace_text_takes_plain_text_only(client, news_id):
    assert client.put(f"/news/{news_id}/text", json="Rain").status_code == 415


@pytest.mark.parametrize(("path", "status"), [("1", 204), ("2", 404), ("x", 400)])
def test_delete(client, news_id, path, status):
    assert client.delete(f"/news/{path}").status_code == status


def test_what_is_deleted_is_missing(client, news_id):
    client.delete(f"/news/{news_id}")

    assert client.get(f"/news/{news_id}").status_code == 404
