"""axe-core, the accessibility checker, from its npm package."""

from __future__ import annotations

import json
from typing import Any

from chromium import Browser
from npm_package import NpmFile

AXE = NpmFile(
    "axe-core@4.14.1",
    "package/axe.min.js",
    "29348999450cdf2849a8e70b7912fc2da85a849da39c0d0d5394f51d4a9ed95c",
)

RUN = """
axe.run(document, {resultTypes: ["violations"]}).then(found => JSON.stringify({
  passes: found.passes.length,
  violations: found.violations.map(one => ({
    id: one.id, impact: one.impact, nodes: one.nodes.slice(0, 3).map(node => node.html)})),
}))
"""


def accessibility_of(browser: Browser, axe: str) -> dict[str, Any]:
    """Return what axe has to say of the page that is open: ``passes``, ``violations``."""
    browser.run(axe)
    result = browser.call("Runtime.evaluate", expression=RUN, awaitPromise=True, returnByValue=True)
    assert "exceptionDetails" not in result, result
    return json.loads(result["result"]["value"])  # type: ignore[no-any-return]
