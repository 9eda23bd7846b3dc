import pytest

NOW = {"X-Api-Version": "2024-06-01"}


def test_parcel_is_tracked(client):
    sent = client.post("/parcels", data={"postcode": "EH1 2NG"}, headers=NOW)

    assert sent.status_code == 201
    assert client.get("/parcels/1", headers=NOW).json["to"] == "Castlehill, Edinburgh"


@pytest.mark.parametrize("headers", [{}, {"X-Api-Version": "1999"}])
def test_version_is_needed(client, headers):
    assert client.get("/parcels/1", headers=headers).status_code == 400
