#!/usr/bin/env python3
"""latency_counts.py against what common/stats/latency_histogram.h says of its buckets."""

import unittest

from latency_counts import lower_edge_ns, percentile_ns


class Buckets(unittest.TestCase):
    def test_values_below_128_have_one_each(self):
        self.assertEqual(list(range(128)), [lower_edge_ns(bucket) for bucket in range(128)])

    def test_each_power_of_two_above_is_cut_into_64(self):
        for bits in range(7, 42):
            first = 128 + 64 * (bits - 7)
            self.assertEqual(2**bits, lower_edge_ns(first))
            self.assertEqual(2 ** (bits + 1) - 2 ** (bits - 6), lower_edge_ns(first + 63))


class Percentiles(unittest.TestCase):
    def test_are_on_a_line_inside_the_bucket(self):
        # Bucket 128 + 64: 256 to 259 ns.
        latency = {"first_bucket": 192, "counts": [4], "min_ns": 256, "max_ns": 259}
        self.assertAlmostEqual(258, percentile_ns(latency, 0.5))

    def test_stay_within_minimum_and_maximum(self):
        latency = {"first_bucket": 192, "counts": [1], "min_ns": 257, "max_ns": 258}
        self.assertEqual(258, percentile_ns(latency, 1.0))
        self.assertEqual(257, percentile_ns(latency, 0.01))

    def test_skip_empty_buckets(self):
        latency = {"first_bucket": 10, "counts": [98, 0, 2], "min_ns": 10, "max_ns": 12}
        self.assertGreaterEqual(percentile_ns(latency, 0.99), 12)
        self.assertLess(percentile_ns(latency, 0.98), 12)

    def test_of_nothing_do_not_exist(self):
        with self.assertRaises(RuntimeError):
            percentile_ns({"first_bucket": 0, "counts": [], "min_ns": 0, "max_ns": 0}, 0.5)


if __name__ == "__main__":
    unittest.main()
