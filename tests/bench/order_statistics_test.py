"""Values are worked out by hand from the binomial coefficients."""

import unittest

import order_statistics as stats


class BinomialTailTest(unittest.TestCase):
    def test_counts_the_coin_tosses(self):
        # n = 6: 1, 6, 15, 20, 15, 6, 1 of 64.
        self.assertEqual(stats.binomial_tail(6, 0), 1 / 64)
        self.assertEqual(stats.binomial_tail(6, 1), 7 / 64)
        self.assertEqual(stats.binomial_tail(6, 2), 22 / 64)
        self.assertEqual(stats.binomial_tail(6, 6), 1)


class IntervalRankTest(unittest.TestCase):
    def test_five_values_cannot_reach_95_percent(self):
        # [min, max] of 5 covers 1 - 2/32 = 0.9375.
        self.assertIsNone(stats.interval_rank(5))

    def test_six_values_reach_it_with_their_extremes(self):
        # 1 - 2/64 = 0.96875; the next rank would cover 1 - 14/64 = 0.78.
        self.assertEqual(stats.interval_rank(6), 1)

    def test_nine_values_take_the_second(self):
        # Rank 2: 1 - 2 x 10/512 = 0.9609; rank 3: 1 - 2 x 46/512 = 0.82.
        self.assertEqual(stats.interval_rank(9), 2)

    def test_twenty_five_values_take_the_eighth(self):
        # Published tables of the sign test: n = 25, two-sided 5%: critical value 7, so ranks 8 and 18.
        self.assertEqual(stats.interval_rank(25), 8)

    def test_hundred_values_take_the_fortieth(self):
        # Published tables of the sign test: n = 100, two-sided 5%: critical value 39.
        self.assertEqual(stats.interval_rank(100), 40)

    def test_a_lower_confidence_narrows_it(self):
        # n = 9, rank 3 covers 0.8203.
        self.assertEqual(stats.interval_rank(9, 0.80), 3)

    def test_no_values_have_no_interval(self):
        self.assertIsNone(stats.interval_rank(0))


class MedianIntervalTest(unittest.TestCase):
    def test_takes_the_ranks_from_both_ends_of_the_sorted_values(self):
        interval = stats.median_interval([9, 1, 8, 2, 7, 3, 6, 4, 5])
        self.assertEqual((interval.median, interval.low, interval.high, interval.count), (5, 2, 8, 9))
        self.assertAlmostEqual(interval.coverage, 492 / 512)

    def test_too_few_values_have_a_median_and_no_interval(self):
        interval = stats.median_interval([3, 1, 2])
        self.assertEqual(
            (interval.median, interval.low, interval.high, interval.coverage), (2, None, None, None)
        )

    def test_an_even_count_has_the_mean_of_the_middle_two(self):
        self.assertEqual(stats.median([4, 1, 3, 2]), 2.5)

    def test_no_values_are_an_error(self):
        with self.assertRaises(ValueError):
            stats.median([])


class QuantileTest(unittest.TestCase):
    def test_p99_of_a_hundred_is_the_last_but_one(self):
        self.assertEqual(stats.quantile(list(range(1, 101)), 0.99), 99)

    def test_p99_of_ten_is_the_worst(self):
        self.assertEqual(stats.quantile(list(range(1, 11)), 0.99), 10)

    def test_all_of_them_is_the_worst(self):
        self.assertEqual(stats.quantile([3, 1, 2], 1), 3)

    def test_refuses_what_is_no_share(self):
        for share in (0, 1.5):
            with self.assertRaises(ValueError):
                stats.quantile([1, 2], share)


class PairedRatiosTest(unittest.TestCase):
    def test_pairs_round_by_round(self):
        self.assertEqual(stats.paired_ratios([2, 9], [4, 3]), [0.5, 3])

    def test_unequal_lists_are_an_error(self):
        with self.assertRaises(ValueError):
            stats.paired_ratios([1, 2], [1])


def interval(low, high):
    return stats.Interval(1.0, low, high, 0.95, 25)


class VerdictTest(unittest.TestCase):
    def test_not_below_the_bar(self):
        self.assertEqual(stats.verdict_at_least(interval(0.97, 1.02), 0.97), stats.HOLDS)
        self.assertEqual(stats.verdict_at_least(interval(0.96, 0.97), 0.97), stats.NOT_DECIDED)
        self.assertEqual(stats.verdict_at_least(interval(0.90, 0.969), 0.97), stats.FAILS)

    def test_not_above_the_bar(self):
        self.assertEqual(stats.verdict_at_most(interval(0.99, 1.03), 1.03), stats.HOLDS)
        self.assertEqual(stats.verdict_at_most(interval(1.03, 1.05), 1.03), stats.NOT_DECIDED)
        self.assertEqual(stats.verdict_at_most(interval(1.031, 1.05), 1.03), stats.FAILS)

    def test_under_the_bar(self):
        self.assertEqual(stats.verdict_below(interval(100, 199), 200), stats.HOLDS)
        self.assertEqual(stats.verdict_below(interval(100, 200), 200), stats.NOT_DECIDED)
        self.assertEqual(stats.verdict_below(interval(200, 300), 200), stats.FAILS)

    def test_without_an_interval_nothing_is_decided(self):
        for verdict in (stats.verdict_at_least, stats.verdict_at_most, stats.verdict_below):
            self.assertEqual(verdict(interval(None, None), 1), stats.NOT_DECIDED)


class ShuffledTest(unittest.TestCase):
    def test_keeps_every_item(self):
        self.assertEqual(sorted(stats.shuffled(list("abc"), 7, "tcp", 3)), list("abc"))

    def test_the_same_place_has_the_same_order(self):
        self.assertEqual(
            stats.shuffled(list(range(20)), 7, "tcp", 3), stats.shuffled(list(range(20)), 7, "tcp", 3)
        )

    def test_rounds_differ(self):
        orders = {tuple(stats.shuffled(list("abc"), 7, "tcp", round_)) for round_ in range(40)}
        self.assertEqual(len(orders), 6)


if __name__ == "__main__":
    unittest.main()
