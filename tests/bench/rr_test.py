#!/usr/bin/env python3
"""What rr.py reads from sockperf."""

import unittest

from rr import sockperf_figures

OUTPUT = """sockperf: [Total Run] RunTime=1.000 sec; Warm up time=400 msec; SentMessages=50000; ReceivedMessages=49999
sockperf: ========= Printing statistics for Server No: 0
sockperf: [Valid Duration] RunTime=0.550 sec; SentMessages=27500; ReceivedMessages=27500
sockperf: ====> avg-rtt=19.921 (std-dev=2.500)
sockperf: ---> <MAX> observation =   90.123
sockperf: ---> percentile 99.999 =   90.000
sockperf: ---> percentile 99.000 =   31.500
sockperf: ---> percentile 50.000 =   19.250
"""


class Sockperf(unittest.TestCase):
    def test_percentiles_and_rate_of_the_valid_time(self):
        figures = sockperf_figures(OUTPUT)
        self.assertEqual(19.25, figures["p50_us"])
        self.assertEqual(31.5, figures["p99_us"])
        self.assertAlmostEqual(50000, figures["per_s"])

    def test_output_without_them_is_an_error(self):
        with self.assertRaises(RuntimeError):
            sockperf_figures("sockperf: No messages were received from the server.")


if __name__ == "__main__":
    unittest.main()
