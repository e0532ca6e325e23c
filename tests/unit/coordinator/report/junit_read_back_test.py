#!/usr/bin/env python3
"""What others read in the JUnit XML: golden/junit.xml, which junit_test.cc holds to be what is written."""

import unittest
import xml.etree.ElementTree
from pathlib import Path

from junitparser import Error, Failure, JUnitXml, Skipped

GOLDEN = Path(__file__).resolve().parent / "golden/junit.xml"


class ReadBack(unittest.TestCase):
    def test_the_counts_are_those_of_the_tests(self):
        document = JUnitXml.fromfile(str(GOLDEN))
        (suite,) = document
        kinds = [[type(result) for result in case.result] for case in suite]
        self.assertEqual(
            [[], [Failure], [], [Error], [Failure], [Skipped], []], kinds
        )
        for counts in (document, suite):
            self.assertEqual((7, 2, 1, 1), (counts.tests, counts.failures, counts.errors, counts.skipped))
        written = (suite.tests, suite.failures, suite.errors, suite.skipped)
        suite.update_statistics()  # counts anew
        self.assertEqual(written, (suite.tests, suite.failures, suite.errors, suite.skipped))

    def test_the_times_of_the_tests_add_up_to_less_than_the_suite_took(self):
        (suite,) = JUnitXml.fromfile(str(GOLDEN))
        self.assertEqual([10.0, None, None, 10.0, 10.0, None, 11.5], [case.time for case in suite])
        self.assertEqual(42.5, suite.time)
        self.assertEqual("2023-11-14T22:13:20", suite.timestamp)

    def test_the_run_is_in_the_properties(self):
        (suite,) = JUnitXml.fromfile(str(GOLDEN))
        properties = {each.name: each.value for each in suite.properties()}
        self.assertEqual("run-9", properties["run_id"])
        self.assertEqual("7", properties["exit_code"])
        self.assertEqual("a b", properties["hosts"])

    def test_texts_come_back_as_they_were(self):
        root = xml.etree.ElementTree.parse(GOLDEN).getroot()
        self.assertEqual('gate <&> "q"', root.get("name"))
        cases = root.findall("testsuite/testcase")
        self.assertEqual("loss < 0.1% (each stream): bulk (reverse)", cases[1].get("name"))
        self.assertEqual("0.25% of stream 1 (a -> b), the median of 3 trials", cases[1].find("failure").get("message"))
        self.assertIn("host b: \\x1B[2J\\xFF\n", cases[3].find("error").text)
        self.assertIn("host b: \\uFFFE]]>\n", cases[3].find("error").text)


if __name__ == "__main__":
    unittest.main()
