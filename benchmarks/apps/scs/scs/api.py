"""The HTTP side: parse the path, call the function, answer with its result as plain text."""

from __future__ import annotations

from flask import Blueprint
from flask import Response
from flask import abort

from scs.calc import calculate
from scs.comparisons import compare_costs
from scs.comparisons import compare_untyped
from scs.comparisons import order_four
from scs.cookie import judge_cookie
from scs.date_parse import parse_date
from scs.file_suffix import judge_suffix
from scs.pattern import find_pattern
from scs.regex import name_expression
from scs.text_message import shorten
from scs.title import judge_title

INT_MIN = -(2**31)
INT_MAX = 2**31 - 1

blueprint = Blueprint("scs", __name__, url_prefix="/api")


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


def answer(result: object) -> Response:
    """Answer with a result as plain text."""
    return Response(str(result), mimetype="text/plain")


@blueprint.get("/calc/<op>/<arg1>/<arg2>")
def calc(op: str, arg1: str, arg2: str) -> Response:
    """Calculate with one or two numbers."""
    return answer(calculate(op, parse_double(arg1), parse_double(arg2)))


@blueprint.get("/cookie/<name>/<val>/<site>")
def cookie(name: str, val: str, site: str) -> Response:
    """Judge a cookie."""
    return answer(judge_cookie(name, val, site))


@blueprint.get("/costfuns/<i>/<s>")
def costfuns(i: str, s: str) -> Response:
    """Compare a number and a string with many constants."""
    return answer(compare_costs(parse_int(i), s))


@blueprint.get("/dateparse/<dayname>/<monthname>")
def dateparse(dayname: str, monthname: str) -> Response:
    """Recognise the names of days and months."""
    return answer(parse_date(dayname, monthname))


@blueprint.get("/filesuffix/<directory>/<file>")
def filesuffix(directory: str, file: str) -> Response:
    """Say whether a file lies in the directory for its suffix."""
    return answer(judge_suffix(directory, file))


@blueprint.get("/notypevar/<i>/<s>")
def notypevar(i: str, s: str) -> Response:
    """Use one value as a number and as a string."""
    return answer(compare_untyped(parse_int(i), s))


@blueprint.get("/ordered4/<w>/<x>/<z>/<y>")
def ordered4(w: str, x: str, z: str, y: str) -> Response:
    """Say whether four words are in order; the path has the last two swapped."""
    return answer(order_four(w, x, y, z))


@blueprint.get("/pat/<txt>/<pat>")
def pat(txt: str, pat: str) -> Response:
    """Search a text for a pattern and its reverse."""
    return answer(find_pattern(txt, pat))


# A path, because a URL has slashes; the original's ordinary segment cannot hold one.
@blueprint.get("/pat/<path:txt>")
def regex(txt: str) -> Response:
    """Say what kind of expression a text is."""
    return answer(name_expression(txt))


@blueprint.get("/text2txt/<word1>/<word2>/<word3>")
def text2txt(word1: str, word2: str, word3: str) -> Response:
    """Shorten words for a text message."""
    return answer(shorten(word1, word2, word3))


@blueprint.get("/title/<sex>/<title>")
def title(sex: str, title: str) -> Response:
    """Say whether a title fits."""
    return answer(judge_title(sex, title))
