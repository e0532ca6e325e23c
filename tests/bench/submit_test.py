#!/usr/bin/env python3
"""What submit.py makes of a capture and of the events of a run."""

import unittest

from submit import background_ms, first_after_ms


class FirstPacket(unittest.TestCase):
    def test_is_the_earliest_whatever_the_order_of_the_file(self):
        self.assertAlmostEqual(1250.0, first_after_ms(1_000_000, [1_252_000_000, 1_251_000_000]))

    def test_before_the_submission_cannot_be_the_trial_s(self):
        with self.assertRaises(RuntimeError):
            first_after_ms(1_000, [999, 2_000])

    def test_of_an_empty_capture_does_not_exist(self):
        with self.assertRaises(RuntimeError):
            first_after_ms(0, [])


class Background(unittest.TestCase):
    def test_lies_between_the_case_and_its_first_trial(self):
        events = [
            {"at_unix_ns": 5_000_000, "queued": {}},
            {"at_unix_ns": 7_000_000, "case_started": {}},
            {"at_unix_ns": 1_008_000_000, "trial_started": {}},
            {"at_unix_ns": 3_000_000_000, "trial_started": {}},
        ]
        self.assertAlmostEqual(1001.0, background_ms(events))


if __name__ == "__main__":
    unittest.main()
