"""SQLAlchemy: filters that are put together, rows that change from call to call."""

from __future__ import annotations

from flask import Flask
from flask import jsonify
from flask import request
from sqlalchemy import String
from sqlalchemy import create_engine
from sqlalchemy import func
from sqlalchemy import or_
from sqlalchemy import select
from sqlalchemy.orm import DeclarativeBase
from sqlalchemy.orm import Mapped
from sqlalchemy.orm import Session
from sqlalchemy.orm import mapped_column


class Base(DeclarativeBase):
    pass


class Ticket(Base):
    __tablename__ = "ticket"

    id: Mapped[int] = mapped_column(primary_key=True)
    subject: Mapped[str] = mapped_column(String(80))
    priority: Mapped[int]
    state: Mapped[str] = mapped_column(String(20), default="open")


def create_app(path):
    app = Flask(__name__)
    engine = create_engine(f"sqlite:///{path}")
    Base.metadata.create_all(engine)

    @app.post("/tickets")
    def add():
        data = request.get_json()
        with Session(engine) as session:
            ticket = Ticket(subject=str(data["subject"])[:80], priority=int(data["priority"]))
            session.add(ticket)
            session.commit()
            return jsonify(id=ticket.id), 201

    @app.post("/tickets/<int:number>/hold")
    def hold(number):
        with Session(engine) as session:
            ticket = session.get(Ticket, number)
            if ticket is None:
                return jsonify(error="none"), 404
            ticket.state = "held"
            session.commit()
            return jsonify(state="held")

    @app.get("/queue")
    def queue():
        wanted = select(Ticket).where(
            Ticket.priority >= 700, or_(Ticket.state == "held", Ticket.priority > 90000)
        )
        subject = request.args.get("subject")
        if subject:
            wanted = wanted.where(func.lower(Ticket.subject) == subject.lower())
        with Session(engine) as session:
            found = session.scalars(wanted).all()
            if not found:
                return jsonify([])
            if subject and found[0].state == "held":
                return jsonify(held=found[0].subject)
            return jsonify(first=found[0].subject)

    return app
