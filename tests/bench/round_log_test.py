"""An interrupted bench goes on with what is stored, and with nothing else."""

import tempfile
import unittest
from pathlib import Path

from round_log import RoundLog

HEAD = {"bench": "b", "seed": 7, "settings": {"seconds": 2}}


class RoundLogTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = Path(folder.name) / "b.rounds.jsonl"

    def test_goes_on_with_the_stored_rounds_and_the_first_seed(self):
        log = RoundLog(self.path, HEAD)
        log.add("tcp", 0, {"x": 1}, None)
        log.add("tcp", 1, None, "it broke")
        again = RoundLog(self.path, {**HEAD, "seed": 8})
        self.assertEqual(again.head["seed"], 7)
        self.assertEqual(again.good("tcp"), [{"x": 1}])
        self.assertEqual(again.errors(), ["tcp, round 1: it broke"])

    def test_other_settings_do_not_go_on(self):
        RoundLog(self.path, HEAD)
        with self.assertRaises(SystemExit):
            RoundLog(self.path, {**HEAD, "settings": {"seconds": 3}})

    def test_a_line_that_was_cut_off_is_dropped_and_the_rest_is_kept(self):
        log = RoundLog(self.path, HEAD)
        log.add("tcp", 0, {"x": 1}, None)
        with open(self.path, "a") as file:
            file.write('{"condition": "tcp", "rou')
        again = RoundLog(self.path, HEAD)
        self.assertEqual(again.good("tcp"), [{"x": 1}])
        again.add("tcp", 1, {"x": 2}, None)
        self.assertEqual(RoundLog(self.path, HEAD).good("tcp"), [{"x": 1}, {"x": 2}])

    def test_beginning_anew_is_counted(self):
        RoundLog(self.path, HEAD).add("tcp", 0, {"x": 1}, None)
        fresh = RoundLog(self.path, HEAD, fresh=True)
        self.assertEqual((fresh.set_aside, fresh.good("tcp")), (1, []))
        self.assertEqual(RoundLog(self.path, HEAD, fresh=True).set_aside, 2)


if __name__ == "__main__":
    unittest.main()
