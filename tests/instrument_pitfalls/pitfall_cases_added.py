"""More pitfalls, in the same form as `pitfall_cases`."""

from __future__ import annotations

C: list[tuple[str, str, str, tuple[int, int]]] = []


def case(name: str, source: str, expression: str = "r()", oldest: tuple[int, int] = (3, 10)) -> None:
    C.append((name, source, expression, oldest))


case(
    "list display compared with call stays a list",
    "def f(*a): return list(a)\ndef r(): return f(1 if f() else 2) == [2], [x for x in [[1]] if (lambda: x)() == [1]]",
)
case(
    "conversions raise where they stand",
    "def r():\n  o = []\n  for t in ('1', 'x', '', None, 2.5, b'7'):\n    try: o.append(int(t))\n"
    "    except (ValueError, TypeError) as e: o.append((type(e).__name__, str(e)))\n  return o",
)
case(
    "conversion traceback has no foreign frames",
    "import traceback\ndef c(t):\n  return int(t)\ndef r():\n  try: c('q')\n"
    "  except ValueError as e: return [f.name for f in traceback.extract_tb(e.__traceback__)]",
)
case(
    "comparison traceback of names has no foreign frames",
    "import traceback\ndef c(a, b):\n  if a < b: return 1\ndef r():\n  try: c(1, 'q')\n"
    "  except TypeError as e: return [f.name for f in traceback.extract_tb(e.__traceback__)]",
)
case(
    "a shadowed int is called once with the value itself",
    "calls = []\ndef int(v):\n  calls.append(v); return v\ndef r():\n  v = 'abc'\n  return int(v) is v, calls",
)
case(
    "missing keys and indexes raise as ever",
    "def r():\n  d, l, o = {'a': 1}, [1], []\n  for k in ('a', 'b', 0, 5, None):\n"
    "    for c in (d, l, 'xy'):\n      try: o.append(c[k])\n"
    "      except (KeyError, IndexError, TypeError) as e: o.append(repr(e))\n  return o",
)
case(
    "defaultdict and __missing__ see one lookup",
    "log = []\nclass D(dict):\n  def __missing__(s, k): log.append(k); return k\n"
    "def r():\n  d = D(); k = 'q'\n  return d[k], d.get(k), log",
)
case(
    "bound predicate is looked up once",
    "log = []\nclass S:\n  @property\n  def startswith(s): log.append('p'); return lambda x: x == 'a'\n"
    "def r():\n  s = S()\n  return s.startswith('a'), (1 if s.startswith('b') else 2), log",
)
case(
    "receiver with side effects is evaluated once",
    "log = []\ndef t(): log.append(1); return 'abc'\n"
    "def r(): return t().startswith('a'), (1 if t().endswith('b') else 2), t().upper().isdigit(), log",
)
case(
    "nonlocal, del and comprehension variables",
    "def r():\n  t = [1, 2, 3]\n  def g():\n    nonlocal t\n    t = [x for x in t if x in t and t[x - 1] == x]\n"
    "    return t\n  return g()",
)
case(
    "generator closed early runs its finally",
    "log = []\ndef g():\n  try:\n    for i in range(9):\n      if i > 2 and i != 4: log.append(i)\n      yield i\n"
    "  finally: log.append('f')\ndef r():\n  it = g(); o = [next(it) for _ in range(5)]; it.close(); return o, log",
)
case(
    "return in finally and loop else",
    "def f(x):\n  for i in range(3):\n    try:\n      if i == x: continue\n      if i > x: break\n"
    "    finally:\n      x += 1\n  else:\n    return 'else', x\n  return 'broke', x\n"
    "def r(): return [f(v) for v in range(-2, 4)]",
)
case(
    "comparison chain with a call in the middle and in",
    "log = []\ndef f(v): log.append(v); return v\n"
    "def r(): return 1 < f(2) in (2, 3), f(1) in {1: 2} == True, 0 <= f(3) < f(3), log",
)
case(
    "exact membership through constants",
    "def f(v): return v\ndef r(): return [(lambda q: f(f(f(f(f(f(q)))))) in {1, 'a', (2, 3)})(v) for v in (1, 'a', (2, 3), 9)]",
)
case(
    "while with walrus and else",
    "def r():\n  n, o = 3, []\n  while (n := n - 1) and n != 7:\n    o.append(n)\n  else:\n    o.append('e')\n  return o",
)
case(
    "identity of operands in value context",
    "class T:\n  pass\nclass F:\n  def __bool__(self): return False\n"
    "def r():\n  t, f = T(), F()\n  return (f or t) is t, (t and f) is f, (f or (f or t)) is t, ((t and f) or t) is t",
)
case(
    "match on strings with guards that raise",
    "def m(v):\n  match v:\n    case str() if v[9] == 'x': return 1\n    case _: return 2\n"
    "def r():\n  try: return m('ab')\n  except IndexError as e: return str(e)",
)
case(
    "compiled patterns as attributes",
    "import re\nclass K:\n  P = re.compile('a(b)?')\n  def f(s, t): return bool(s.P.match(t)), s.P.search(t) and 1, s.P.fullmatch(t[1:])\n"
    "def r(): return [K().f(t) for t in ('ab', 'xa', 'x', '')], re.search('q', 'xq').start()",
)
case(
    "get and lookups with unhashable and missing keys",
    "def r():\n  d, o = {1: 2}, []\n  for k in (1, [], 'q', {}, None):\n    try: o.append((d.get(k), d.get(k, 5), d[k]))\n"
    "    except (TypeError, KeyError) as e: o.append(repr(e))\n  return o",
)
case("only a docstring", '"""Nothing else."""\n', "__doc__")
case("an empty module", "", "1")
case("a future import alone", "from __future__ import annotations\n", "annotations.optional")
case(
    "one-line bodies and semicolons",
    "def r():\n  o = []; x = 1\n  if x: o.append(1); o.append(2)\n  else: o.append(3)\n"
    "  for i in 1, 2: o.append(i); o.append(-i)\n  while x: x = 0; o.append('w')\n  return o",
)
case(
    "async with, async for and else",
    "import asyncio\nclass A:\n  async def __aenter__(s): return s\n  async def __aexit__(s, *a): return a[0] is ValueError\n"
    "async def g():\n  for i in (1, 2): yield i\nasync def m():\n  o = []\n  async with A():\n"
    "    async for i in g():\n      if i == 2: raise ValueError\n      o.append(i)\n  async for i in g(): pass\n"
    "  else: o.append('e')\n  return o\ndef r(): return asyncio.run(m())",
)
case(
    "str.join on generator with condition and lambda default",
    "def r(): return ','.join(c for c in 'a1b2' if not c.isdigit()), (lambda k='x' if 1 < 2 else 'y': k)()",
)
case(
    "class with custom metaclass namespace",
    "class N(dict):\n  def __setitem__(s, k, v):\n    s.setdefault('order', []).append(k) if k != 'order' else None\n"
    "    super().__setitem__(k, v)\nclass M(type):\n  @classmethod\n  def __prepare__(c, n, b): return N()\n"
    "class K(metaclass=M):\n  a = 1\n  if a == 1: b = a > 0 and 2\n  c = [i for i in (1, 2) if i != 2]\n"
    "def r(): return [k for k in K.order if not k.startswith('__')]",
)
