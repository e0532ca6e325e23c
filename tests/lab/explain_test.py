"""`tutti explain` of a plan, of the run that was made of it, and of a run of another version."""
import json
import os
import unittest

from lab_case import LabCase

PLAN = """\
version: 1
name: small
roles: {sender: {count: 1}, receiver: {count: 1}}
matrix: {streams: [1, 2]}
traffic:
  - {name: bulk, from: sender, to: receiver, streams: "${streams}", protocol: udp, rate: 10Mbps}
timing: {warmup: 200ms, measure: 600ms, cooldown: 100ms, interval: 100ms}
"""
SET = "timing.measure=500ms"


class ExplainTest(LabCase):
    def setUp(self):
        super().setUp()
        self.path = self.write(PLAN)

    def explain(self, *arguments):
        done = self.tutti("explain", *arguments, "--output", "json")
        self.assertEqual((0, ""), (done.returncode, done.stderr))
        return json.loads(done.stdout)

    def test_a_run_is_explained_as_its_plan_was(self):
        done = self.tutti("lab", "run", self.path, "--quiet", "--json", self.out, "--set", SET)
        self.assertEqual(0, done.returncode, done.stderr)
        run_id = self.result()["run_id"]
        of_plan = self.explain(self.path, "--set", SET)
        of_run = self.explain(run_id)
        self.assertEqual(run_id, of_run.pop("run_id"))
        self.assertIsNone(of_plan.pop("run_id"))
        self.assertEqual(of_plan, of_run)
        origins = {value["path"]: value["origin"] for value in of_run["shared"]}
        self.assertEqual(["set", "plan", "default"],
                         [origins[path] for path in ("timing.measure", "timing.warmup", "repeat")])
        self.assertEqual([["matrix.streams", "traffic[0].streams"]] * 2,
                         [[value["path"] for value in case["values"]] for case in of_run["cases"]])

    def test_a_run_that_was_read_otherwise_says_so(self):
        done = self.tutti("lab", "run", self.path, "--quiet", "--json", self.out)
        self.assertEqual(0, done.returncode, done.stderr)
        result = self.result()
        result["tutti_version"] = "0.0.1"
        result["plan"]["cases"][1]["traffic"][0]["message_size_bytes"] = 1400
        other = os.path.join(self.folder, "other.json")
        with open(other, "w", encoding="utf-8") as file:
            json.dump(result, file)
        done = self.tutti("explain", other)
        self.assertEqual(0, done.returncode, done.stderr)
        self.assertIn("0.0.1 has read this plan otherwise", done.stderr)
        self.assertIn("cases[1].traffic[0].message_size_bytes: 1400 -> 1472", done.stderr)

    def test_what_cannot_be_explained_is_a_usage_error_or_a_wrong_plan(self):
        for code, *arguments in ((2, "no-such-run"), (2, self.path, "--case", "3"), (2, self.path, "--case", "0"),
                                 (3, self.path, "--set", "repeat=0"), (2, "/")):
            with self.subTest(arguments):
                done = self.tutti("explain", *arguments)
                self.assertEqual(code, done.returncode, done.stderr)
                self.assertTrue(done.stderr)

    def test_one_case_alone_has_all_of_its_values(self):
        document = self.explain(self.path, "--case", "2")
        self.assertEqual(([], [1]), (document["shared"], [case["index"] for case in document["cases"]]))
        self.assertGreater(len(document["cases"][0]["values"]), 30)


if __name__ == "__main__":
    unittest.main()
