"""The handlers that `benchmarks.instrumentation` measures; copied under other names, not imported.

Trivial views, a classifier of strings with thirty branches, numeric loops (one with branches that
are never covered), and a view that asks a database and serialises.
"""

# ruff: noqa: D101, D103, C901, SIM109
from __future__ import annotations

from flask import Flask
from flask import jsonify
from flask import request

app = Flask(__name__)
app.logger.disabled = True


@app.route("/ping")
def ping():
    return "pong"


@app.route("/json")
def trivial():
    name = request.args.get("name", "world")
    if name == "nobody":
        return jsonify(greeting=None)
    return jsonify(greeting=f"hello {name}")


def classify(subject, kind):
    subject, kind = subject.lower(), kind.lower()
    result = "none"
    if subject == "mr" and kind == "male":
        result = "gentleman"
    elif subject in ("mrs", "miss", "ms") and kind == "female":
        result = "lady"
    elif subject == "dr" or subject == "prof":
        result = "academic"
    elif subject.startswith("sir") and len(subject) > 3:
        result = "knight"
    elif subject.endswith("esq"):
        result = "lawyer"
    if kind == "alpha":
        result = "a"
    elif kind == "beta":
        result = "b"
    elif kind == "gamma":
        result = "c"
    elif kind == "delta":
        result = "d"
    elif kind.isdigit():
        result = "number"
    elif not kind:
        result = "empty"
    if subject > "m" and kind < "n":
        result += "!"
    if "x" in subject:
        result += "x"
    if "yz" in kind or subject == kind:
        result += "yz"
    return result


@app.route("/classify")
def classified():
    return classify(request.args.get("subject", ""), request.args.get("kind", ""))


def bessel_while(n, x):
    steps, value, term, place = n, 0.0, 1.0, 1
    while place <= steps:
        term = term * x / place
        if place % 2 == 0:
            value += term
        else:
            value -= term
        place += 1
    return value


def bessel_for(n, x):
    value, term = 0.0, 1.0
    for place in range(1, n):
        term = term * x / place
        value += term
    return value


def common_divisor(limit):
    total = 0
    a, b = limit * 7 + 3, limit * 5 + 1
    for step in range(limit):
        left, right = a + step, b + step % 17
        while right:
            if left == 123456789:
                total += 5
            if right == -5 or left < -3:
                total += 7
            left, right = right, left % right
        total += left
    return total


def triangle(limit):
    found = [0, 0, 0, 0]
    for a in range(1, limit):
        for b in range(1, limit):
            c = (a * b) % limit + 1
            if a + b <= c or a + c <= b or b + c <= a:
                found[0] += 1
            elif a == b and b == c:
                found[1] += 1
            elif a == b or b == c or a == c:
                found[2] += 1
            else:
                found[3] += 1
    return found


@app.route("/while")
def view_while():
    return str(bessel_while(int(request.args.get("n", "8000")), 1.5))


@app.route("/for")
def view_for():
    return str(bessel_for(int(request.args.get("n", "8000")), 1.5))


@app.route("/gcd")
def view_gcd():
    return str(common_divisor(int(request.args.get("n", "900"))))


@app.route("/triangle")
def view_triangle():
    return str(triangle(int(request.args.get("n", "70"))))


try:
    import sqlalchemy
except ImportError:
    sqlalchemy = None
else:
    from sqlalchemy.orm import Session
    from sqlalchemy.orm import declarative_base

    Base = declarative_base()

    class Item(Base):
        __tablename__ = "item"
        id = sqlalchemy.Column(sqlalchemy.Integer, primary_key=True)
        name = sqlalchemy.Column(sqlalchemy.String(40))
        price = sqlalchemy.Column(sqlalchemy.Integer)

    engine = sqlalchemy.create_engine("sqlite://", poolclass=sqlalchemy.pool.StaticPool)
    Base.metadata.create_all(engine)
    with Session(engine) as filling:
        filling.add_all([Item(name=f"item {n}", price=n) for n in range(20)])
        filling.commit()

    @app.route("/orm")
    def items():
        least = int(request.args.get("least", "5"))
        with Session(engine) as session:
            found = session.query(Item).filter(Item.price > least).order_by(Item.id).all()
            return jsonify([{"id": i.id, "name": i.name, "dear": i.price > 10} for i in found])
