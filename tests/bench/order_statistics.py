"""The statistics behind a claim of speed: paired ratios, the median's order-statistic interval, the verdict.

Nothing is assumed about how the figures are spread: the interval of the median rests on the binomial
distribution only (each round lies below the true median with probability 1/2). Pure functions; time and
randomness come from outside.
"""

import math
import random
from dataclasses import dataclass

HOLDS = "holds"
FAILS = "fails"
NOT_DECIDED = "not decided"


@dataclass(frozen=True)
class Interval:
    """The median of `count` values and its interval; low and high are None if no interval reaches the
    confidence.
    """

    median: float
    low: float | None
    high: float | None
    coverage: float | None  # true confidence of [low, high], at least the one asked for
    count: int


def binomial_tail(count: int, at_most: int) -> float:
    """P(X <= at_most) for X ~ Binomial(count, 1/2)."""
    return sum(math.comb(count, i) for i in range(at_most + 1)) / 2**count


def interval_rank(count: int, confidence: float = 0.95) -> int | None:
    """Largest k (from 1) such that [k-th smallest, k-th largest] covers the median with at least
    `confidence`.
    """
    best = None
    for rank in range(1, count // 2 + 1):
        if 1 - 2 * binomial_tail(count, rank - 1) < confidence:
            break
        best = rank
    return best


def median(values: list[float]) -> float:
    ordered = sorted(values)
    if not ordered:
        raise ValueError("the median of no values")
    middle = len(ordered) // 2
    return ordered[middle] if len(ordered) % 2 else (ordered[middle - 1] + ordered[middle]) / 2


def median_interval(values: list[float], confidence: float = 0.95) -> Interval:
    ordered = sorted(values)
    rank = interval_rank(len(ordered), confidence)
    if rank is None:
        return Interval(median(ordered), None, None, None, len(ordered))
    coverage = 1 - 2 * binomial_tail(len(ordered), rank - 1)
    return Interval(median(ordered), ordered[rank - 1], ordered[-rank], coverage, len(ordered))


def quantile(values: list[float], share: float) -> float:
    """The smallest value that at least `share` of the values do not exceed (no interpolation)."""
    ordered = sorted(values)
    if not ordered or not 0 < share <= 1:
        raise ValueError(f"quantile {share} of {len(ordered)} values")
    return ordered[math.ceil(share * len(ordered)) - 1]


def paired_ratios(ours: list[float], theirs: list[float]) -> list[float]:
    """Round by round; both lists are in the order of the rounds."""
    if len(ours) != len(theirs):
        raise ValueError(f"{len(ours)} figures cannot be paired with {len(theirs)}")
    return [a / b for a, b in zip(ours, theirs)]


def verdict_at_least(interval: Interval, bar: float) -> str:
    """For a claim "not below the bar"."""
    if interval.low is None:
        return NOT_DECIDED
    if interval.low >= bar:
        return HOLDS
    return FAILS if interval.high < bar else NOT_DECIDED


def verdict_at_most(interval: Interval, bar: float) -> str:
    """For a claim "not above the bar"."""
    if interval.low is None:
        return NOT_DECIDED
    if interval.high <= bar:
        return HOLDS
    return FAILS if interval.low > bar else NOT_DECIDED


def verdict_below(interval: Interval, bar: float) -> str:
    """For a claim "under the bar": what equals the bar is not under it."""
    if interval.low is None:
        return NOT_DECIDED
    if interval.high < bar:
        return HOLDS
    return FAILS if interval.low >= bar else NOT_DECIDED


def shuffled(items: list, seed: int, *place: object) -> list:
    """The items in the order of one round. The same seed and place give the same order, resumed or not."""
    order = list(items)
    random.Random("/".join(str(part) for part in (seed, *place))).shuffle(order)
    return order
