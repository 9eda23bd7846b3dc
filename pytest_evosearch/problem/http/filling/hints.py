"""Input-to-state: derives the values to send from the values that the code compared.

A compared operand that equals (a form of) a sent value shows which gene feeds the
condition; the other operand shows what that gene should hold.  C. Aschermann et al.,
"REDQUEEN: Fuzzing with Input-to-State Correspondence" (NDSS 2019), carried over from byte
offsets to gene trees.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from collections.abc import Iterator
from collections.abc import Mapping
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import field
from dataclasses import replace

from pytest_evosearch.core.comparison_signs import MIRRORED
from pytest_evosearch.core.quick_dataclasses import dataclass
from pytest_evosearch.core.randomness import Random
from pytest_evosearch.core.targets import TargetId
from pytest_evosearch.genes.base import Gene
from pytest_evosearch.genes.base import Path
from pytest_evosearch.genes.regex import RegexGene
from pytest_evosearch.instrument.distances.lengths import LENGTH
from pytest_evosearch.instrument.probing.trace import Comparison
from pytest_evosearch.instrument.transformation.calls import REGULAR
from pytest_evosearch.problem.http.exchanges.endpoint import Location
from pytest_evosearch.problem.http.exchanges.exchange import Exchange
from pytest_evosearch.problem.http.exchanges.individual import Individual
from pytest_evosearch.problem.http.exchanges.json_places import innermost_name
from pytest_evosearch.problem.http.filling.check_digits import CheckDigits
from pytest_evosearch.problem.http.filling.check_digits import Place
from pytest_evosearch.problem.http.filling.check_digits import digits_of
from pytest_evosearch.problem.http.filling.operand_goals import wishes
from pytest_evosearch.problem.http.filling.sent_values import Sent
from pytest_evosearch.problem.http.filling.sent_values import Unsent
from pytest_evosearch.problem.http.filling.sent_values import is_link
from pytest_evosearch.problem.http.filling.sent_values import sent_lists
from pytest_evosearch.problem.http.filling.sent_values import sent_values
from pytest_evosearch.problem.http.filling.sent_values import unsent_values
from pytest_evosearch.problem.http.filling.transforms import inverses
from pytest_evosearch.problem.http.filling.transforms import with_length

EVIDENCE_PER_TARGET = 10
"""Most individuals whose comparisons are kept for one target: as many as MIO's population."""

COMPARISONS_PER_TARGET = 48
"""Most comparisons kept from one individual for one target: a loop over a list makes many."""

HINTS_PER_INDIVIDUAL = 96

HINTS_PER_COMPARISON = 300
"""Most hints of one comparison; a container gives one for each member."""

LARGEST_BITS = 4096
"""Most bits of an integer to send; Python refuses to print one beyond about 14,000."""

TRIES_PER_HINT = 3

SHORTEST_TOKEN = 8
"""Fewest characters of a linked text that the application may have drawn at random."""

MOST_RECENT = 128
"""Individuals whose targets are remembered: parents and children of two generations."""

MOST_TARGETS_TRIED = 4096
"""Most entries in the table of tried hints; when it is full, it is cleared."""


@dataclass(frozen=True)
class Hint:
    """One gene that should hold another value to come closer to a target."""

    target: TargetId
    call: int
    """Index of the call in the individual that showed the hint."""
    endpoint: str
    key: tuple[Location, str]
    """The input; one that the call lacks is added."""
    gene_path: Path
    """The gene inside the input; () for the whole input."""
    value_path: tuple[str | int, ...]
    """The place in the input's value, for bodies of another shape."""
    value: object
    gene: Gene | None = None
    """A gene to insert instead of `value`: a link, or the grammar of a regular expression."""

    @property
    def name(self) -> str:
        """The innermost name of the place."""
        return innermost_name(self.value_path) or self.key[1]


@dataclass
class Evidence:
    """The comparisons of one individual on the way to one target."""

    individual: Individual
    exchanges: Sequence[Exchange]
    score: float
    comparisons: list[Comparison] = field(default_factory=list)
    hints: list[Hint] | None = None
    """Computed when first needed: most evidence is never used."""
    cursor: int = 0


class HintBook:
    """Keeps evidence for each target, and turns it into hints on demand."""

    def __init__(self) -> None:
        self._evidence: dict[TargetId, deque[Evidence]] = {}
        self._best: dict[TargetId, float] = {}
        self._by_line: dict[str, dict[TargetId, None]] = {}
        self._tried: dict[tuple[object, ...], int] = {}
        self._check_digits = CheckDigits()
        self._recent: deque[tuple[Individual, list[TargetId]]] = deque(maxlen=MOST_RECENT)

    def learn(
        self,
        individual: Individual,
        exchanges: Sequence[Exchange],
        comparisons: Sequence[Comparison],
        scores: Mapping[TargetId, float],
    ) -> None:
        """File the comparisons of one executed individual under their targets.

        Comparisons of targets that are no longer scored are ignored.
        """
        grouped: dict[TargetId, Evidence] = {}
        for comparison in comparisons:
            target = comparison.target
            evidence = grouped.get(target)
            if evidence is None:
                score = scores.get(target)
                if score is None or score >= 1.0:
                    continue
                evidence = self._file(target, Evidence(individual, exchanges, score))
                grouped[target] = evidence
            if len(evidence.comparisons) < COMPARISONS_PER_TARGET:
                evidence.comparisons.append(comparison)
        if grouped:
            self._recent.append((individual, list(grouped)))
            self._read_check_digits(grouped.values())

    def _read_check_digits(self, collected: Iterable[Evidence]) -> None:
        """Note the numbers that the sent digits led to."""
        texts: dict[Place, str] | None = None
        for evidence in collected:
            found = next(filter(self._check_digits.wants, evidence.comparisons), None)
            if found is not None:
                if texts is None:
                    texts = {place: text for place, (_, text) in _digits_sent(evidence).items()}
                self._check_digits.read(found, texts)

    def _file(self, target: TargetId, evidence: Evidence) -> Evidence:
        """Keep the newest of the best: a population holds these individuals, too."""
        known = self._evidence.get(target)
        if known is None:
            known = self._evidence[target] = deque(maxlen=EVIDENCE_PER_TARGET)
            self._by_line.setdefault(_line_of(target), {})[target] = None
        if evidence.score >= self._best.get(target, 0.0):
            self._best[target] = evidence.score
            known.append(evidence)
        elif len(known) < EVIDENCE_PER_TARGET:
            known.appendleft(evidence)
        return evidence

    def forget(self, target: TargetId) -> None:
        """Drop the evidence for a target that was reached."""
        self._evidence.pop(target, None)
        self._check_digits.forget(target)

    def target_of(self, individual: Individual, rng: Random) -> TargetId | None:
        """Return a target with evidence from this individual, or any target when there is none."""
        for known, targets in reversed(self._recent):
            if known is individual:
                open_targets = [each for each in targets if each in self._evidence]
                return rng.choice(open_targets) if open_targets else None
        return rng.choice(list(self._evidence)) if self._evidence else None

    def __len__(self) -> int:
        return len(self._evidence)

    def draw(self, target: TargetId, individual: Individual, rng: Random) -> Hint | None:
        """Return a hint for `target` that fits `individual`, the least tried ones first."""
        candidates = self._candidates(target, individual)
        if not candidates:
            return None
        # Hints are sorted from exact to vague: prefer the first ones, but try all of them.
        position = min(int(rng.expovariate(0.5)), len(candidates) - 1)
        hint = candidates[position]
        if len(self._tried) > MOST_TARGETS_TRIED:
            self._tried.clear()
        mark = _mark(hint)
        self._tried[mark] = self._tried.get(mark, 0) + 1
        return hint

    def _candidates(self, target: TargetId, individual: Individual) -> list[Hint]:
        evidence = self.evidence_for(target, individual)
        if evidence is None:
            return []
        if evidence.hints is None:
            evidence.hints = work_out(target, evidence)
        tried = self._tried
        ranked: list[list[Hint]] = [[] for _ in range(TRIES_PER_HINT)]
        for hint in self._with_check_digits(target, evidence, evidence.hints):
            times = tried.get(_mark(hint), 0)
            if times < TRIES_PER_HINT:
                ranked[times].append(hint)
        return next((hints for hints in ranked if hints), [])

    def _with_check_digits(
        self, target: TargetId, evidence: Evidence, hints: Sequence[Hint]
    ) -> Sequence[Hint]:
        """Put digits at a place that changes the number first, those at other places last."""
        if not self._check_digits.knows(target):
            return hints
        sent = _digits_sent(evidence)
        texts = {place: text for place, (_, text) in sent.items()}
        proposed: dict[bool, list[Hint]] = {True: [], False: []}
        for place, text, moves in self._check_digits.proposals(target, texts):
            given, _text = sent[place]
            value = text if isinstance(given.value, str) else int(text)
            proposed[moves].append(_hint(target, given, value, None))
        return [*proposed[True], *hints, *proposed[False]]

    def evidence_for(self, target: TargetId, individual: Individual) -> Evidence | None:
        """Return what was compared on the way to `target`, by this individual where it is kept."""
        known = self._evidence.get(target)
        if not known:
            known = self._evidence_beside(target)
        if not known:
            return None
        for evidence in reversed(known):
            if evidence.individual is individual:
                return evidence
        return known[-1]

    def _evidence_beside(self, target: TargetId) -> deque[Evidence] | None:
        """Return the evidence of another target on this line: of an operand of a condition."""
        beside = self._by_line.get(_line_of(target), ())
        return next((self._evidence[each] for each in beside if each in self._evidence), None)


def _line_of(target: TargetId) -> str:
    """Return ``branch a.py:3`` of ``branch a.py:3#2 true``."""
    kind, _, rest = target.partition(" ")
    return f"{kind} {rest.partition(' ')[0].partition('#')[0]}"


def _mark(hint: Hint) -> tuple[object, ...]:
    return (hint.target, hint.endpoint, hint.key, hint.gene_path, repr(hint.value))


def work_out(target: TargetId, evidence: Evidence) -> list[Hint]:
    """Match compared with sent values; exact matches come first, then vaguer ones."""
    test = evidence.individual, evidence.exchanges
    sent = [*sent_values(*test), *sent_lists(*test)]
    unsent = unsent_values(evidence.exchanges)
    found: dict[tuple[object, ...], tuple[int, Hint]] = {}
    for comparison in evidence.comparisons:
        for mark, rank, hint in _collected(target, comparison, sent, unsent):
            if mark not in found or rank < found[mark][0]:
                found[mark] = (rank, hint)
        if len(found) >= HINTS_PER_INDIVIDUAL:
            break
    ranked = sorted(found.values(), key=lambda entry: entry[0])
    chance = [each for each in sent if is_link(each.gene) and isinstance(each.value, str)]
    return [hint for _rank, hint in ranked if not any(_copies(hint, each) for each in chance)]


def _copies(hint: Hint, linked: Sent) -> bool:
    """Say whether a hint contains part of a link's value: tokens differ in each run."""
    token, text = str(linked.value), str(hint.value)
    if len(token) < SHORTEST_TOKEN or hint.gene is not None:
        return False
    return any(token[start : start + 4] in text for start in range(len(token) - 3))


def _collected(
    target: TargetId, comparison: Comparison, sent: Sequence[Sent], unsent: Sequence[Unsent]
) -> list[tuple[tuple[object, ...], int, Hint]]:
    """Return mark, rank and hint for one comparison, none when its operands are unusable.

    Operands and defaults belong to the application: comparing or printing them may raise anything
    (a signalling NaN, an integer with too many digits to print).
    """
    collected: list[tuple[tuple[object, ...], int, Hint]] = []
    with suppress(Exception):
        for rank, hint in _hints_of(target, comparison, sent, unsent):
            if not isinstance(hint.value, int) or hint.value.bit_length() <= LARGEST_BITS:
                collected.append((_mark(hint), rank, hint))
            if len(collected) >= HINTS_PER_COMPARISON:
                break
    return collected


def _hints_of(
    target: TargetId, comparison: Comparison, sent: Sequence[Sent], unsent: Sequence[Unsent]
) -> Iterator[tuple[int, Hint]]:
    if comparison.relation == LENGTH:
        yield from _length_hints(target, comparison, sent)
        return
    if comparison.relation in REGULAR:
        yield from _pattern_hints(target, comparison, sent, unsent)
        return
    for observed, wanted, penalty in _directions(comparison):
        for value in sent:
            for wish in wishes(comparison.relation, observed, wanted):
                for rank, changed in inverses(value.value, observed, wish):
                    if changed is not value.value and changed != value.value:
                        gene = _source_of(changed, value, sent)
                        yield rank + penalty, _hint(target, value, changed, gene)
        for absent in unsent:
            if observed is None or observed == absent.default:
                for wish in wishes(comparison.relation, observed, wanted):
                    yield penalty, _addition(target, absent, wish)


def _length_hints(
    target: TargetId, comparison: Comparison, sent: Sequence[Sent]
) -> Iterator[tuple[int, Hint]]:
    for value in sent:
        for rank, changed in with_length(value.value, comparison.observed, comparison.wanted):
            yield rank, _hint(target, value, changed, None)


def _pattern_hints(
    target: TargetId, comparison: Comparison, sent: Sequence[Sent], unsent: Sequence[Unsent]
) -> Iterator[tuple[int, Hint]]:
    """Put the grammar of the pattern in place of the matched text's source."""
    pattern = comparison.wanted
    if isinstance(pattern, bytes):
        pattern = pattern.decode("latin-1")
    if not isinstance(pattern, str):
        return
    try:
        grammar = RegexGene.compile(pattern)
    except ValueError:
        return
    observed = comparison.observed
    for value in sent:
        # Invert a wish for the pattern: this shows whether, and how well, the texts agree.
        for rank, _changed in inverses(value.value, observed, pattern):
            yield rank, _hint(target, value, pattern, grammar)
            break
    for absent in unsent:
        if observed is None or observed in ("", absent.default):
            yield 0, replace(_addition(target, absent, pattern), gene=grammar)


_SYMMETRIC = frozenset({*MIRRORED, "is", "is not"})


def _directions(comparison: Comparison) -> Iterator[tuple[object, object, int]]:
    """Yield the operands in order, then swapped: the constant may be on the left."""
    yield comparison.observed, comparison.wanted, 0
    if comparison.relation in _SYMMETRIC:
        yield comparison.wanted, comparison.observed, 2


def _hint(target: TargetId, sent: Sent, value: object, gene: Gene | None) -> Hint:
    return Hint(
        target,
        sent.call,
        sent.endpoint,
        sent.key,
        sent.gene_path,
        sent.value_path,
        value,
        gene,
    )


def _addition(target: TargetId, unsent: Unsent, value: object) -> Hint:
    return Hint(target, unsent.call, unsent.endpoint, unsent.key, (), unsent.value_path, value)


def _source_of(value: object, changed: Sent, sent: Sequence[Sent]) -> Gene | None:
    """Return the link that sends `value` elsewhere in this call, so that both change together."""
    for other in sent:
        if other.call != changed.call or other is changed or not is_link(other.gene):
            continue
        if other.value == value or str(other.value) == str(value):
            return other.gene
    return None


def _digits_sent(evidence: Evidence) -> dict[Place, tuple[Sent, str]]:
    """Return, by place, the sent values with digits; a link counts with its value."""
    found: dict[Place, tuple[Sent, str]] = {}
    for sent in sent_values(evidence.individual, evidence.exchanges):
        text = None if is_link(sent.gene) else digits_of(sent.value)
        if text is not None:
            found.setdefault((sent.endpoint, sent.key, sent.value_path), (sent, text))
    return found
