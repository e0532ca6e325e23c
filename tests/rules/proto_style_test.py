#!/usr/bin/env python3
"""The contracts in proto/: names, units, numbers, comments."""

import re
import unittest

from source_tree import files, text

FIELD = re.compile(r"^\s*(?:optional |repeated )?(map<[^>]+>|[\w.]+) (\w+) = (\d+);", re.MULTILINE)
ENUM_VALUE = re.compile(r"^\s*([A-Z][A-Z0-9_]*) = (\d+);", re.MULTILINE)
NUMBERS = {"int32", "int64", "uint32", "uint64", "double", "float", "fixed64", "Total", "Spread"}
# A number whose name has one of these words is a quantity and says its unit.
QUANTITY_WORDS = {
    "duration", "timeout", "lease", "warmup", "measure", "cooldown", "offset", "speed", "rate", "skew", "lateness",
    "latency", "jitter", "rtt", "delay", "size", "mtu", "buffer", "throughput", "elapsed", "bound", "demand", "resolution",
}  # fmt: skip
UNITS = {"ns", "us", "ms", "s", "bytes", "bps", "ratio", "ppm", "segments", "kb", "per", "cores", "percent"}
# Ratios of two like quantities by their nature.
DIMENSIONLESS = {"drift_bound"}


def snake(name: str) -> str:
    return re.sub(r"(?<=[a-z0-9])([A-Z])", r"_\1", name).upper()


def blocks(source: str):
    """(kind, name, own body) of every message and enum, nested ones apart from what holds them."""
    stripped = re.sub(r"//[^\n]*", "", source)
    found = []
    open_blocks = []
    for token in re.finditer(r"\b(message|enum|oneof|service)\s+(\w+)\s*\{|\{|\}|[^{}]", stripped):
        if token.group(1):
            open_blocks.append([token.group(1), token.group(2), ""])
        elif token.group(0) == "{":
            open_blocks.append(["other", "", ""])
        elif token.group(0) == "}":
            kind, name, body = open_blocks.pop()
            if kind == "oneof" and open_blocks:
                open_blocks[-1][2] += body  # its numbers are its message's
            elif kind in ("message", "enum"):
                found.append((kind, name, body))
        elif open_blocks:
            open_blocks[-1][2] += token.group(0)
    return found


class ProtoStyle(unittest.TestCase):
    sources = {str(path): text(path) for path in files(".proto", folders=("proto",))}

    def each(self, kind: str):
        for path, source in self.sources.items():
            for found, name, body in blocks(source):
                if found == kind:
                    yield f"{path}: {name}", name, body

    def test_each_file_says_what_it_is_for(self):
        self.assertGreater(len(self.sources), 0)
        self.assertEqual([], [path for path, source in self.sources.items() if not source.startswith("// ")])

    def test_fields_are_snake_case(self):
        wrong = [
            f"{where}.{field}"
            for where, _, body in self.each("message")
            for _, field, _ in FIELD.findall(body)
            if not re.fullmatch(r"[a-z][a-z0-9]*(_[a-z0-9]+)*", field)
        ]
        self.assertEqual([], wrong)

    def test_quantities_say_their_unit(self):
        wrong = [
            f"{where}.{field}"
            for where, _, body in self.each("message")
            for kind, field, _ in FIELD.findall(body)
            if kind in NUMBERS and field not in DIMENSIONLESS
            if QUANTITY_WORDS & set(field.split("_")) and not UNITS & set(field.split("_"))
        ]
        self.assertEqual([], wrong)

    def test_numbers_are_not_reused(self):
        for where, _, body in list(self.each("message")):
            numbers = [int(number) for _, _, number in FIELD.findall(body)]
            self.assertEqual(len(set(numbers)), len(numbers), where)

    def test_enum_values_carry_their_enums_name_and_begin_with_0(self):
        for where, name, body in list(self.each("enum")):
            values = ENUM_VALUE.findall(body)
            self.assertEqual("0", values[0][1], where)
            self.assertTrue(values[0][0].endswith(("_UNSPECIFIED", "_ANY")), where)
            self.assertEqual([], [value for value, _ in values if not value.startswith(snake(name) + "_")], where)

    def test_every_service_and_rpc_has_a_comment_or_a_name_that_needs_none(self):
        for path, source in self.sources.items():
            for rpc in re.finditer(r"(?m)^(.*)\n\s*rpc (\w+)", source):
                if rpc.group(2).startswith(("Get", "List")):
                    continue
                self.assertTrue(rpc.group(1).strip().startswith("//"), f"{path}: rpc {rpc.group(2)}")


class TheParser(unittest.TestCase):
    def test_sees_nested_messages_and_oneofs(self):
        source = "message A { int32 x = 1; oneof b { int32 y = 2; } enum K { K_ANY = 0; } message C { int32 z = 1; } }"
        found = {name: body for _, name, body in blocks(source)}
        self.assertEqual({"A", "K", "C"}, set(found))
        self.assertIn("y = 2", found["A"])
        self.assertNotIn("z = 1", found["A"])


if __name__ == "__main__":
    unittest.main()
