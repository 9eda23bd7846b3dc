"""The applications to measure with, declared in one table."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).parent
PROJECTS = HERE / "projects"


@dataclass(frozen=True)
class Application:
    """One application: a project folder, or packages from the package index."""

    name: str
    packages: tuple[str, ...]
    """What is instrumented and measured, as imported."""
    creation: str
    """Python code that creates the application; what it covers is taken off the results."""
    project: Path | None = None
    """The folder that is copied for every job; None for an empty one."""
    requirements: tuple[str, ...] = ()
    """What to install, pinned; empty for what runs in this environment."""
    arguments: tuple[str, ...] = ()
    """Further arguments of the search."""
    output: str = "evosearch"
    """Where in the project the suite is written."""
    omit: tuple[str, ...] = ()
    """Files that are not measured, as patterns of coverage.py."""
    unreachable_lines: int = 0
    """How many lines no request can reach; the reasons are in the application's README."""
    own_tests: tuple[str, ...] = ()
    """What pytest is given to run the tests that the project or package has itself."""


def local_project(name: str, creation: str, unreachable_lines: int = 0) -> Application:
    """Declare an application of the folder `apps`, which has tests and a conftest of its own."""
    return Application(
        name=name,
        packages=(name,),
        creation=creation,
        project=HERE / "apps" / name,
        output="tests/evosearch",
        unreachable_lines=unreachable_lines,
        own_tests=("tests",),
    )


def installed_project(
    name: str, *requirements: str, omit: tuple[str, ...] = (), packages: tuple[str, ...] = ()
) -> Application:
    """Declare an application of the package index, set up by a folder of `projects`."""
    packages = packages or (name,)
    return Application(
        name=name,
        packages=packages,
        creation="from application import create_app; create_app()",
        project=PROJECTS / name,
        requirements=requirements,
        arguments=tuple(f"--evosearch-source={package}" for package in packages),
        omit=omit,
    )


SERVICE_PROVIDERS = (
    *("azure_", "csw_facade", "elasticsearch_", "erddap", "esri", "hateoas", "mapscript_", "mongo"),
    *("mvt_elastic", "mvt_postgresql", "mvt_proxy", "mvt_tippecanoe", "ogr", "opensearch_"),
    *("oracle", "parquet", "rasterio_", "sensorthings", "sensorthings_edr", "socrata", "sql"),
    *("wms_facade", "wmts_facade", "xarray_", "xarray_edr"),
)
"""What pygeoapi has for sources of data that need services or heavy libraries."""

PYGEOAPI_OMIT = (
    "*/pygeoapi/django_/*",
    "*/pygeoapi/django_app.py",
    "*/pygeoapi/starlette_app.py",
    *(f"*/pygeoapi/provider/{name}.py" for name in SERVICE_PROVIDERS),
)

ALL = (
    local_project("ncs", "from ncs import create_app; create_app()", unreachable_lines=7),
    local_project("scs", "from scs import create_app; create_app()"),
    local_project(
        "news",
        "from news import create_app; create_app({'DATABASE': 'created.sqlite'})",
        unreachable_lines=1,
    ),
    local_project(
        "shop",
        "from shop import create_app; create_app({'DATABASE': 'created.sqlite'})",
    ),
    Application(
        name="httpbin",
        packages=("httpbin",),
        creation="from httpbin import app",
        requirements=("httpbin[mainapp]==0.10.4", "flasgger==0.9.7.1"),
        arguments=("--evosearch-app=httpbin:app", "--evosearch-source=httpbin"),
    ),
    installed_project(
        "gilda",
        "gilda[ui]==1.6.1",
        omit=(
            "*/gilda/tests/*",
            "*/gilda/generate_terms.py",
            "*/gilda/pandas_utils.py",
            "*/gilda/resources/*",
        ),
    ),
    installed_project("bepasty", "bepasty==1.2.2", omit=("*/bepasty/tests/*", "*/bepasty/cli/*")),
    installed_project(
        "ihatemoney",
        "ihatemoney==7.2.1",
        omit=("*/ihatemoney/tests/*", "*/ihatemoney/migrations/*"),
    ),
    installed_project("fava", "fava==1.30.16"),
    installed_project(
        "archivy",
        "archivy==1.7.7",
        "flask-compress==1.14",
        "setuptools<81",
        omit=("*/archivy/click_web/*",),
    ),
    installed_project(
        "flexget",
        "flexget==3.22.7",
        omit=(
            "*/flexget/tests/*",
            "*/flexget/ui/*",
            "*/flexget/plugins/*",
            "*/flexget/tray_icon.py",
            "*/cli.py",
        ),
    ),
    installed_project("pygeoapi", "pygeoapi==0.21.0", "jsonpatch==1.33", omit=PYGEOAPI_OMIT),
)

SLOW = (
    installed_project("lute3", "lute3==3.10.3", packages=("lute",)),
    installed_project("otterwiki", "otterwiki==2.26.1"),
)
"""Further applications, with slow pages or slow fixtures, for what a budget of seconds means."""

BY_NAME = {application.name: application for application in (*ALL, *SLOW)}
