def test_pieces_are_added(client):
    assert client.post("/pieces?number=3").json == {"count": 3}
    assert client.get("/pieces").json == {"pieces": ["apple"] * 3}


def test_a_basket_has_room_for_a_dozen_at_once(client):
    assert client.post("/pieces?number=13").status_code == 413


def test_hill_climbing_conforms():
    import pytest
    from conftest import HillClimbing

    conformance = pytest.importorskip("pytest_evosearch.search.conformance")
    conformance.run_conformance(HillClimbing)
