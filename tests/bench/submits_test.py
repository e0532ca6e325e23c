#!/usr/bin/env python3
"""When submits.py says that a submission is lost, how fast they went, and where they wait."""

import unittest

from submits import Submission, in_own_places, lost, per_second


def accepted(number: int, due_s: float = 0.0, answered_s: float = 0.0) -> Submission:
    return Submission(number, due_s, answered_s, f"run-{number}")


def listed(run_id: str, number: int) -> dict:
    return {"run_id": run_id, "labels": {"bench": "x", "number": str(number)}}


class Lost(unittest.TestCase):
    def test_none_is_where_each_is_listed_with_its_own_number(self):
        self.assertEqual(0, lost([accepted(1), accepted(2)], [listed("run-2", 2), listed("run-1", 1)]))

    def test_are_those_that_were_refused(self):
        self.assertEqual(1, lost([accepted(1), Submission(2, 0.0)], [listed("run-1", 1)]))

    def test_are_those_that_are_not_listed_that_are_twice_or_under_another_number(self):
        self.assertEqual(1, lost([accepted(1)], []))
        self.assertEqual(1, lost([accepted(1)], [listed("run-1", 1), listed("run-1", 1)]))
        self.assertEqual(1, lost([accepted(1)], [listed("run-1", 3)]))


class Rate(unittest.TestCase):
    def test_goes_from_the_first_instant_to_the_last_answer(self):
        submissions = [accepted(number, 5 + number / 10, 5 + number / 10 + 0.1) for number in range(20)]
        self.assertAlmostEqual(10.0, per_second(submissions))

    def test_counts_only_the_accepted_and_is_0_without_any(self):
        submissions = [accepted(0, 0, 1), Submission(1, 0.5, 4.0), accepted(2, 1, 2)]
        self.assertAlmostEqual(1.0, per_second(submissions))
        self.assertEqual(0.0, per_second([Submission(1, 0.5)]))


class Places(unittest.TestCase):
    @staticmethod
    def waiting(*positions: int) -> list[dict]:
        return [{"state": "waiting", "queued": {"position": position}} for position in positions]

    def test_one_for_each_in_any_order(self):
        self.assertEqual(3, in_own_places(self.waiting(3, 1, 2)))

    def test_shared_ones_and_ones_beyond_the_number_do_not_count(self):
        self.assertEqual(2, in_own_places(self.waiting(1, 1, 2)))
        self.assertEqual(2, in_own_places(self.waiting(1, 2, 4)))

    def test_who_does_not_wait_has_none(self):
        runs = self.waiting(1) + [{"state": "running", "queued": None}]
        self.assertEqual(1, in_own_places(runs))


if __name__ == "__main__":
    unittest.main()
