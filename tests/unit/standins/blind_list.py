"""Functions without hints, chosen by lot before they were tried, with the types that they take.

The lot: of all public functions with a required parameter in about seventy modules of the standard
library, `random.seed(20261128); random.sample(found, 64)`.  Functions of `pydoc`, `tabnanny` and
`locale` are left out, because they run programs or change the process, and `nntplib`, which newer
versions of Python do not have.  The types are those of the documentation; several are right where
the function takes several.  Do not change the list when the stand-ins change.
"""

from __future__ import annotations

ANY = "any"
FILE = "object StringIO"

BLIND: dict[str, dict[str, str]] = {
    "_strptime:_calc_julian_from_U_or_W": {
        "year": "int",
        "week_of_year": "int",
        "day_of_week": "int",
        "week_starts_Mon": "bool int",
    },
    "copy:copy": {"x": ANY},
    "copy:deepcopy": {"x": ANY},
    "email.header:decode_header": {"header": "str"},
    "email.quoprimime:body_decode": {"encoded": "str"},
    "encodings.idna:ToUnicode": {"label": "str bytes"},
    "encodings.idna:nameprep": {"label": "str"},
    "encodings.punycode:T": {"j": "int", "bias": "int"},
    "encodings.punycode:generate_generalized_integer": {"N": "int", "bias": "int"},
    "genericpath:samefile": {"f1": "str Path", "f2": "str Path"},
    "genericpath:sameopenfile": {"fp1": "int", "fp2": "int"},
    "getopt:short_has_arg": {"opt": "str", "shortopts": "str"},
    "gettext:dpgettext": {"domain": "str", "context": "str", "message": "str"},
    "hmac:digest": {"key": "bytes", "msg": "bytes", "digest": "str function"},
    "html:escape": {"s": "str"},
    "http.cookiejar:is_third_party": {"request": "object"},
    "http.cookiejar:iso2time": {"text": "str"},
    "http.cookiejar:join_header_words": {"lists": "list"},
    "http.cookiejar:request_host": {"request": "object"},
    "http.cookiejar:request_port": {"request": "object"},
    "inspect:findsource": {"object": "any function object"},
    "inspect:formatargvalues": {
        "args": "list",
        "varargs": "str any",
        "varkw": "str any",
        "locals": "dict",
    },
    "inspect:getclasstree": {"classes": "list"},
    "inspect:getfullargspec": {"func": "function any"},
    "inspect:getmembers_static": {"object": ANY},
    "inspect:isawaitable": {"object": ANY},
    "inspect:isdatadescriptor": {"object": ANY},
    "inspect:isgeneratorfunction": {"obj": "any function"},
    "inspect:isgetsetdescriptor": {"object": ANY},
    "inspect:unwrap": {"func": "function any object"},
    "json.decoder:JSONObject": {
        "s_and_end": "tuple",
        "strict": "bool",
        "scan_once": "function",
        "object_hook": "function any",
        "object_pairs_hook": "function any",
    },
    "logging.config:valid_ident": {"s": "str"},
    "mimetypes:guess_type": {"url": "str"},
    "ntpath:isabs": {"s": "str Path"},
    "ntpath:normpath": {"path": "str Path"},
    "ntpath:relpath": {"path": "str Path"},
    "plistlib:dumps": {"value": "any dict"},
    "plistlib:load": {"fp": FILE},
    "quopri:encode": {"input": FILE, "output": FILE, "quotetabs": "bool int any"},
    "stringprep:in_table_c3": {"code": "str"},
    "stringprep:in_table_c7": {"code": "str"},
    "stringprep:in_table_c9": {"code": "str"},
    "timeit:reindent": {"src": "str", "indent": "int"},
    "tokenize:detect_encoding": {"readline": "function"},
    "traceback:extract_tb": {"tb": "object any"},
    "traceback:format_exception": {"exc": "object any"},
    "traceback:format_exception_only": {"exc": "object any"},
    "traceback:format_list": {"extracted_list": "list"},
    "traceback:format_tb": {"tb": "object any"},
    "traceback:print_list": {"extracted_list": "list"},
    "xml.etree.ElementPath:findall": {"elem": "object", "path": "str"},
    "xml.etree.ElementPath:prepare_parent": {"next": "any function", "token": "any tuple str"},
    "xml.etree.ElementTree:fromstringlist": {"sequence": "list"},
    "xml.sax.saxutils:escape": {"data": "str"},
}
"""Function -> parameter -> kinds of shapes that are right."""
