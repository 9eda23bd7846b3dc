"""axe-core, the accessibility checker, as its npm package: fetched once, never committed (MPL)."""

from __future__ import annotations

import hashlib
import io
import json
import shutil
import subprocess
import tarfile
from pathlib import Path
from typing import Any

from chromium import Browser

PACKAGE = "axe-core@4.14.1"
MEMBER = "package/axe.min.js"
SHA256 = "29348999450cdf2849a8e70b7912fc2da85a849da39c0d0d5394f51d4a9ed95c"
SECONDS = 60

RUN = """
axe.run(document, {resultTypes: ["violations"]}).then(found => JSON.stringify({
  passes: found.passes.length,
  violations: found.violations.map(one => ({
    id: one.id, impact: one.impact, nodes: one.nodes.slice(0, 3).map(node => node.html)})),
}))
"""


def fetched_axe(cache: Path) -> str | None:
    """Return the source of axe-core from `cache` or the npm registry, None without either."""
    kept = cache / f"{SHA256}.js"
    if not kept.exists():
        source = _packed(cache)
        if source is None:
            return None
        kept.write_bytes(source)
    return kept.read_text(encoding="utf-8")


def _packed(folder: Path) -> bytes | None:
    """Download the package with npm and return the one file of it."""
    npm = shutil.which("npm")
    if npm is None:
        return None
    command = [npm, "pack", PACKAGE, "--json", f"--pack-destination={folder}"]
    try:
        done = subprocess.run(command, capture_output=True, timeout=SECONDS, check=True)
        archive = folder / json.loads(done.stdout)[0]["filename"]
    except (OSError, subprocess.SubprocessError, ValueError, LookupError):
        return None
    with tarfile.open(fileobj=io.BytesIO(archive.read_bytes())) as package:
        member = package.extractfile(MEMBER)
        assert member is not None
        source = member.read()
    assert hashlib.sha256(source).hexdigest() == SHA256
    return source


def accessibility_of(browser: Browser, axe: str) -> dict[str, Any]:
    """Return what axe has to say of the page that is open: ``passes``, ``violations``."""
    browser.run(axe)
    result = browser.call("Runtime.evaluate", expression=RUN, awaitPromise=True, returnByValue=True)
    assert "exceptionDetails" not in result, result
    return json.loads(result["result"]["value"])  # type: ignore[no-any-return]
