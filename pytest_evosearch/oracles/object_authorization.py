"""Reports that a caller reads or changes what belongs to another user."""

from __future__ import annotations

from collections.abc import Iterable
from collections.abc import Iterator
from collections.abc import Mapping
from collections.abc import Sequence
from dataclasses import field

from pytest_evosearch.core.quick_dataclasses import dataclass
from pytest_evosearch.core.vocabulary import IDENTIFIER
from pytest_evosearch.core.vocabulary import Certainty
from pytest_evosearch.oracles.findings import DONE
from pytest_evosearch.oracles.findings import GONE
from pytest_evosearch.oracles.findings import address_of
from pytest_evosearch.oracles.findings import as_it_was
from pytest_evosearch.oracles.findings import finding
from pytest_evosearch.oracles.findings import is_plain_get
from pytest_evosearch.oracles.findings import json_of
from pytest_evosearch.oracles.oracle import WithoutKnowledge
from pytest_evosearch.oracles.senders import callers_of
from pytest_evosearch.problem.http.descriptions.endpoint_relations import collection_of
from pytest_evosearch.problem.http.exchanges.endpoint import SAFE_METHODS
from pytest_evosearch.problem.http.exchanges.exchange import Exchange
from pytest_evosearch.problem.http.exchanges.refusals import turns_away
from pytest_evosearch.problem.http.exchanges.reported_faults import Expectation
from pytest_evosearch.problem.http.exchanges.reported_faults import Fault

FULL_PAGE = 10
"""Number of entries from which a list may be the first page of several."""


Address = tuple[str, tuple[tuple[str, str], ...]]


@dataclass
class _Story:
    """What is known so far about who may see and change what."""

    listed: dict[tuple[object, ...], dict[str, list[object]]] = field(default_factory=dict)
    """Collection -> caller -> its entries."""
    read: dict[Address, dict[str, Exchange]] = field(default_factory=dict)
    """Address -> caller -> what the caller has read there since the last change."""
    guarded: set[Address] = field(default_factory=set)
    """Addresses at which anonymous callers are refused."""
    written: dict[Address, dict[str, list[Exchange]]] = field(default_factory=dict)

    def note(self, exchange: Exchange, caller: str | None) -> None:
        """Add one exchange."""
        address, request = address_of(exchange.request), exchange.request
        if caller is None:
            if turns_away(exchange):
                self.guarded.add(address)
        elif is_plain_get(exchange):
            self.read.setdefault(address, {})[caller] = exchange
            entries = _entries(json_of(exchange))
            if exchange.status == 200 and entries is not None:
                collection = (address[0].rstrip("/"), address[1])
                self.listed.setdefault(collection, {})[caller] = entries
        elif request.method not in SAFE_METHODS:
            self.written.setdefault(address, {}).setdefault(caller, []).append(exchange)
        if request.method not in SAFE_METHODS and exchange.status < 400:
            self.read.clear()

    def owners(self, address: Address, other: str) -> Iterator[tuple[str, Exchange]]:
        """Yield the other users who have read this address, with the exchange."""
        for caller, exchange in self.read.get(address, {}).items():
            if caller != other and exchange.status == 200:
                yield caller, exchange

    def is_hidden(self, address: Address, owner: str, other: str) -> bool:
        """Say whether the collection shows the address to its owner, and not to the other user."""
        template, values = address
        if not values or not template.endswith("}"):
            return False
        name, value = values[-1]
        lists = self.listed.get((collection_of(template, name), values[:-1]), {})
        if owner not in lists or other not in lists:
            return False
        shown, others = lists[owner], lists[other]
        if len(others) >= max(FULL_PAGE, len(shown)):
            return False  # it may be on the next page
        return _holds(shown, name, value) and not _holds(others, name, value)

    def is_kept_from(self, address: Address, other: str) -> bool:
        """Say whether the other user may not even read the address."""
        seen = self.read.get(address, {}).get(other)
        return seen is not None and (turns_away(seen) or seen.status in GONE)

    def may_not_write(self, address: Address, owner: str, other: str) -> bool:
        """Say whether the other user was refused a change that the owner may make."""
        written = self.written.get(address, {})
        refused = {one.request.method for one in written.get(other, ()) if turns_away(one)}
        allowed = {one.request.method for one in written.get(owner, ()) if one.status in DONE}
        return bool(refused & allowed)


def _entries(shown: object) -> list[object] | None:
    """Return the list in a response: the whole value, or one level below."""
    if isinstance(shown, list):
        return shown
    if isinstance(shown, dict):
        lists = [part for part in shown.values() if isinstance(part, list)]
        return lists[0] if len(lists) == 1 else None
    return None


def _holds(entries: Sequence[object], name: str, value: str) -> bool:
    for entry in entries:
        if not isinstance(entry, Mapping):
            if not isinstance(entry, (list, bool)) and str(entry) == value:
                return True
            continue
        for key, part in entry.items():
            identifies = key == name or IDENTIFIER.is_meant_by(str(key), Certainty.POSSIBLE)
            if identifies and not isinstance(part, (dict, list)) and str(part) == value:
                return True
    return False


class ObjectAuthorizationOracle(WithoutKnowledge):
    """Reports users who have access to what belongs to another user (OWASP API1:2023)."""

    code = "object-authorization"
    fewest_calls = 4
    explanation = "a user reads, changes or deletes what only another user may access"

    def judge_sequence(self, exchanges: Sequence[Exchange]) -> Iterable[Fault]:
        """Yield a fault for each read, and for each change that its owner can see."""
        story = _Story()
        pending: dict[Address, tuple[str, Exchange, Exchange]] = {}
        for call, (exchange, caller) in enumerate(
            zip(exchanges, callers_of(exchanges), strict=True)
        ):
            address, method = address_of(exchange.request), exchange.request.method
            if caller is not None and address in story.guarded:
                if is_plain_get(exchange):
                    yield from self._seen(story, exchange, caller, call)
                    yield from self._felt(pending.get(address), exchange, caller, call)
                elif method not in SAFE_METHODS and exchange.status in DONE:
                    pending.clear()
                    owner = _wronged(story, address, caller)
                    if owner is not None:
                        pending[address] = (owner[0], owner[1], exchange)
            story.note(exchange, caller)

    def _seen(self, story: _Story, exchange: Exchange, caller: str, call: int) -> Iterator[Fault]:
        address = address_of(exchange.request)
        for owner, read in story.owners(address, caller):
            same = exchange.status == 200 and json_of(exchange) == json_of(read) is not None
            if same and story.is_hidden(address, owner, caller):
                wanted = Expectation("status-in", (403, 404), phrase="is_refused_to_others")
                message = "another user reads what the collection lists for its owner only"
                endpoint = exchange.request.endpoint
                yield finding(self.code, endpoint, call, "read by another user", message, wanted)
                return

    def _felt(
        self,
        pending: tuple[str, Exchange, Exchange] | None,
        exchange: Exchange,
        caller: str,
        call: int,
    ) -> Iterator[Fault]:
        if pending is None or pending[0] != caller:
            return
        _owner, before, write = pending
        method = write.request.method
        if method == "DELETE" and exchange.status in GONE:
            wanted = Expectation("status-in", (200,), phrase="is_kept_from_others")
            message = "another user deletes it, although it is hidden from this user"
        elif method != "DELETE" and exchange.status == 200:
            wanted = as_it_was(json_of(before), json_of(exchange), "is_kept_from_others")
            message = "another user changes it, although it is hidden from this user"
            if json_of(before) == json_of(exchange):
                return
        else:
            return
        kind = f"{method} by another user"
        yield finding(self.code, write.request.endpoint, call, kind, message, wanted)


def _wronged(story: _Story, address: Address, caller: str) -> tuple[str, Exchange] | None:
    """Return an owner whom a change by `caller` harms, and what the owner has read."""
    for owner, read in story.owners(address, caller):
        if (
            story.is_hidden(address, owner, caller)
            or story.is_kept_from(address, caller)
            or story.may_not_write(address, owner, caller)
        ):
            return owner, read
    return None
