"""Parsing and interpolation, on text as the kernel prints it."""

import unittest

import kernel_counters
from kernel_counters import Series


class ParseColumnsTest(unittest.TestCase):
    SNMP = (
        b"Icmp: InMsgs InErrors\nIcmp: 7 8\n"
        b"Udp: InDatagrams NoPorts InErrors\nUdp: 1234 5 6\n"
        b"UdpLite: InDatagrams NoPorts InErrors\nUdpLite: 99 98 97\n"
    )

    def test_takes_the_protocol_and_not_one_that_begins_alike(self):
        columns = kernel_counters.parse_columns(self.SNMP, b"Udp")
        self.assertEqual(columns, {"InDatagrams": 1234, "NoPorts": 5, "InErrors": 6})

    def test_a_missing_protocol_is_an_error(self):
        with self.assertRaises(ValueError):
            kernel_counters.parse_columns(self.SNMP, b"Tcp")


class ParseCpuBusyTest(unittest.TestCase):
    def test_is_elapsed_times_cpus_without_idle_iowait_and_steal(self):
        # Sparse ids; user nice system idle iowait irq softirq steal guest guest_nice; 100 ticks a second.
        begin = (
            b"cpu  1 1 1 1 1 1 1 1 0 0\ncpu0 0 0 0 100 10 0 0 1 0 0\ncpu3 0 0 0 200 20 0 0 2 0 0\nintr 5\n"
        )
        end = b"cpu  9 9 9 9 9 9 9 9 0 0\ncpu0 50 0 0 150 12 0 0 2 0 0\ncpu3 9 0 0 260 21 0 0 5 0 0\nintr 6\n"
        second = 1_000_000_000
        busy = kernel_counters.parse_cpu_busy_ns(end, 6 * second) - kernel_counters.parse_cpu_busy_ns(
            begin, 5 * second
        )
        # 2 CPUs x 1 s - (50 + 2 + 1 + 60 + 1 + 3 = 117 ticks of 10 ms) = 0.83 s.
        self.assertEqual(busy, 830_000_000)


class SeriesTest(unittest.TestCase):
    def setUp(self):
        self.series = Series()
        for at_ns, value in ((100, 10), (200, 30), (600, 30), (700, 100)):
            self.series.append(at_ns, value)

    def test_interpolates_between_two_samples(self):
        self.assertEqual(self.series.at(150), 20)
        self.assertEqual(self.series.at(400), 30)
        self.assertEqual(self.series.at(690), 93)

    def test_a_sample_itself_has_its_value(self):
        self.assertEqual(self.series.at(200), 30)

    def test_never_extrapolates(self):
        for instant in (99, 700, 701):
            with self.assertRaises(ValueError):
                self.series.at(instant)

    def test_tells_the_longest_time_without_a_sample(self):
        self.assertEqual(self.series.widest_gap_ns(150, 650), 400)
        self.assertEqual(self.series.widest_gap_ns(250, 300), 50)


if __name__ == "__main__":
    unittest.main()
