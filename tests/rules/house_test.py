#!/usr/bin/env python3
"""The house rules that a script can check: sizes of files, no leftovers, decisions, exit codes, documents."""

import re
import unittest

from source_tree import ROOT, files, text

MOST_LINES = 550
# Longer for a reason; the number is the most that it may have.
LONGER = {}
CATCH_ALL = re.compile(r"(^|_)(utils?|helpers?|misc|common|manager)(_|\.|$)")
LEFTOVER = re.compile(r"\b(TO" r"DO|FIX" r"ME|XX" r"X|HA" r"CK)\b")


class Files(unittest.TestCase):
    code = files(".h", ".cc", ".py", ".proto", folders=("common", "worker", "coordinator", "proto", "tests"))

    def test_no_file_is_too_long(self):
        wrong = [
            f"{path}: {lines} lines"
            for path in self.code
            if (lines := text(path).count("\n")) > LONGER.get(str(path), MOST_LINES)
        ]
        self.assertEqual([], wrong)

    def test_nothing_is_left_for_later(self):
        everything = self.code + files(".md", ".yaml", ".service", ".sh", folders=("docs", "plans", "deploy"))
        wrong = [
            f"{path}:{number}"
            for path in everything
            for number, line in enumerate(text(path).splitlines(), 1)
            if LEFTOVER.search(line)
        ]
        self.assertEqual([], wrong)

    def test_no_file_is_a_catch_all(self):
        self.assertEqual([], [str(path) for path in self.code if CATCH_ALL.search(path.name)])


class Decisions(unittest.TestCase):
    records = files(".md", folders=("docs/decisions",))

    def test_they_are_numbered_without_gaps(self):
        numbers = [int(path.name[:4]) for path in self.records]
        self.assertEqual(list(range(1, len(numbers) + 1)), numbers)

    def test_every_dependency_has_one(self):
        cmake = (ROOT / "CMakeLists.txt").read_text()
        packages = re.findall(r"find_package\((\S+)", cmake)
        packages += re.findall(r"pkg_check_modules\(.*\s(\S+)\)", cmake)
        written = "\n".join(text(path) for path in self.records)
        not_a_dependency = {"Threads", "PkgConfig"}
        missing = [name for name in packages if name not in not_a_dependency and name.lower() not in written.lower()]
        self.assertGreater(len(packages), 5)
        self.assertEqual([], missing)


class ExitCodes(unittest.TestCase):
    # The order and meaning are an API; these words are what README.md must say of each.
    codes = {
        "kPassed": 0,
        "kInternal": 1,
        "kUsage": 2,
        "kInvalidPlan": 3,
        "kLimitFailed": 4,
        "kRegressed": 5,
        "kInconclusive": 6,
        "kPartial": 7,
        "kCancelled": 8,
        "kUnreachable": 9,
        "kRefused": 10,
        "kTrialFailed": 11,
    }

    def test_the_header_has_them(self):
        header = (ROOT / "coordinator/cli/exit_codes.h").read_text()
        found = {name: int(code) for name, code in re.findall(r"(k\w+) = (\d+),", header)}
        self.assertEqual(self.codes, found)

    def test_the_readme_has_them(self):
        rows = re.findall(r"^\| (\d+) \| (.+?) \|$", (ROOT / "README.md").read_text(), re.MULTILINE)
        self.assertEqual(sorted(self.codes.values()), [int(code) for code, _ in rows])


if __name__ == "__main__":
    unittest.main()
