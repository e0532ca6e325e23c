#!/usr/bin/env python3
"""What watchers.py takes for the cost of watchers, and when it says that each got everything."""

import unittest

from order_statistics import FAILS, HOLDS
from watchers import CONDITION, GRPC, NOBODY, SSE, WATCHERS, Bench, beyond_nobody


class Log:
    def __init__(self, *rounds: dict):
        self._rounds = list(rounds)

    def good(self, condition: str) -> list[dict]:
        return self._rounds if condition == CONDITION else []


def one_round(nobody: float, sse: float, grpc: float, complete: int = WATCHERS) -> dict:
    counts = {"watchers": WATCHERS, "complete": complete, "least_events": 95, "most_events": 95}
    return {
        NOBODY: {"busy_percent": nobody},
        SSE: {"busy_percent": sse, **counts},
        GRPC: {"busy_percent": grpc, **counts},
    }


def verdicts(rounds: list[dict], text: str) -> list[str]:
    return [row.verdict for row in Bench(None, 1).rows(Log(*rounds)) if text in row.figure]


class Cost(unittest.TestCase):
    def test_is_the_difference_within_a_round(self):
        rounds = [one_round(3, 10, 21), one_round(5, 11, 22)]
        self.assertEqual([7, 6], beyond_nobody(rounds, SSE))
        self.assertEqual([18, 17], beyond_nobody(rounds, GRPC))

    def test_is_judged_for_each_kind_by_itself(self):
        self.assertEqual([HOLDS, FAILS], verdicts([one_round(3, 15, 40)] * 9, "less none"))


class Completeness(unittest.TestCase):
    def test_one_watcher_short_in_one_round_fails(self):
        whole = one_round(3, 15, 16)
        self.assertEqual([HOLDS, HOLDS], verdicts([whole] * 3, "every event"))
        short = one_round(3, 15, 16, complete=WATCHERS - 1)
        self.assertEqual([FAILS, FAILS], verdicts([whole, short, whole], "every event"))


if __name__ == "__main__":
    unittest.main()
