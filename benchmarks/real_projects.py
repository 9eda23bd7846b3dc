"""The real projects of docs/compatibility.md, in one table; none of their code is kept here."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from dataclasses import field

SQLALCHEMY_1 = ("flask-sqlalchemy==2.5.1", "sqlalchemy==1.4.54")
FLASK_2_3 = ("flask==2.3.3", "werkzeug==2.3.8")
FLASK_2_2 = ("flask==2.2.5", "werkzeug==2.2.3", "itsdangerous==2.0.1")
FORMS_1 = ("flask-wtf==1.1.2", "wtforms==3.0.1")
NEWEST = ("flask==3.1.3", "werkzeug==3.1.8")


@dataclass(frozen=True)
class Project:
    """One project as it is at one commit, or as the package index has it."""

    name: str
    shape: str
    """What it stands for, in a few words."""
    requirements: tuple[str, ...]
    """What to install; what is not pinned comes as its dependents want it."""
    repository: str = ""
    """``owner/name`` on GitHub; empty for a package of the index, searched in an empty folder."""
    commit: str = ""
    folder: str = ""
    """The part of the repository that is copied and searched."""
    variables: Mapping[str, str] = field(default_factory=dict)
    """Environment variables without which the project's own tests do not start either."""
    search: tuple[str, ...] = ()
    """Arguments that a user would have to give; empty but for installed packages."""
    own: tuple[str, ...] = ()
    """Arguments for the project's own suite (what needs a browser is left out)."""
    stated: str = ""
    """A file of the checkout with pinned requirements; those named here come on top."""
    without: tuple[str, ...] = ()
    """Names in that file which cannot be installed on this Python."""

    @property
    def origin(self) -> str:
        """Return where it comes from, for the table."""
        if not self.repository:
            return f"PyPI {self.requirements[0]}"
        place = f" `{self.folder}`" if self.folder else ""
        return f"{self.repository}{place}"


JWT_EXAMPLES = "vimalloc/flask-jwt-extended"
JWT_COMMIT = "1910726"
APIFLASK = "apiflask/apiflask"
APIFLASK_COMMIT = "f84d063"
APIFLASK_REQUIREMENTS = ("apiflask", "flask-sqlalchemy", "authlib", *NEWEST)

ALL = (
    Project(
        "tutorial",
        "Flask's tutorial, plain sqlite3",
        NEWEST,
        "pallets/flask",
        "2ac89889",
        "examples/tutorial",
    ),
    Project(
        "tutorial-sqlalchemy",
        "the tutorial with Flask-SQLAlchemy",
        ("flask-sqlalchemy==3.1.1", *NEWEST),
        "pallets-eco/flask-sqlalchemy",
        "3e3e92b",
        "examples/flaskr",
    ),
    Project(
        "flaskr-tdd",
        "the tutorial as flaskr-tdd",
        ("flask==3.0.0", "flask-sqlalchemy==3.1.1"),
        "mjhea0/flaskr-tdd",
        "305122f",
    ),
    Project(
        "javascript",
        "no state",
        NEWEST,
        "pallets/flask",
        "2ac89889",
        "examples/javascript",
    ),
    Project(
        "todo",
        "Flask-SQLAlchemy, no tests",
        ("flask-sqlalchemy==3.1.1", *NEWEST),
        "pallets-eco/flask-sqlalchemy",
        "3e3e92b",
        "examples/todo",
    ),
    Project(
        "microblog-api",
        "unittest, APIFairy, tokens by HTTP Basic",
        (),
        "miguelgrinberg/microblog-api",
        "e250d71",
        stated="requirements.txt",
    ),
    Project(
        "microblog",
        "Flask-Login, CSRF, no collected tests",
        (),
        "miguelgrinberg/microblog",
        "a975ef6",
        stated="requirements.txt",
        without=("greenlet", "psycopg2-binary"),
    ),
    Project(
        "flasky",
        "unittest, Flask-Login, HTTP Basic",
        (
            *FLASK_2_2,
            *SQLALCHEMY_1,
            *FORMS_1,
            *("flask-login==0.6.2", "flask-migrate==4.0.7", "flask-httpauth==4.8.0"),
            *("flask-mail==0.9.1", "flask-moment==1.0.6", "flask-pagedown==0.4.0"),
            *("flask-bootstrap==3.3.7.1", "email-validator", "markdown", "bleach", "faker"),
            *("python-dotenv", "setuptools<80"),
        ),
        "miguelgrinberg/flasky",
        "3beedd6",
        variables={"SERVER_NAME": "localhost"},
        own=("--ignore=tests/test_selenium.py",),
    ),
    Project(
        "todoism",
        "unittest, Flask-Login, tokens",
        (
            *FLASK_2_2,
            *SQLALCHEMY_1,
            *FORMS_1,
            *("flask-login==0.6.2", "flask-babel==2.0.0", "flask-cors==3.0.10", "faker"),
            *("python-dotenv", "setuptools<80"),
        ),
        "greyli/todoism",
        "55f223f",
        own=("--ignore=tests/test_ui.py",),
    ),
    Project(
        "watchlist",
        "unittest, Flask-Login",
        (*FLASK_2_3, *SQLALCHEMY_1, "flask-login==0.6.3", "python-dotenv"),
        "greyli/watchlist",
        "b16de40",
    ),
    Project(
        "bluelog",
        "unittest, Flask-Login, forms, uploads",
        (
            *FLASK_2_2,
            *SQLALCHEMY_1,
            *FORMS_1,
            *("flask-login==0.6.2", "bootstrap-flask", "flask-ckeditor", "flask-debugtoolbar"),
            *("flask-mail", "flask-migrate", "flask-moment", "faker", "python-dotenv"),
            "email-validator",
            "setuptools<80",
        ),
        "greyli/bluelog",
        "18859a4",
    ),
    Project(
        "flask-todolist",
        "Flask-Testing, Flask-Login, HTTP Basic",
        (
            *("flask-sqlalchemy==3.1.1", "flask-login==0.6.3", "flask-wtf==1.2.2"),
            *("flask-migrate", "flask-testing", "flask-httpauth", "email-validator"),
            *("flask-bootstrap", "python-dotenv", "forgerypy==0.1", "setuptools<80", *NEWEST),
        ),
        "rtzll/flask-todolist",
        "c39a79d",
    ),
    Project(
        "stores",
        "flask-smorest, Flask-JWT-Extended",
        (
            *("flask-jwt-extended==4.6.0", "pyjwt==2.9.0", "flask-smorest", "flask-sqlalchemy"),
            *("passlib", "python-dotenv", "flask-migrate", "redis", "rq", "requests"),
            *("pydantic", "pydantic_settings", "fakeredis", "psycopg2-binary"),
        ),
        "tecladocode/rest-api-smorest-docker",
        "0925bab",
        variables={"ENV_STATE": "test"},
    ),
    Project(
        "jwt-blocklist",
        "Flask-JWT-Extended, no tests",
        ("flask-jwt-extended==4.7.1", "flask-sqlalchemy", *NEWEST),
        JWT_EXAMPLES,
        JWT_COMMIT,
        "examples/blocklist_database.py",
    ),
    Project(
        "jwt-users",
        "Flask-JWT-Extended, empty database, no tests",
        ("flask-jwt-extended==4.7.1", "flask-sqlalchemy", *NEWEST),
        JWT_EXAMPLES,
        JWT_COMMIT,
        "examples/automatic_user_loading.py",
    ),
    Project(
        "restx-todo",
        "flask-restx, no tests",
        ("flask-restx", "setuptools<80"),
        "python-restx/flask-restx",
        "30abd91",
        "examples/todo.py",
    ),
    Project(
        "apiflask-orm",
        "APIFlask, no tests beside it",
        APIFLASK_REQUIREMENTS,
        APIFLASK,
        APIFLASK_COMMIT,
        "examples/orm",
    ),
    Project(
        "apiflask-token",
        "APIFlask, tokens, no tests beside it",
        APIFLASK_REQUIREMENTS,
        APIFLASK,
        APIFLASK_COMMIT,
        "examples/auth/token_auth",
    ),
    Project(
        "apiflask-cbv",
        "APIFlask, class-based views, no tests beside it",
        APIFLASK_REQUIREMENTS,
        APIFLASK,
        APIFLASK_COMMIT,
        "examples/cbv",
    ),
    Project(
        "apiflask-upload",
        "APIFlask, uploads, no tests beside it",
        APIFLASK_REQUIREMENTS,
        APIFLASK,
        APIFLASK_COMMIT,
        "examples/file_upload/marshmallow",
    ),
    Project(
        "rest-auth",
        "HTTP Basic and tokens, no tests",
        (*FLASK_2_3, *SQLALCHEMY_1, "flask-httpauth==4.8.0", "pyjwt==2.10.1"),
        "miguelgrinberg/REST-auth",
        "82749ef",
    ),
    Project(
        "oauth2-server",
        "Authlib, sessions, no tests",
        ("authlib>=1.6.5", "flask-sqlalchemy==3.1.1", *NEWEST),
        "authlib/example-oauth2-server",
        "d1f3558",
    ),
    Project(
        "connexion-3",
        "Connexion 3 (ASGI), SQLAlchemy, no tests",
        ("connexion[flask,swagger-ui]==3.2.0", "sqlalchemy==2.0.46"),
        "spec-first/connexion",
        "a1c53db7",
        "examples/sqlalchemy",
    ),
    Project(
        "connexion-3-basic",
        "Connexion 3, HTTP Basic, no tests",
        ("connexion[flask,swagger-ui]==3.2.0",),
        "spec-first/connexion",
        "a1c53db7",
        "examples/basicauth",
    ),
    Project(
        "bepasty",
        "files, permissions by secret",
        ("bepasty==1.2.2",),
        "bepasty/bepasty-server",
        "cc03c08",
        own=("--ignore=src/bepasty/tests/test_website.py",),
    ),
    Project(
        "albumy",
        "unittest, Flask-Login, uploads with Pillow, a search index",
        (
            *FLASK_2_2,
            *SQLALCHEMY_1,
            "wtforms==2.3.3",
            "flask-wtf==1.3.0",
            "bootstrap-flask==1.8.0",
            "flask-avatars==0.2.3",
            "flask-dropzone==2.0.0",
            "flask-login==0.6.3",
            "flask-mail==0.10.0",
            "flask-moment==1.0.6",
            "flask-whooshee==0.9.1",
            "email-validator==2.4.0",
            "faker==40.54.0",
            "pillow==13.0.0",
            "python-dotenv==1.2.4",
        ),
        "greyli/albumy",
        "dfb591fd",
    ),
    Project(
        "api-server",
        "Flask-RESTX, a bare token in Authorization, own tests in one file",
        (
            *FLASK_2_2,
            *SQLALCHEMY_1,
            "flask-restx==1.1.0",
            "flask-cors==3.0.10",
            "flask-jwt-extended==4.4.1",
            "pyjwt==2.6.0",
            "python-dotenv==0.19.2",
            "requests==2.28.1",
            "setuptools<80",
        ),
        "app-generator/api-server-flask",
        "246144a5",
    ),
    Project(
        "supysonic",
        "unittest, the Subsonic API, peewee, users in the query",
        (
            *NEWEST,
            "click==8.5.1",
            "flask-wtf==1.3.0",
            "lxml==6.1.3",
            "mediafile==0.17.0",
            "peewee==4.5.3",
            "pillow==13.0.0",
            "requests==2.34.2",
            "watchdog==7.1.0",
            "zipstream-ng==1.9.3",
        ),
        "spl0k/supysonic",
        "1b986176",
    ),
    Project(
        "searxng",
        "unittest with coroutines, a metasearch engine: no accounts, cookies hold preferences",
        ("aiounittest==1.5.0", "mock==5.2.0", "parameterized==0.9.0", "setuptools==80.9.0"),
        "searxng/searxng",
        "9fea4120",
        stated="requirements.txt",
    ),
    Project(
        "whoogle",
        "a metasearch engine: settings in the session, its tests stand in for the engines",
        (
            "beautifulsoup4==4.13.5",
            "brotli==1.2.0",
            "certifi==2025.8.3",
            "cryptography==46.0.7",
            "cssutils==2.11.1",
            "defusedxml==0.7.1",
            "flask==3.1.3",
            "more-itertools==10.8.0",
            "python-dateutil==2.9.0.post0",
            "httpx[http2,socks]==0.28.1",
            "cachetools==6.2.0",
            "stem==1.8.2",
            "validators==0.35.0",
            "waitress==3.0.2",
            "werkzeug==3.1.6",
            "python-dotenv==1.2.2",
        ),
        "benbusby/whoogle-search",
        "13e52132",
    ),
    Project(
        "app-blueprint",
        "unittest, Flask-Login, accounts confirmed by mail",
        (
            *NEWEST,
            "alembic==1.16.5",
            "email-validator==2.3.0",
            "flask-bcrypt==1.0.1",
            "flask-login==0.6.3",
            "flask-mail==0.10.0",
            "flask-migrate==4.1.0",
            "flask-sqlalchemy==3.1.1",
            "flask-wtf==1.2.2",
            "psycopg2-binary==2.9.13",
            "python-dotenv==1.2.1",
            "sqlalchemy==2.0.48",
        ),
        "jelmerdejong/flask-app-blueprint",
        "f152e8d7",
    ),
    Project(
        "flask-api-example",
        "Flask-RESTX, flask-accepts",
        (
            *FLASK_2_3,
            *SQLALCHEMY_1,
            "flask-restx",
            "flask-accepts",
            "marshmallow<4",
            "mypy-extensions",
            "setuptools<80",
        ),
        "apryor6/flask_api_example",
        "7442395",
    ),
    Project(
        "ihatemoney",
        "forms, CSRF, REST with HTTP Basic, migrations",
        ("ihatemoney==7.2.1", "pytest-flask==1.3.0"),
        "spiral-project/ihatemoney",
        "52e5720e",
    ),
    Project(
        "httpbin",
        "no state, installed",
        ("httpbin[mainapp]==0.10.4", "flasgger==0.9.7.1"),
        search=("--evosearch-app=httpbin:app", "--evosearch-source=httpbin"),
    ),
)

BY_NAME = {project.name: project for project in ALL}
