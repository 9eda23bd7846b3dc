"""Measures how many functions without hints get the right types within ten executions.

    python -m benchmarks.unit_types first
    python -m benchmarks.unit_types second
    python -m benchmarks.unit_types third

Three lists, chosen by lot before anything was tried on them.  The lot: of all public functions with
a required parameter and without any hint in the packages, `random.seed(52)`, 53 and 54 for the
lists, `random.sample(sorted(found), 48)`, and 20 for the third.  The right types are those of
docstrings and code; several are right where the function takes several.  Do not change a list when
the stand-ins change.  The packages are installed into an environment of their own; functions run in
it, in an empty folder.  Run this in a process namespace without a network.

At first sight 40 of the first 48 were right, and 46 after kinds of misses were fixed.  Of the
second list, which was opened only then, 35 of 48 were right, before as after; after one more kind
was fixed (a number at the end of a name), 38.  With the required arguments by position, as tests
give them, and with what the packages import, 38 became 42 when more kinds were fixed.  The third
list was chosen then: 15 of 20 at first sight, 16 after its kinds were fixed.  One of the other
four is no function of Python (`consteq`).
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import venv
from collections.abc import Mapping
from collections.abc import Sequence
from pathlib import Path

from benchmarks.environments import REPOSITORY
from benchmarks.environments import default_cache

Types = Mapping[str, Mapping[str, str]]

ANY = "any"
SEQUENCE = "list tuple set str"

FIRST_PACKAGES = (
    *("boltons==26.2.0", "humanfriendly==10.0", "xmltodict==1.0.4"),
    *("tabulate==0.10.0", "titlecase==2.4.1", "toolz==1.2.0"),
)
FIRST: Types = {
    "boltons.cacheutils:cached": {"cache": "dict function any"},
    "boltons.deprutils:deprecate_module_member": {
        "mod_name": "str",
        "name": "str",
        "message": "str any",
    },
    "boltons.formatutils:construct_format_field_str": {
        "fname": "str",
        "fspec": "str",
        "conv": "str",
    },
    "boltons.formatutils:split_format_str": {"fstr": "str"},
    "boltons.funcutils:partial_ordering": {"cls": "any object"},
    "boltons.iterutils:chunk_ranges": {"input_size": "int", "chunk_size": "int"},
    "boltons.iterutils:is_collection": {"obj": ANY},
    "boltons.iterutils:is_iterable": {"obj": ANY},
    "boltons.iterutils:split_iter": {"src": SEQUENCE},
    "boltons.iterutils:untyped_sorted": {"iterable": SEQUENCE},
    "boltons.jsonutils:reverse_iter_lines": {"file_obj": "object StringIO"},
    "boltons.mathutils:ceil": {"x": "float int"},
    "boltons.statsutils:describe": {"data": "list tuple"},
    "boltons.strutils:bytes2human": {"nbytes": "int float"},
    "boltons.strutils:ellipsize": {"text": "str"},
    "boltons.strutils:find_hashtags": {"string": "str"},
    "boltons.strutils:format_int_list": {"int_list": "list tuple set"},
    "boltons.strutils:multi_replace": {"text": "str", "sub_map": "dict"},
    "boltons.timeutils:daterange": {"start": "date datetime", "stop": "date datetime"},
    "boltons.timeutils:isoparse": {"iso_str": "str"},
    "boltons.urlutils:to_unicode": {"obj": "any str"},
    "humanfriendly.compat:coerce_string": {"value": "any str"},
    "humanfriendly.decorators:cached": {"function": "function any object"},
    "humanfriendly.tables:format_robust_table": {
        "data": "list tuple",
        "column_names": "list tuple",
    },
    "humanfriendly.terminal:output": {"text": "str"},
    "humanfriendly.text:format": {"text": "str"},
    "humanfriendly.text:is_empty_line": {"text": "str"},
    "humanfriendly.text:split": {"text": "str"},
    "humanfriendly.usage:format_usage": {"usage_text": "str"},
    "humanfriendly.usage:render_usage": {"text": "str"},
    "humanfriendly.usage:replace_special_tokens": {
        "text": "str",
        "meta_variables": "list tuple set any",
        "replace_fn": "function any",
    },
    "humanfriendly:format_length": {"num_metres": "float int"},
    "humanfriendly:format_size": {"num_bytes": "int float"},
    "humanfriendly:format_timespan": {"num_seconds": "int float timedelta"},
    "humanfriendly:parse_size": {"size": "str"},
    "humanfriendly:round_number": {"count": "float int"},
    "toolz._signatures:check_keywords": {"sig": "tuple list"},
    "toolz._signatures:check_partial": {
        "sig": "tuple list",
        "args": "tuple list",
        "kwargs": "dict any",
    },
    "toolz.dicttoolz:valmap": {"func": "function", "d": "dict"},
    "toolz.functoolz:complement": {"func": "function any"},
    "toolz.functoolz:has_keywords": {"func": "function any object"},
    "toolz.functoolz:is_valid_args": {
        "func": "function any object",
        "args": "tuple list",
        "kwargs": "dict",
    },
    "toolz.itertoolz:accumulate": {"binop": "function", "seq": SEQUENCE},
    "toolz.itertoolz:drop": {"n": "int", "seq": SEQUENCE},
    "toolz.itertoolz:groupby": {"key": "function", "seq": SEQUENCE},
    "toolz.itertoolz:last": {"seq": SEQUENCE},
    "toolz.itertoolz:remove": {"predicate": "function", "seq": SEQUENCE},
    "toolz.itertoolz:topk": {"k": "int", "seq": SEQUENCE},
}

TEXTS = {"s1": "str", "s2": "str"}
WORD = {"word": "str"}
BASE = {"base": "str"}
NUMBER = "float int"

SECOND_PACKAGES = (
    *("num2words==0.5.14", "pyphen==0.18.1", "unidiff==1.0.1", "fuzzywuzzy==0.18.0"),
    *("pytimeparse==1.1.10", "hyperlink==21.0.0", "whoosh==2.7.4", "docopt==0.6.2"),
    "idna==3.11",  # hyperlink imports it
)
SECOND: Types = {
    "fuzzywuzzy.fuzz:WRatio": TEXTS,
    "fuzzywuzzy.fuzz:partial_ratio": TEXTS,
    "fuzzywuzzy.fuzz:partial_token_sort_ratio": TEXTS,
    "fuzzywuzzy.process:extractBests": {"query": "str", "choices": "list dict tuple"},
    "fuzzywuzzy.process:extractWithoutOrder": {"query": "str", "choices": "list dict tuple"},
    "fuzzywuzzy.utils:asciionly": {"s": "str"},
    "hyperlink._url:scheme_uses_netloc": {"scheme": "str"},
    "num2words.lang_CY:mutate": {"word": "str", "mutation": "str any"},
    "num2words.lang_FI:inflect": {"parts": "list tuple", "options": "object any"},
    "num2words:num2words": {"number": "int float str"},
    "whoosh.analysis.acore:unstopped": {"tokenstream": "list tuple"},
    "whoosh.analysis.ngrams:NgramWordAnalyzer": {"minsize": "int"},
    "whoosh.automata.fsa:charset_nfa": {"labels": SEQUENCE},
    "whoosh.automata.fsa:optional_nfa": {"n": "object"},
    "whoosh.automata.fsa:plus_nfa": {"n": "object"},
    "whoosh.automata.fsa:u_to_utf8": {"dfa": "object"},
    "whoosh.classify:hamming_distance": {"first_hash": "int", "other_hash": "int"},
    "whoosh.columns:read_qsafe_array": {"typecode": "str", "size": "int", "dbfile": "object"},
    "whoosh.fields:merge_schema": {"s1": "object", "s2": "object"},
    "whoosh.fields:merge_schemas": {"schemas": "list tuple"},
    "whoosh.filedb.filestore:copy_storage": {"sourcestore": "object", "deststore": "object"},
    "whoosh.highlight:SCORE": {"fragment": "object any"},
    "whoosh.index:clean_files": {
        "storage": "object",
        "indexname": "str",
        "gen": "int",
        "segments": "list tuple",
    },
    "whoosh.lang.lovins:B": BASE,
    "whoosh.lang.lovins:V": BASE,
    "whoosh.lang.lovins:a": BASE,
    "whoosh.lang.lovins:fix_ending": WORD,
    "whoosh.lang.phonetic:soundex_esp": WORD,
    "whoosh.lang.porter2:ends_with_short_syllable": WORD,
    "whoosh.lang.porter2:remove_initial_apostrophe": WORD,
    "whoosh.lang.wordnet:make_index": {
        "storage": "object",
        "indexname": "str",
        "word2nums": "dict",
        "num2words": "dict",
    },
    "whoosh.lang:has_stopwords": {"lang": "str"},
    "whoosh.legacy:load_110_toc": {
        "stream": "object StringIO",
        "gen": "int any",
        "schema": "any object",
        "version": "int any",
    },
    "whoosh.qparser.common:print_debug": {"level": "int", "msg": "str any"},
    "whoosh.scoring:pl2": dict.fromkeys(("tf", "cf", "qf", "dc", "fl", "avgfl", "c"), NUMBER),
    "whoosh.sorting:add_sortable": {"writer": "object", "fieldname": "str", "facet": "object"},
    "whoosh.support.base85:to_base85": {"x": "int"},
    "whoosh.support.levenshtein:damerau_levenshtein": {"seq1": SEQUENCE, "seq2": SEQUENCE},
    "whoosh.support.levenshtein:levenshtein": {"seq1": SEQUENCE, "seq2": SEQUENCE},
    "whoosh.util.numeric:float_to_sortable_long": {"x": NUMBER, "signed": "bool any"},
    "whoosh.util.numeric:from_sortable": {
        "numtype": "any object",
        "intsize": "int",
        "signed": "bool any",
        "x": NUMBER,
    },
    "whoosh.util.numeric:max_value": {"bitcount": "int"},
    "whoosh.util.text:prefix_decode_all": {"ls": "list tuple"},
    "whoosh.util.text:prefix_encode_all": {"ls": "list tuple"},
    "whoosh.util.times:ceil": {"at": "object datetime"},
    "whoosh.util.times:has_no_date": {"at": "object datetime"},
    "whoosh.util:make_weighted_tree": {"fn": "function", "ls": "list tuple"},
    "whoosh.writing:CLEAR": {"writer": "object any", "segments": "list tuple any"},
}

THIRD_PACKAGES = (
    *("python-dateutil==2.9.0", "texttable==1.7.2", "passlib==1.7.4", "oauthlib==4.0.1"),
    *("ecdsa==0.19.2", "six==1.17.0"),
    "pyjwt==2.10.1",  # oauthlib imports it
)
THIRD: Types = {
    "ecdsa.der:encode_implicit": {"tag": "int", "value": "bytes"},
    "ecdsa.ecdsa:string_to_int": {"s": "bytes str list"},
    "ecdsa.numbertheory:polynomial_reduce_mod": {
        "poly": "list tuple",
        "polymod": "list tuple",
        "p": "int",
    },
    "ecdsa.rfc6979:bits2int": {"data": "bytes", "qlen": "int"},
    "ecdsa.ssh:serialize_private": {"name": "str", "pub": "bytes", "priv": "bytes"},
    "ecdsa.util:sigencode_strings_canonize": {"r": "int", "s": "int", "order": "int"},
    "oauthlib.common:generate_signed_token": {"private_pem": "any str bytes", "request": "object"},
    "oauthlib.oauth1.rfc5849.signature:sign_hmac_sha256": {
        "base_string": "str bytes",
        "client_secret": "str",
        "resource_owner_secret": "str",
    },
    "oauthlib.oauth1.rfc5849.utils:unescape": {"u": "str"},
    "oauthlib.oauth2.rfc6749.errors:raise_from_error": {"error": "str any"},
    "oauthlib.oauth2.rfc6749.parameters:prepare_token_revocation_request": {
        "url": "str",
        "token": "str any",
    },
    "oauthlib.oauth2.rfc6749.parameters:validate_token_parameters": {"params": "dict object"},
    "oauthlib.oauth2.rfc6749.tokens:prepare_bearer_body": {"token": "str any"},
    "oauthlib.uri_validate:is_uri_reference": {"uri": "str"},
    "passlib.crypto.des:shrink_des_key": {"key": "bytes int"},
    "passlib.utils.decor:memoize_single_value": {"func": "function"},
    "passlib.utils.handlers:extract_settings_kwds": {"handler": "object", "kwds": "dict"},
    "passlib.utils:consteq": {"left": "str bytes", "right": "str bytes"},
    "passlib.utils:to_unicode": {"source": "str bytes"},
    "passlib.utils:utf8_truncate": {"source": "bytes", "index": "int"},
}

LISTS = {
    "first": (FIRST, FIRST_PACKAGES),
    "second": (SECOND, SECOND_PACKAGES),
    "third": (THIRD, THIRD_PACKAGES),
}

MOST_SECONDS = 120.0
"""Seconds for one function on a busy machine; its calls with stand-ins take milliseconds."""

TYPED = """
import contextlib, importlib, inspect, io, json, sys
from itertools import islice
from pytest_evosearch.standins.type_inquiry import Inquiry, shapes_by_calls
from pytest_evosearch.standins.type_inquiry import modules_beside, overhearing
module_name, _, name = sys.argv[1].partition(":")
module = importlib.import_module(module_name)
classes = [one for one in vars(module).values() if isinstance(one, type)]
inquiry = Inquiry(sys.argv[2:], [one for one in classes if not issubclass(one, Exception)])
function = getattr(module, name)
signature = inspect.signature(function)
def call(values):  # in the order of the signature, as tests do; a decorator may want it
    bound = signature.bind(**values)
    result = function(*bound.args, **bound.kwargs)
    if hasattr(type(result), "__next__"):
        list(islice(result, 50))
with overhearing(inquiry, modules_beside(module)), contextlib.redirect_stdout(io.StringIO()):
    shapes = shapes_by_calls(call, inquiry, 10)
print(json.dumps({name: shape.kind or "any" for name, shape in shapes.items()}))
"""
"""Types the arguments of one function, in the interpreter that has its package."""


def typed(python: Path, address: str, names: Sequence[str]) -> dict[str, str]:
    """Return the type that stand-ins show of each argument; nothing where that ends in an error."""
    with tempfile.TemporaryDirectory() as folder:
        try:
            told = subprocess.run(
                [str(python), "-W", "ignore", "-c", TYPED, address, *names],
                cwd=folder,
                env={"PYTHONPATH": str(REPOSITORY)},
                capture_output=True,
                text=True,
                timeout=MOST_SECONDS,
                check=True,
            )
        except (subprocess.CalledProcessError, subprocess.TimeoutExpired):
            return {}
    found: dict[str, str] = json.loads(told.stdout)
    return found


def main(name: str) -> None:
    """Print each function with a wrong type, and how many are right."""
    types, packages = LISTS[name]
    folder = default_cache() / f"unit-types-{name}"
    python = folder / "bin" / "python"
    if not python.exists():
        venv.create(folder, with_pip=True)
        subprocess.run(
            [str(python), "-m", "pip", "install", "-q", "--no-deps", *packages], check=True
        )
    wrong = 0
    for address, right in types.items():
        found = typed(python, address, list(right))
        missed = {
            one: found.get(one, "")
            for one, kinds in right.items()
            if found.get(one) not in kinds.split()
        }
        if missed:
            wrong += 1
            print(f"{address}: {missed}")
    print(f"{len(types) - wrong} of {len(types)} functions have the right types")


if __name__ == "__main__":
    main(sys.argv[1])
