#!/usr/bin/env python3
"""What store.py makes of the figures of kept runs."""

import unittest
from urllib.parse import parse_qsl

from order_statistics import FAILS, HOLDS, NOT_DECIDED
from store import LISTS, conditions, one_of_each_run, series_rows


def figures(run_id: str, **counters: tuple[int, int]) -> dict:
    return {
        "run_id": run_id,
        "streams": 64,
        "intervals": 6000,
        "stored_bytes": 768_000,
        "read_ms": 80.0,
        "counters": {name: {"samples": samples, "bytes": size} for name, (samples, size) in counters.items()},
    }


class Runs(unittest.TestCase):
    def test_count_once_however_often_they_were_read(self):
        first, again, other = figures("x"), figures("x"), figures("y")
        self.assertEqual([first, other], one_of_each_run([first, again, other]))


class Series(unittest.TestCase):
    def test_are_judged_counter_by_counter_in_bytes_for_each_sample(self):
        rows = series_rows([figures("x", small=(1000, 4000), large=(1000, 4001))])
        self.assertEqual([4.0, 4.001], [row.median for row in rows[:2]])
        self.assertEqual([HOLDS, FAILS], [row.verdict for row in rows[:2]])

    def test_one_run_above_the_bar_fails(self):
        rows = series_rows([figures("x", one=(10, 20)), figures("y", one=(10, 50))])
        self.assertEqual((FAILS, 2), (rows[0].verdict, rows[0].count))

    def test_as_a_whole_are_shown_for_each_stream_and_interval(self):
        self.assertAlmostEqual(2.0, series_rows([figures("x", one=(10, 20))])[1].median)

    def test_a_counter_without_a_sample_decides_nothing(self):
        self.assertEqual(NOT_DECIDED, series_rows([figures("x", one=(0, 0))])[0].verdict)
        self.assertEqual(NOT_DECIDED, series_rows([])[0].verdict)


class Conditions(unittest.TestCase):
    def test_are_told_apart_by_their_names(self):
        self.assertEqual(len(conditions()), len(set(conditions())))

    def test_labels_reach_the_query_whole(self):
        queries = [dict(parse_qsl(query)) for query, _ in LISTS.values()]
        self.assertIn({"label": "branch=main"}, queries)
        self.assertIn({"plan": "rare", "label": "branch=main"}, queries)


if __name__ == "__main__":
    unittest.main()
