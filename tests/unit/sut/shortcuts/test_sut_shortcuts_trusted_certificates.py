from __future__ import annotations

import shutil
import ssl

import certifi
import pytest

from pytest_evosearch.sut.shortcuts.trusted_certificates import certificates_on_demand


@pytest.fixture
def bundle(tmp_path):
    """A file of certificates that nobody has loaded before."""
    return shutil.copy(certifi.where(), tmp_path / "bundle.pem")


@pytest.fixture
def loads(monkeypatch):
    """The contexts into which certificates were really loaded, in order."""
    contexts = []
    real = ssl.SSLContext.load_verify_locations

    def load(context, *arguments, **keywords):
        contexts.append(id(context))
        return real(context, *arguments, **keywords)

    monkeypatch.setattr(ssl.SSLContext, "load_verify_locations", load)
    return contexts


def test_a_file_is_loaded_once_until_somebody_looks(bundle, loads):
    with certificates_on_demand():
        first, second, third = (ssl.create_default_context(cafile=bundle) for _ in range(3))
        assert loads == [id(first)]

        assert second.cert_store_stats() == first.cert_store_stats()
        assert second.cert_store_stats()["x509_ca"] > 10
        assert loads == [id(first), id(second)]
    assert loads == [id(first), id(second), id(third)]
    assert third.cert_store_stats() == first.cert_store_stats()


def test_a_connection_catches_up(bundle, loads):
    with certificates_on_demand():
        ssl.create_default_context(cafile=bundle)
        context = ssl.create_default_context(cafile=bundle)

        context.wrap_bio(ssl.MemoryBIO(), ssl.MemoryBIO(), server_hostname="localhost")

        assert loads[-1] == id(context)


def test_a_changed_or_missing_file_is_loaded_at_once(bundle, loads):
    with certificates_on_demand():
        ssl.create_default_context(cafile=bundle)
        bundle.write_text("no certificate")
        with pytest.raises(ssl.SSLError):
            ssl.create_default_context(cafile=bundle)
        bundle.unlink()
        with pytest.raises(FileNotFoundError):
            ssl.create_default_context(cafile=bundle)


def test_the_certificates_of_the_system_wait_too():
    expected = ssl.create_default_context().cert_store_stats()
    with certificates_on_demand():
        for _ in range(2):
            context = ssl.create_default_context()
        assert context.cert_store_stats() == expected


def test_contexts_end_as_ever_and_nothing_stays(bundle):
    before = dict(vars(ssl.SSLContext))
    with certificates_on_demand():
        ssl.create_default_context(cafile=bundle)
        ssl.create_default_context(cafile=bundle)
    assert dict(vars(ssl.SSLContext)) == before
