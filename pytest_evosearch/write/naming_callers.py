"""Says in a name who asks, where it makes the difference: ``anonymous``, ``as_admin``."""

from __future__ import annotations

from collections.abc import Mapping
from collections.abc import Sequence

from pytest_evosearch.problem.http.exchange import Exchange
from pytest_evosearch.sut.handle import User
from pytest_evosearch.write.naming_stories import ENTRANCES
from pytest_evosearch.write.resources import resource_of
from pytest_evosearch.write.resources import words
from pytest_evosearch.write.specimen import Specimen
from pytest_evosearch.write.specimen import asks_to_log_in


def caller_phrase(
    specimen: Specimen, siblings: Sequence[Exchange], users: Mapping[str, User]
) -> str:
    """Return ``anonymous`` or ``as_admin`` where it makes the difference."""
    act = specimen.act
    if act.user is not None:
        others = {other.user for other in siblings if other.user not in (None, act.user)}
        return f"as_{words(act.user)}" if others and len(users) > 1 else ""
    if any(one.user is None for one in specimen.exchanges[:-1]):
        return ""  # the calls before may have logged somebody in
    entering = resource_of(act.request.template).rpartition("_")[2] in ENTRANCES
    refused = act.status in (401, 403) or (asks_to_log_in(act) and not entering)
    differs = any(other.user is not None and other.status != act.status for other in siblings)
    return "anonymous" if refused and (users or differs) else ""
