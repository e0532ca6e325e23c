#!/usr/bin/env python3
"""What http_api.py sends and reads, without a coordinator."""

import unittest

from http_api import phase_of, submit_target


class Target(unittest.TestCase):
    def test_has_each_label_whole(self):
        target = submit_target((("bench", "0-1"), ("note", "a b&c=d")))
        self.assertEqual("/v1/runs?label=bench%3D0-1&label=note%3Da+b%26c%3Dd", target)

    def test_has_no_query_without_labels(self):
        self.assertEqual("/v1/runs", submit_target(()))


class Phase(unittest.TestCase):
    def test_is_the_trial_s(self):
        self.assertEqual("MEASURE", phase_of({"progress": {"phase": "MEASURE"}}))

    def test_of_a_run_that_does_not_run_is_empty(self):
        self.assertEqual("", phase_of({"progress": None}))


if __name__ == "__main__":
    unittest.main()
