"""Fava, accounting with Beancount, on a small ledger in a temporary folder."""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path

FOLDER = Path(tempfile.mkdtemp(prefix="fava-"))
LEDGER = FOLDER / "ledger.beancount"
TEXT = """\
option "title" "Ledger"
option "operating_currency" "EUR"
option "documents" "documents"
2020-01-01 open Assets:Cash EUR
2020-01-01 open Assets:Stock
2020-01-01 open Expenses:Food EUR
2020-01-01 open Equity:Opening
2020-01-01 commodity EUR
2020-01-02 custom "budget" Expenses:Food "monthly" 100 EUR
2020-01-02 * "Shop" "Groceries" #tag ^link
  Expenses:Food   12.50 EUR
  Assets:Cash    -12.50 EUR
2020-02-01 * "Broker" "Buy"
  Assets:Stock    2 ABC {10 EUR}
  Assets:Cash   -20 EUR
2020-02-02 price ABC 11 EUR
2020-02-03 note Assets:Cash "counted"
2020-02-04 event "location" "Home"
2020-02-05 query "cash" "SELECT date, position WHERE account = 'Assets:Cash'"
"""


def write_ledger():
    """Write the ledger anew and remove its documents."""
    shutil.rmtree(FOLDER, ignore_errors=True)
    (FOLDER / "documents").mkdir(parents=True)
    LEDGER.write_text(TEXT, encoding="utf-8")


def create_app():
    """Create the application."""
    from fava.application import create_app as create

    write_ledger()
    return create([str(LEDGER)], load=True)


def reset(app):
    """Bring the ledger back."""
    write_ledger()
    for ledger in app.config["LEDGERS"].ledgers:  # its name is in the file, so it may have changed
        ledger.load_file()


def users():
    """Return nobody: there are no users."""
    return {}
