"""gilda, grounding of biomedical names, with a few terms instead of the downloaded ones."""

from __future__ import annotations

import gzip
import os
import tempfile
from pathlib import Path

COLUMNS = "norm_text text db id entry_name status source organism source_db source_id"
TERMS = (
    "egfr|EGFR|HGNC|3236|EGFR|name|hgnc|9606||",
    "egfr|Egfr|UP|Q01279|Egfr|synonym|uniprot|10090||",
    "egf receptor|EGF receptor|HGNC|3236|EGFR|synonym|hgnc|9606||",
    "kras|k-ras|HGNC|6407|KRAS|former_name|hgnc|9606||",
    "ras|RAS|FPLX|RAS|RAS|assertion|famplex|||",
    "apoptosis|apoptosis|GO|GO:0006915|apoptotic process|synonym|go||MESH|D017209",
    "fever|Fever|HP|HP:0001945|Fever|name|hp|||",
)


def create_app():
    """Create the application."""
    home = tempfile.mkdtemp(prefix="gilda-")
    os.environ["PYSTOW_HOME"] = home
    from gilda.resources import GROUNDING_TERMS_PATH

    path = Path(GROUNDING_TERMS_PATH)
    assert path.is_relative_to(home)
    rows = [COLUMNS.replace(" ", "\t"), *(term.replace("|", "\t") for term in TERMS)]
    with gzip.open(path, "wt") as file:
        file.write("\n".join(rows) + "\n")
    with gzip.open(path.with_name("gilda_models.json.gz"), "wt") as file:
        file.write("{}")
    from gilda.app.app import get_app

    return get_app()


def reset(app):
    """Do nothing: there is no state."""


def users():
    """Return nobody: there are no users."""
    return {}
