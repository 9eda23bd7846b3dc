"""Applications whose branches depend on what queries find; each keeps its rows in one file."""
