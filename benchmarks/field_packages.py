"""Tables about packages of the index, for setting up the projects of the field."""

from __future__ import annotations

COMPILED = (
    *("greenlet", "lxml", "pillow", "numpy", "pandas", "scipy", "cryptography", "cffi", "gevent"),
    *("grpcio", "matplotlib", "scikit-learn", "psycopg2", "psycopg2-binary", "bcrypt", "pynacl"),
    *("aiohttp", "opencv-python", "opencv-python-headless", "pyzmq", "statsmodels", "h5py"),
    *("pydantic-core", "orjson", "rpds-py", "ujson", "regex", "tornado", "shapely", "contourpy"),
)
"""Packages in C, C++ or Rust: a release without a wheel would take minutes of a shared machine."""

NOT_NEEDED = frozenset({"flask_script"})
"""What old projects start their commands with; their applications do without it."""

HEAVY = frozenset(
    {
        *("torch", "torchvision", "torchaudio", "tensorflow", "tensorflow-cpu", "jax", "jaxlib"),
        *("tensorflow-gpu", "paddlepaddle", "sentence-transformers", "openai-whisper", "keras"),
        *("ultralytics", "easyocr", "deepface", "xformers", "vllm"),
    }
)
"""Packages of gigabytes, which no lot has time for."""

ELSEWHERE = frozenset(
    {
        *("pywin32", "pypiwin32", "pywinpty", "pkg-resources", "win32-setctime"),
        *("uwsgi", "mod-wsgi", "bjoern", "meinheld"),
    }
)
"""Packages for other systems, one that never was, and servers in C, which no search starts."""

SAME = {
    "psycopg2": "psycopg2-binary",
    "psycopg": "psycopg[binary]",
    "sklearn": "scikit-learn",
    "bs4": "beautifulsoup4",
}
"""What stands for a package that has to be built here, or for an alias."""

IMPORTS = {
    **{name: name for name in ("flask", "requests", "sqlalchemy", "numpy", "pandas", "redis")},
    **{
        name: name
        for name in (
            "bcrypt",
            "marshmallow",
            "mongomock",
            "pymongo",
            "pymysql",
            "passlib",
            "wtforms",
        )
    },
    **{
        name: name
        for name in ("celery", "cryptography", "pydantic", "peewee", "openai", "gunicorn")
    },
    **{name: name for name in ("markdown", "bleach", "matplotlib", "plotly", "boto3", "stripe")},
    **{
        name: name for name in ("werkzeug", "jinja2", "apiflask", "itsdangerous", "email_validator")
    },
    **{name: name for name in ("nltk", "qrcode", "connexion", "gevent", "eventlet", "spacy")},
    "PIL": "pillow",
    "paho": "paho-mqtt",
    "bs4": "beautifulsoup4",
    "cv2": "opencv-python-headless",
    "dotenv": "python-dotenv",
    "jwt": "pyjwt",
    "MySQLdb": "mysqlclient",
    "mysql": "mysql-connector-python",
    "psycopg": "psycopg[binary]",
    "psycopg2": "psycopg2-binary",
    "sklearn": "scikit-learn",
    "yaml": "pyyaml",
    "flask_mysqldb": "flask-mysqldb",
    "flaskext": "flask-mysql",
    **{
        f"flask_{name}": f"flask-{name.replace('_', '-')}"
        for name in (
            *(
                "sqlalchemy",
                "login",
                "wtf",
                "cors",
                "migrate",
                "bcrypt",
                "mail",
                "restful",
                "admin",
            ),
            *("session", "limiter", "caching", "bootstrap", "marshmallow", "restx", "smorest"),
            *("socketio", "httpauth", "moment", "babel", "pymongo", "mongoengine", "script"),
            *("jwt_extended", "uploads", "ckeditor", "debugtoolbar", "talisman", "security"),
            *("user", "pagedown", "mqtt", "breadcrumbs"),
        )
    },
}
"""What is imported -> the package that has it; nothing else is looked for."""
