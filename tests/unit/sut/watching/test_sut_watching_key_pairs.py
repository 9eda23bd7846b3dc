"""The private half of a key pair, found in what an application keeps."""

from __future__ import annotations

import pytest

from pytest_evosearch.sut.watching.key_pairs import MOST_LOOKS
from pytest_evosearch.sut.watching.key_pairs import KeyPairs
from pytest_evosearch.sut.watching.key_pairs import public_part

pytest.importorskip("cryptography")

from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec


@pytest.fixture(scope="module")
def private():
    return ec.generate_private_key(ec.SECP256R1())


def pem_of_private(key):
    return key.private_bytes(
        serialization.Encoding.PEM,
        serialization.PrivateFormat.PKCS8,
        serialization.NoEncryption(),
    )


def pem_of_public(key):
    return key.public_key().public_bytes(
        serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo
    )


def test_private_half_is_found_as_it_is_kept(private):
    other = ec.generate_private_key(ec.SECP256R1())
    kept = pem_of_private(private).decode()
    pairs = KeyPairs(lambda: [3, "-----BEGIN nothing", other, pem_of_public(private), kept])
    assert pairs.private_half(pem_of_public(private)) is kept
    assert pairs.private_half(private.public_key()) is kept
    assert pairs.private_half(other.public_key()) is other


def test_key_of_joserfc_is_one_of_a_pair(private):
    jwk = pytest.importorskip("joserfc.jwk")
    kept = jwk.ECKey.import_key(pem_of_private(private))
    public = jwk.ECKey.import_key(pem_of_public(private))
    assert KeyPairs(lambda: [public, kept]).private_half(public) is kept


def test_shared_secret_has_no_halves():
    assert public_part("lantern") is None
    assert KeyPairs(lambda: ["lantern"]).private_half("lantern") is None


def test_key_that_is_not_kept_is_looked_for_a_few_times(private):
    looks = []

    def held():
        looks.append(None)
        return ()

    pairs = KeyPairs(held)
    for _ in range(MOST_LOOKS + 2):
        assert pairs.private_half(private.public_key()) is None
    assert len(looks) == MOST_LOOKS
