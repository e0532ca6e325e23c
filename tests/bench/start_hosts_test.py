"""What the second witness of start_hosts decides, on counters made by hand."""

import unittest

import start_hosts
from kernel_counters import Series


def steady(step_ns: int, per_step: int, samples: int) -> Series:
    series = Series()
    for index in range(samples):
        series.append(index * step_ns, index * per_step)
    return series


class CountRangeTest(unittest.TestCase):
    def test_reaches_from_the_sample_before_to_the_one_after(self):
        series = steady(1_000, 10, 100)
        self.assertEqual(start_hosts.count_range(series, 5_400, 5_600), (50, 60))
        self.assertEqual(start_hosts.count_range(series, 5_000, 5_000), (50, 50))
        self.assertEqual(start_hosts.count_range(series, 4_900, 6_100), (40, 70))

    def test_outside_of_the_samples_nothing_is_known(self):
        series = steady(1_000, 10, 100)
        for from_ns, to_ns in ((-1, 500), (98_000, 99_001)):
            with self.assertRaises(ValueError):
                start_hosts.count_range(series, from_ns, to_ns)


class IntervalAgreesTest(unittest.TestCase):
    def agrees(self, messages: float, slack_ns: int = 0) -> bool:
        # 10 datagrams each us; the edges lie on samples: 500 between them.
        series = steady(1_000, 10, 200)
        return start_hosts.interval_agrees(series, 20_000, 70_000, slack_ns, messages, streams=2)

    def test_what_the_kernel_counted_give_or_take_what_streams_hold_and_probes(self):
        self.assertTrue(self.agrees(500))
        self.assertTrue(self.agrees(502))
        self.assertFalse(self.agrees(503))
        self.assertTrue(self.agrees(500 - 2 - start_hosts.PROBES_PER_INTERVAL))
        self.assertFalse(self.agrees(500 - 3 - start_hosts.PROBES_PER_INTERVAL))

    def test_a_slice_that_lies_elsewhere_by_more_than_its_bound_shows_where_the_rate_changes(self):
        series = Series()
        for index in range(200):
            series.append(index * 1_000, max(0, index - 100) * 50)  # begins at 100 us
        # The slice [50, 110] us read 500; one that is 5 us off would have read 250 or 750.
        self.assertTrue(start_hosts.interval_agrees(series, 50_000, 110_000, 0, 500, 2))
        self.assertFalse(start_hosts.interval_agrees(series, 50_000, 110_000, 0, 250, 2))
        self.assertFalse(start_hosts.interval_agrees(series, 50_000, 110_000, 0, 750, 2))
        self.assertTrue(start_hosts.interval_agrees(series, 50_000, 110_000, 5_000, 750, 2))


if __name__ == "__main__":
    unittest.main()
