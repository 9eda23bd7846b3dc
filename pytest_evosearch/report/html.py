"""The run as one HTML page without network, fonts or other files.

Texts from the application (responses, messages, paths, source) are made plain and escaped on their
way into the page.  In addition, a content security policy allows only the page's own script and
style, each named by its hash, and pictures that are part of the page.
"""

from __future__ import annotations

import base64
import hashlib
from typing import Any

from jinja2 import Environment
from jinja2 import PackageLoader
from jinja2 import StrictUndefined

from pytest_evosearch import __version__
from pytest_evosearch.report import page_model
from pytest_evosearch.report.outcome import Outcome
from pytest_evosearch.report.plain_text import first_line
from pytest_evosearch.report.plain_text import plain
from pytest_evosearch.report.plot import plots_of
from pytest_evosearch.report.screen_map import screen_map
from pytest_evosearch.report.source_views import shown_sources
from pytest_evosearch.report.source_views import source_views


def html_page(outcome: Outcome) -> str:
    """Return the page of `outcome`."""
    environment = _environment()
    return environment.get_template("page.html").render(
        outcome=outcome,
        version=__version__,
        policy=_policy(environment),
        verdict=page_model.verdict(outcome),
        tiles=page_model.tiles(outcome),
        facts=page_model.facts(outcome),
        plots=plots_of(outcome.effort.timeline),
        heat=page_model.heat_map(outcome),
        faults=page_model.fault_views(outcome),
        files=page_model.generated_files(outcome),
        misses=page_model.miss_groups(outcome),
        sources=source_views(outcome),
        unshown=len(outcome.targets.sources) - len(shown_sources(outcome)),
        survivors=page_model.survivor_views(outcome),
        screens=outcome.effort.walks.screens,
        map=screen_map(outcome.effort.walks.screens),
        dropped=page_model.dropped_groups(outcome),
    )


def _environment() -> Environment:
    environment = Environment(
        loader=PackageLoader("pytest_evosearch.report", "page"),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=_final,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["first_line"] = first_line
    environment.filters["share"] = lambda share: f"{share:.0%}"
    environment.filters["thousands"] = lambda number: f"{number:,}"
    return environment


def _final(value: Any) -> Any:
    """Make every inserted text plain, even one that claims to be HTML.

    The templates insert no markup.
    """
    return value if type(value) in (int, float) else plain(str(value))


def _policy(environment: Environment) -> str:
    sources = {
        "script-src": _hash(environment.get_template("script.js").render()),
        "style-src": _hash(environment.get_template("style.css").render()),
    }
    allowed = "; ".join(f"{name} '{source}'" for name, source in sources.items())
    return f"default-src 'none'; {allowed}; img-src data:; base-uri 'none'; form-action 'none'"


def _hash(text: str) -> str:
    digest = hashlib.sha256(text.encode("utf-8")).digest()
    return f"sha256-{base64.b64encode(digest).decode('ascii')}"
