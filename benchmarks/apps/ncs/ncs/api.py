"""The HTTP side: parse the path, call the function, answer with one of two numbers."""

from __future__ import annotations

import math
from collections.abc import Mapping

from flask import Blueprint
from flask import Response
from flask import abort
from flask import jsonify

from ncs.bessel import bessel_j
from ncs.exponential_integral import exponential_integral
from ncs.fisher import fisher_distribution
from ncs.gamma import incomplete_gamma_q
from ncs.java import INT_MAX
from ncs.java import INT_MIN
from ncs.remainder import remainder
from ncs.triangle import classify

blueprint = Blueprint("ncs", __name__, url_prefix="/api")


def parse_int(text: str) -> int:
    """Read a 32-bit integer; anything else is a client error."""
    try:
        number = int(text)
    except ValueError:
        abort(400)
    if number < INT_MIN or number > INT_MAX:
        abort(400)
    return number


def parse_double(text: str) -> float:
    """Read a double, ``nan`` and ``inf`` included; anything else is a client error."""
    try:
        return float(text)
    except ValueError:
        abort(400)


def write_double(number: float) -> float | str:
    """Write what JSON has no number for as a string, the way Jackson does."""
    if math.isnan(number):
        return "NaN"
    if math.isinf(number):
        return "Infinity" if number > 0 else "-Infinity"
    return number


def answer_int(number: int) -> Response:
    """Answer with an integer result."""
    return jsonify(resultAsInt=number, resultAsDouble=None)


def answer_double(number: float) -> Response:
    """Answer with a floating-point result."""
    return jsonify(resultAsInt=None, resultAsDouble=write_double(number))


@blueprint.errorhandler(400)
def refuse(_error: Exception) -> tuple[str, int, Mapping[str, str]]:
    """Refuse with an empty body, like the original."""
    return "", 400, {}


@blueprint.get("/triangle/<a>/<b>/<c>")
def triangle(a: str, b: str, c: str) -> Response:
    """Classify the triangle with three given sides."""
    return answer_int(classify(parse_int(a), parse_int(b), parse_int(c)))


@blueprint.get("/bessj/<n>/<x>")
def bessj(n: str, x: str) -> Response:
    """Compute the Bessel function of the first kind, of integer order n."""
    order, argument = parse_int(n), parse_double(x)
    if order <= 2 or order > 1000:
        abort(400)
    return answer_double(bessel_j(order, argument))


@blueprint.get("/expint/<n>/<x>")
def expint(n: str, x: str) -> Response:
    """Compute the exponential integral E_n(x)."""
    order, argument = parse_int(n), parse_double(x)
    try:
        return answer_double(exponential_integral(order, argument))
    except ArithmeticError:
        abort(400)


@blueprint.get("/fisher/<m>/<n>/<x>")
def fisher(m: str, n: str, x: str) -> Response:
    """Compute Fisher's F distribution with m and n degrees of freedom."""
    numerator, denominator, argument = parse_int(m), parse_int(n), parse_double(x)
    if numerator > 1000 or denominator > 1000:
        abort(400)
    try:
        return answer_double(fisher_distribution(numerator, denominator, argument))
    except ArithmeticError:
        abort(400)


@blueprint.get("/gammq/<a>/<x>")
def gammq(a: str, x: str) -> Response:
    """Compute the upper incomplete gamma function Q(a, x)."""
    shape, argument = parse_double(a), parse_double(x)
    try:
        return answer_double(incomplete_gamma_q(shape, argument))
    except ArithmeticError:
        abort(400)


@blueprint.get("/remainder/<a>/<b>")
def remainder_of_division(a: str, b: str) -> Response:
    """Compute a remainder by repeated addition."""
    dividend, divisor = parse_int(a), parse_int(b)
    if dividend > 10000 or dividend < -10000 or divisor > 10000 or divisor < -10000:
        abort(400)
    return answer_int(remainder(dividend, divisor))
