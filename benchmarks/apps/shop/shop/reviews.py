"""Reviews of products."""

from __future__ import annotations

from flask import Blueprint
from flask import Response
from flask import abort
from flask import jsonify
from flask import request
from flask.typing import ResponseReturnValue

from shop import database
from shop.accounts import require_account
from shop.catalogue import find_product
from shop.inputs import limit_id
from shop.inputs import read_body
from shop.inputs import read_integer
from shop.inputs import read_text

blueprint = Blueprint("reviews", __name__, url_prefix="/api")


@blueprint.get("/products/<int:product_id>/reviews")
def list_reviews(product_id: int) -> Response:
    """List the reviews of a product, all or those with at least a number of stars."""
    find_product(product_id)
    found = database.rows("SELECT * FROM review WHERE product_id = ?", product_id)
    least = request.args.get("stars", 0, type=int)
    shown = [dict(review) for review in found if review["stars"] >= least]
    average = None
    if found:
        average = sum(review["stars"] for review in shown) / len(
            shown
        )  # bug 8: none is good enough
    return jsonify(average=average, reviews=shown)


@blueprint.post("/products/<int:product_id>/reviews")
def write_review(product_id: int) -> ResponseReturnValue:
    """Review a product, once."""
    account_id = require_account()
    find_product(product_id)
    body = read_body()
    stars = read_integer(body, "stars", least=1, most=5)
    text = read_text(body, "text", 500)
    if stars == 1 and len(text) < 20:
        abort(422, "please say what is wrong with it")
    if database.row(
        "SELECT 1 FROM review WHERE product_id = ? AND account_id = ?", product_id, account_id
    ):
        abort(409, "you have reviewed it")
    review_id = database.change(
        "INSERT INTO review (product_id, account_id, stars, text) VALUES (?, ?, ?, ?)",
        product_id,
        account_id,
        stars,
        text,
    )
    return jsonify(id=review_id, stars=stars, text=text), 201


@blueprint.delete("/reviews/<int:review_id>")
def delete_review(review_id: int) -> ResponseReturnValue:
    """Delete one's own review."""
    account_id = require_account()
    review = database.row("SELECT * FROM review WHERE id = ?", limit_id(review_id))
    if review is None:
        abort(404, "no such review")
    if review["account_id"] != account_id:
        abort(403, "the review is somebody else's")
    database.change("DELETE FROM review WHERE id = ?", review_id)
    return "", 204
