"""Reads the tables of a MySQL Workbench model (``*.mwb``): a zip file with a document of XML.

Courses and small projects often keep such a drawing of their tables and no script of SQL. Each
object is a ``value`` element with an ``id``. What belongs to it are its children with a ``key``; a
``link`` names another object by its id.
"""

from __future__ import annotations

import zipfile
from collections.abc import Iterator
from pathlib import Path
from xml.etree import ElementTree
from xml.etree.ElementTree import Element

DOCUMENT = "document.mwb.xml"

LARGEST_DOCUMENT = 5_000_000
"""Bytes of a document that is still read; twenty tables have some 400,000."""

USUAL_LENGTH = 255
"""Length of a VARCHAR whose model names none."""

_TABLE = "db.mysql.Table"


def script_of_model(path: Path) -> str:
    """Return statements that make the tables of a model; empty for a file that holds none."""
    try:
        with zipfile.ZipFile(path) as model:
            if model.getinfo(DOCUMENT).file_size > LARGEST_DOCUMENT:
                return ""
            document = ElementTree.fromstring(model.read(DOCUMENT))
    except (OSError, KeyError, zipfile.BadZipFile, ElementTree.ParseError):
        return ""
    return "\n\n".join(_tables(document))


def _tables(document: Element) -> Iterator[str]:
    objects = {one.get("id", ""): one for one in document.iter("value") if one.get("id")}
    names = {key: _text(one, "name") for key, one in objects.items()}
    for table in objects.values():
        if table.get("struct-name") == _TABLE:
            lines = [_column(one) for one in _parts(table, "columns")]
            lines += [*_keys(table, names), *_references(table, names)]
            yield f"CREATE TABLE `{_text(table, 'name')}` (\n  " + ",\n  ".join(lines) + "\n);"


def _column(column: Element) -> str:
    """Return the definition of a column."""
    given = [_text(column, "length"), _text(column, "precision"), _text(column, "scale")]
    kind = (_text(column, "userType") or _text(column, "simpleType")).rpartition(".")[2]
    kind = kind.removesuffix("_f").upper()
    sizes = ", ".join(size for size in given if size.isdigit())
    if kind == "VARCHAR" and not sizes:
        sizes = str(USUAL_LENGTH)
    shown = _text(column, "datatypeExplicitParams") or (f"({sizes})" if sizes else "")
    default = _text(column, "defaultValue")
    words = (
        f"`{_text(column, 'name')}` {kind}{shown}",
        "NOT NULL" if _text(column, "isNotNull") == "1" else "NULL",
        "AUTO_INCREMENT" if _text(column, "autoIncrement") == "1" else "",
        f"DEFAULT {default}" if default else "",
    )
    return " ".join(filter(None, words))


def _keys(table: Element, names: dict[str, str]) -> Iterator[str]:
    for index in _parts(table, "indices"):
        columns = [_text(one, "referencedColumn") for one in _parts(index, "columns")]
        shown = ", ".join(f"`{names.get(one, '')}`" for one in columns)
        if columns and _text(index, "indexType") in ("PRIMARY", "UNIQUE"):
            yield f"{_text(index, 'indexType')} KEY ({shown})".replace("UNIQUE KEY", "UNIQUE")


def _references(table: Element, names: dict[str, str]) -> Iterator[str]:
    for key in _parts(table, "foreignKeys"):
        here, there = (
            ", ".join(f"`{names.get(one.text or '', '')}`" for one in _parts(key, side))
            for side in ("columns", "referencedColumns")
        )
        rule = _text(key, "deleteRule")
        if here and there:
            yield (
                f"FOREIGN KEY ({here}) REFERENCES `{names.get(_text(key, 'referencedTable'), '')}`"
                f" ({there})" + (f" ON DELETE {rule}" if rule else "")
            )


def _parts(whole: Element, key: str) -> list[Element]:
    """Return the members of a list that belongs to an object."""
    return list(next((one for one in whole if one.get("key") == key), ()))


def _text(whole: Element, key: str) -> str:
    """Return the text of a member, or the id of the object that it links to."""
    return next((one.text or "" for one in whole if one.get("key") == key), "")
