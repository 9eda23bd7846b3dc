from __future__ import annotations

import copy
import json
from types import ModuleType

from hypothesis import given
from hypothesis import strategies as st

from pytest_evosearch.sut.state.globals_state import GlobalsKeeper
from pytest_evosearch.sut.watching.recorded_json import plain
from pytest_evosearch.sut.watching.recorded_json import watched
from pytest_evosearch.sut.watching.recorded_reads import ReadLog

SCALARS = (
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=5)
)
JSON = st.recursive(
    SCALARS,
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=5), inner, max_size=4)
    ),
    max_leaves=12,
)
STATE = st.dictionaries(st.text("abc", min_size=1, max_size=3), JSON, max_size=4)
STEPS = st.lists(st.tuples(st.integers(0, 5), st.integers(0, 9)), max_size=12)


@given(JSON)
def test_recording_json_is_indistinguishable(value):
    recording = watched(value, ReadLog())

    assert recording == value
    assert repr(recording) == repr(value)
    assert json.dumps(recording) == json.dumps(value)
    assert plain(recording) == value
    assert copy.deepcopy(recording) == value


@given(st.dictionaries(st.text(max_size=5), SCALARS), st.text(max_size=5))
def test_every_lookup_is_noted_with_its_presence(value, key):
    log = ReadLog()
    recording = watched(value, log)

    assert recording.get(key) == value.get(key)
    assert [(read.path, read.present) for read in log.reads()] == [((key,), key in value)]


def disturb(value, step, argument):
    """Change a JSON container somewhere."""
    while isinstance(value, (dict, list)) and value:
        children = list(value.values()) if isinstance(value, dict) else value
        child = children[argument % len(children)]
        if not isinstance(child, (dict, list)) or step % 2:
            break
        value = child
    if isinstance(value, list):
        (value.clear, value.reverse, lambda: value.append(argument))[step % 3]()
    elif isinstance(value, dict):
        value[str(argument)] = argument
        if step > 3:
            value.pop(next(iter(value)))


@given(STATE, STEPS)
def test_any_disturbance_of_globals_is_undone(state, steps):
    module = ModuleType("disturbed")
    vars(module).update(state)
    keeper = GlobalsKeeper([module])
    before = copy.deepcopy(state)
    keeper.snapshot()

    for step, argument in steps:
        names = sorted(state)
        if names and step < 5:
            disturb(getattr(module, names[argument % len(names)], None), step, argument)
        else:
            setattr(module, f"new_{argument}", argument)
        if names and step == 5:
            setattr(module, names[argument % len(names)], argument)
    keeper.restore()

    kept = {name: value for name, value in vars(module).items() if not name.startswith("__")}
    assert kept == before
    assert all(kept[name] is state[name] for name in state)
