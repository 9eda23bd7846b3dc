"""Databases on servers: whoever connects is seen, and what was written is undone by rows."""
