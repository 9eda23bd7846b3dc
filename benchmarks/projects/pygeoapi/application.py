"""pygeoapi, geospatial data on the web, with three small collections in a temporary folder."""

from __future__ import annotations

import json
import os
import shutil
import tempfile
from datetime import datetime
from datetime import timezone
from pathlib import Path

import yaml

FOLDER = Path(tempfile.mkdtemp(prefix="pygeoapi-"))
TEMPLATE = FOLDER.with_name(f"{FOLDER.name}-template")
HOME = "http://localhost"
OBSERVATIONS = """\
id,stn,date,value,long,lat
1,35,2001-10-30T14:24:55Z,89.9,-75,45
2,35,2002-10-30T18:31:38Z,93.9,-75,45
3,604,2003-10-30T18:31:38Z,99.9,-79,43
"""
SERVER = {
    "bind": {"host": "127.0.0.1", "port": 5000},
    "url": HOME,
    "mimetype": "application/json; charset=UTF-8",
    "encoding": "utf-8",
    "gzip": False,
    "languages": ["en-US", "fr-CA"],
    "cors": False,
    "pretty_print": True,
    "limits": {"default_items": 10, "max_items": 50},
    "admin": True,
    "map": {"url": f"{HOME}/{{z}}/{{x}}/{{y}}.png", "attribution": "somebody"},
    "manager": {
        "name": "TinyDB",
        "connection": str(FOLDER / "jobs.tinydb"),
        "output_dir": str(FOLDER),
    },
}
METADATA = {
    "identification": {
        "title": "Places",
        "description": "A few places",
        "keywords": ["places"],
        "keywords_type": "theme",
        "terms_of_service": "none",
        "url": HOME,
    },
    "license": {"name": "CC0", "url": HOME},
    "provider": {"name": "Nobody", "url": HOME},
    "contact": {"name": "Somebody", "email": "somebody@example.com"},
}
EXTENTS = {
    "spatial": {
        "bbox": [-180, -90, 180, 90],
        "crs": "http://www.opengis.net/def/crs/OGC/1.3/CRS84",
    },
    "temporal": {"begin": datetime(2011, 11, 11, tzinfo=timezone.utc), "end": None},
}


def create_app():
    """Create the application on its data."""
    forbid_network()
    write_data()
    configuration = write_configuration()
    os.environ["PYGEOAPI_CONFIG"] = str(configuration)
    os.environ["PYGEOAPI_OPENAPI"] = str(write_document(configuration))
    shutil.copytree(FOLDER, TEMPLATE, dirs_exist_ok=True)
    from pygeoapi.flask_app import APP

    return APP


def forbid_network():
    """Let calls of those who wait for a process fail at once, with or without a network."""
    from requests.adapters import HTTPAdapter
    from requests.exceptions import ConnectionError as Unreachable

    def refuse(adapter, request, **options):
        raise Unreachable(f"{request.url} is out of reach")

    HTTPAdapter.send = refuse


def write_data():
    """Write a collection of GeoJSON, one of CSV, and one of records."""
    names = ("North", "South", "East", "West")
    places = [
        feature(number, name=name, size=number, when=f"2020-01-0{number}T00:00:00Z")
        for number, name in enumerate(names, start=1)
    ]
    records = {str(number): record(number) for number in range(1, 4)}
    write_json("places.geojson", {"type": "FeatureCollection", "features": places})
    write_json("records.tinydb", {"_default": records})
    (FOLDER / "observations.csv").write_text(OBSERVATIONS, encoding="utf-8")


def feature(number, **properties):
    """Describe a point with properties."""
    return {
        "type": "Feature",
        "id": str(number),
        "geometry": {"type": "Point", "coordinates": [number, number]},
        "properties": {"id": str(number), **properties},
    }


def record(number):
    """Describe a record of the catalogue."""
    dates = ("created", "updated", "recordCreated", "recordUpdated")
    described = feature(
        number, title=f"Record {number}", type="dataset", **dict.fromkeys(dates, "2020-01-01")
    )
    return {**described, "time": None, "links": []}


def write_json(name, document):
    """Write a file of the folder and return its path."""
    path = FOLDER / name
    path.write_text(json.dumps(document), encoding="utf-8")
    return path


def write_configuration():
    """Write what pygeoapi is to serve and return the path."""
    places = {"name": "GeoJSON", "id_field": "id", "title_field": "name", "editable": True}
    points = {"x_field": "long", "y_field": "lat"}
    observations = {"name": "CSV", "id_field": "id", "geometry": points}
    records = {
        "name": "TinyDBCatalogue",
        "id_field": "externalId",
        "time_field": "recordCreated",
        "title_field": "title",
        "editable": True,
    }
    resources = {
        "places": collection("places.geojson", places),
        "observations": collection("observations.csv", observations),
        "records": collection("records.tinydb", {"type": "record", **records}),
        "hello-world": {"type": "process", "processor": {"name": "HelloWorld"}},
    }
    logging = {"level": "ERROR"}
    configuration = {"server": SERVER, "logging": logging, "metadata": METADATA}
    path = FOLDER / "config.yml"  # only YAML has dates, which the period of a collection needs
    text = yaml.safe_dump({**configuration, "resources": resources})
    path.write_text(text, encoding="utf-8")
    return path


def collection(file, provider):
    """Describe a collection of features in a file."""
    return {
        "type": "collection",
        "title": file,
        "description": f"What is in {file}",
        "keywords": ["test"],
        "links": [],
        "extents": EXTENTS,
        "providers": [{"type": "feature", "data": str(FOLDER / file), **provider}],
    }


def write_document(configuration):
    """Let pygeoapi write its OpenAPI document and return the path."""
    from pygeoapi.openapi import generate_openapi_document

    path = FOLDER / "openapi.json"
    with configuration.open(encoding="utf-8") as source:
        path.write_text(generate_openapi_document(source, "json"), encoding="utf-8")
    return path


def reset(app):
    """Bring the files back."""
    shutil.rmtree(FOLDER)
    shutil.copytree(TEMPLATE, FOLDER)


def users():
    """Return nobody: there are no users."""
    return {}
