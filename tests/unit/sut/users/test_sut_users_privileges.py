from __future__ import annotations

import pytest
from sqlalchemy import Column
from sqlalchemy import ForeignKey
from sqlalchemy import Integer
from sqlalchemy import String
from sqlalchemy.orm import declarative_base
from sqlalchemy.orm import relationship

from pytest_evosearch.sut.users.privileges import privilege

Base = declarative_base()


class Group(Base):  # type: ignore[misc, valid-type]
    __tablename__ = "groups"
    id = Column(Integer, primary_key=True)
    name = Column(String)


class Post(Base):  # type: ignore[misc, valid-type]
    __tablename__ = "posts"
    id = Column(Integer, primary_key=True)
    title = Column(String)
    author_id = Column(ForeignKey("members.id"))


class Member(Base):  # type: ignore[misc, valid-type]
    __tablename__ = "members"
    id = Column(Integer, primary_key=True)
    name = Column(String)
    group_id = Column(ForeignKey("groups.id"))
    primary_group = relationship(Group)
    posts = relationship(Post)


class Account:
    def __init__(self, **fields: object) -> None:
        self.__dict__.update(fields)


@pytest.mark.parametrize(
    ("more", "less"),
    [
        (Account(is_admin=True), Account(is_admin=False)),
        (Account(role="admin"), Account(role="reader", is_active=True, confirmed=True)),
        (Account(roles=["reader", "superuser"]), Account(roles=["reader"])),
        (Account(rights=Account(delete=True, add=True)), Account(rights=Account(add=True))),
        (Account(username="root"), Account(username="ann")),
        (
            Member(name="a", primary_group=Group(name="Administrators")),
            Member(name="b", primary_group=Group(name="Guests"), posts=[Post(title="admin")]),
        ),
    ],
    ids=["column", "text", "list of texts", "row of rights", "name", "mapped"],
)
def test_who_may_do_more_weighs_more(more: object, less: object) -> None:
    assert privilege(more) > privilege(less)


def test_what_cannot_be_looked_at_weighs_nothing() -> None:
    assert privilege(7) == 0
    assert privilege(None) == 0
    assert privilege(Account(password_hash="scrypt:32768:8:1$" + "root" * 32)) == 0
