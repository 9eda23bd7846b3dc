"""A rental of tools; each fault is one line that is marked with what it needs."""

from __future__ import annotations

from flask import Flask
from flask import jsonify
from flask import request
from sqlalchemy import ForeignKey
from sqlalchemy import String
from sqlalchemy import create_engine
from sqlalchemy import func
from sqlalchemy import select
from sqlalchemy.orm import DeclarativeBase
from sqlalchemy.orm import Mapped
from sqlalchemy.orm import mapped_column
from sqlalchemy.orm import sessionmaker

Session = sessionmaker()


class Base(DeclarativeBase):
    pass


class Tool(Base):
    __tablename__ = "tool"

    id: Mapped[int] = mapped_column(primary_key=True)
    name: Mapped[str] = mapped_column(String(40), unique=True)
    price: Mapped[int]


class Rental(Base):
    __tablename__ = "rental"

    id: Mapped[int] = mapped_column(primary_key=True)
    tool_id: Mapped[int] = mapped_column(ForeignKey("tool.id"))
    days: Mapped[int]
    state: Mapped[str] = mapped_column(String(10), default="open")


class Voucher(Base):
    __tablename__ = "voucher"

    code: Mapped[str] = mapped_column(String(20), primary_key=True)
    percent: Mapped[int]


class Tariff(Base):
    __tablename__ = "tariff"

    name: Mapped[str] = mapped_column(String(20), primary_key=True)
    shares: Mapped[int]


def create_tables(url: str) -> None:
    """Make the tables anew, with what is there at the beginning."""
    engine = create_engine(url)
    Base.metadata.drop_all(engine)
    Base.metadata.create_all(engine)
    Session.configure(bind=engine)
    with Session() as session:
        session.add(Voucher(code="SPRING-7731", percent=15))
        session.add(Tool(name="Angle grinder", price=900))
        session.commit()


def create_app(url: str) -> Flask:
    app = Flask(__name__)
    create_tables(url)
    _add_tools(app)
    _add_rentals(app)
    _add_offers(app)
    return app


def _add_tools(app: Flask) -> None:
    @app.post("/tools")
    def add_tool():
        data = request.get_json()
        name, price = str(data["name"]), int(data["price"])
        if not 3 <= len(name) <= 40 or not 0 < price < 100_000:
            return jsonify(error="name or price"), 400
        with Session() as session:
            tool = Tool(name=name, price=price)
            session.add(tool)
            session.commit()  # fault: a unique constraint
            return jsonify(id=tool.id, name=tool.name), 201

    @app.get("/tools")
    def search():
        words = request.args.get("words", "")
        if len(words) < 3:
            return jsonify([])
        with Session() as session:
            found = session.scalars(
                select(Tool).where(func.lower(Tool.name).like(f"%{words.lower()}%"))
            ).all()
            if not found:
                return jsonify([]), 404
            return jsonify([tool.title for tool in found])  # fault: a LIKE that finds a row


def _add_rentals(app: Flask) -> None:
    @app.post("/rentals")
    def rent():
        data = request.get_json()
        tool_id, days = int(data["tool_id"]), int(data["days"])
        if not 0 < days < 30:
            return jsonify(error="days"), 400
        with Session() as session:
            tool = session.get(Tool, tool_id)
            if tool is None:
                return jsonify(error="no such tool"), 404
            rental = Rental(tool_id=tool.id, days=days)
            session.add(rental)
            session.commit()
            return jsonify(id=rental.id, costs=tool.price * days), 201

    @app.post("/rentals/<int:number>/return")
    def give_back(number):
        with Session() as session:
            rental = session.get(Rental, number)
            if rental is None:
                return jsonify(error="no such rental"), 404
            if rental.state == "returned":
                raise RuntimeError("returned twice")  # fault: a sequence of calls
            rental.state = "returned"
            session.commit()
            return jsonify(state=rental.state)


def _add_offers(app: Flask) -> None:
    @app.get("/vouchers/<code>")
    def voucher(code):
        with Session() as session:
            found = session.scalars(select(Voucher).where(Voucher.code == code)).first()
            if found is None:
                return jsonify(error="no such voucher"), 404
            return jsonify(left=found.left)  # fault: a value that only a row has

    @app.get("/tariffs/<name>")
    def tariff(name):
        with Session() as session:
            found = session.get(Tariff, name)
            if found is None:
                return jsonify(error="no such tariff"), 404
            if found.shares > 12:
                return jsonify(share="small")
            return jsonify(share=100 // found.shares)  # fault: a row that no endpoint makes
