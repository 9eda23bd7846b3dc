"""Sets the share of fresh samples in a search by the gains that they are measured to bring.

    after each evaluation: decay both records; count it and its gain under its kind
    yield(kind) = (gains + CAUTION * yield of both together) / (evaluations + CAUTION)
    share of samples = yield(sample) / (yield(sample) + yield(mutant))

A schedule alone does not know the application. A handful of hard formulas needs mutation. In a
chain of states, each new sample may open another door.
Where gains are rare, a few evaluations without gain say little. So a kind is taken to be like
both together until it was tried some times (an empirical Bayes estimate).
"""

from __future__ import annotations

from dataclasses import dataclass

MEMORY = 0.99
"""What remains of a count after one more evaluation: about the last hundred count."""

CLOSER = 0.25
"""What a test is worth that comes closer to a target; one that covers something is worth 1."""

PRIOR = 0.05
"""Yield that is expected before anything was tried."""

CAUTION = 20.0
"""Evaluations that a kind is credited with at the common yield: gains are rare, and some bad luck
in the beginning must not decide for good."""


@dataclass
class _Record:
    tried: float = 0.0
    gained: float = 0.0

    def value(self, common: float) -> float:
        return (self.gained + CAUTION * common) / (self.tried + CAUTION)


class SampleBalance:
    """Compares what samples and mutants have brought of late."""

    def __init__(self) -> None:
        self._samples = _Record()
        self._mutants = _Record()

    def note(self, is_sample: bool, gain: float) -> None:
        """Count one evaluation; `gain` is 0 to 1."""
        record = self._samples if is_sample else self._mutants
        record.tried = record.tried * MEMORY + 1.0
        record.gained = record.gained * MEMORY + gain

    @property
    def sample_share(self) -> float:
        """The share of evaluations that samples deserve, above 0 and below 1."""
        gained = self._samples.gained + self._mutants.gained
        common = (gained + PRIOR) / (self._samples.tried + self._mutants.tried + 1.0)
        samples, mutants = self._samples.value(common), self._mutants.value(common)
        return samples / (samples + mutants)
