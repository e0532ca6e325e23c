"""Which rounds are measured, and what a table says of their number."""

import contextlib
import io
import tempfile
import unittest
from pathlib import Path

from round_log import RoundLog
from run_bench import chosen, measure, rounds_text

CONDITIONS = ("UDP 1472 B x 1, write", "UDP 1472 B x 8, write", "TCP 64 B x 1, write")


class FakeBench:
    """Notes what it is asked to measure."""

    def __init__(self):
        self.asked = []

    def __enter__(self):
        return self

    def __exit__(self, *_):
        pass

    def run_round(self, condition: str, round_: int) -> dict:
        self.asked.append((condition, round_))
        return {}


class ChosenConditions(unittest.TestCase):
    def test_without_patterns_all(self):
        self.assertEqual(list(CONDITIONS), chosen(CONDITIONS, None))

    def test_what_any_pattern_names_once_and_in_the_bench_s_order(self):
        self.assertEqual(
            [CONDITIONS[0], CONDITIONS[2]],
            chosen(CONDITIONS, ["TCP*", "* x 1, write", "UDP 1472 B x 1, write"]),
        )

    def test_a_pattern_that_names_nothing_is_refused_with_the_names(self):
        with self.assertRaises(SystemExit) as refused:
            chosen(CONDITIONS, ["UDP*", "SCTP*"])
        self.assertIn("SCTP*", str(refused.exception))
        self.assertIn(CONDITIONS[2], str(refused.exception))


class FurtherRounds(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.log = RoundLog(Path(folder.name) / "b.rounds.jsonl", {"bench": "b", "seed": 7})
        for condition in CONDITIONS:
            self.log.add(condition, 0, {}, None)

    def test_only_missing_rounds_of_the_chosen_conditions_are_measured(self):
        bench = FakeBench()
        with contextlib.redirect_stdout(io.StringIO()):
            measure(bench, self.log, 3, [CONDITIONS[1]])
        self.assertEqual([(CONDITIONS[1], 1), (CONDITIONS[1], 2)], bench.asked)
        self.assertEqual(3, len(self.log.good(CONDITIONS[1])))
        self.assertEqual(1, len(self.log.good(CONDITIONS[0])))

    def test_the_table_tells_that_conditions_have_unequal_rounds(self):
        self.assertEqual("1 rounds", rounds_text(list(self.log.records.values())))
        self.log.add(CONDITIONS[1], 1, {}, None)
        self.assertEqual("1 to 2 rounds of a condition", rounds_text(list(self.log.records.values())))
        self.assertEqual("no rounds", rounds_text([]))


if __name__ == "__main__":
    unittest.main()
