"""The comparison of a trial's certificate with its packets, on a trial of two streams made by hand."""

import struct
import unittest

import start_capture
from packet_capture import UdpPacket

T0 = 1_000_000_000_000


def packet(source: int, destination: int, sequence: int) -> UdpPacket:
    return UdpPacket(0, source, destination, struct.pack(">QQq", 0xABCD, sequence, 0), "10.0.0.1")


def stream(source: int, destination: int, before: int | None, after: int | None) -> dict:
    return {
        "flow": {"from_host": "a"},
        "sender": {
            "local_endpoint": f"10.0.0.1:{source}",
            "first_send_before_trial_ns": before,
            "first_send_after_trial_ns": after,
        },
        "receiver": {"local_endpoint": f"10.0.0.2:{destination}"},
    }


def trial(*streams: dict) -> dict:
    entry = {"streams": 2, "first_send_skew_ns": 900, "running_skew_ns": 4_000, "skew_bound_ns": 150}
    clock = {"bound_before_ns": 40, "bound_after_ns": 100}
    return {
        "t0_timeline_ns": T0,
        "hosts": [{"host": "a", "clock": clock}, {"host": "b", "clock": clock}],
        "streams": list(streams),
        "entries": [entry],
    }


PACKETS = [
    (T0 + 5_000, packet(11, 21, 0)),
    (T0 + 6_000, packet(12, 22, 0)),
    (T0 + 90_000, packet(11, 21, 99)),
    (T0 + 95_000, packet(12, 22, 99)),
]


class CompareTrialTest(unittest.TestCase):
    def compare(self, *streams: dict, packets=PACKETS) -> dict:
        return start_capture.compare_trial(trial(*streams), packets, conversion_ns=50, duration_ns=1_000_000)

    def test_counts_the_packets_inside_their_certificates(self):
        compared = self.compare(stream(11, 21, 4_900, 5_200), stream(12, 22, 5_900, 6_300))
        self.assertEqual((compared["streams_inside"], compared["streams"]), (2, 2))
        self.assertEqual(compared["worst_outside_ns"], 0)
        self.assertEqual(compared["slack_ns"], 150)  # the wider clock bound + the conversion
        self.assertEqual(compared["captured"], {"first": 1_000, "running": 5_000})

    def test_a_packet_beyond_the_slack_is_outside(self):
        compared = self.compare(stream(11, 21, 5_150, 5_300), stream(12, 22, 5_000, 5_800))
        self.assertEqual(compared["streams_inside"], 1)
        self.assertEqual(compared["worst_outside_ns"], 200)

    def test_a_stream_without_packet_or_certificate_is_outside(self):
        self.assertEqual(self.compare(stream(11, 77, 4_900, 5_200))["streams_inside"], 0)
        self.assertEqual(self.compare(stream(11, 21, None, None))["streams_inside"], 0)

    def test_packets_of_another_trial_do_not_count(self):
        other = [(at_ns + 5_000_000_000, seen) for at_ns, seen in PACKETS]
        compared = self.compare(
            stream(11, 21, 4_900, 5_200), stream(12, 22, 5_900, 6_300), packets=PACKETS + other
        )
        self.assertEqual(compared["captured"], {"first": 1_000, "running": 5_000})

    def test_a_skew_needs_every_stream(self):
        compared = self.compare(
            stream(11, 21, 4_900, 5_200), stream(12, 22, 5_900, 6_300), packets=PACKETS[:3]
        )
        self.assertEqual(compared["captured"], {"first": 1_000, "running": None})


class AgreesTest(unittest.TestCase):
    def seen(self, captured: int | None, certified: int) -> dict:
        return {
            "captured": {"first": captured},
            "certified": {"first": certified},
            "skew_bound_ns": 150,
            "conversion_ns": 50,
        }

    def test_within_the_bound_and_both_conversions(self):
        self.assertTrue(start_capture.agrees(self.seen(1_000, 1_250), "first"))
        self.assertFalse(start_capture.agrees(self.seen(1_000, 1_251), "first"))
        self.assertFalse(start_capture.agrees(self.seen(1_000, 749), "first"))

    def test_a_missing_skew_never_agrees(self):
        self.assertFalse(start_capture.agrees(self.seen(None, 1_000), "first"))


class SequenceTest(unittest.TestCase):
    def test_iperf3_counts_from_one(self):
        payload = struct.pack(">III", 5, 6, 1)
        self.assertEqual(start_capture.iperf3_sequence(UdpPacket(0, 1, 2, payload)), 0)


if __name__ == "__main__":
    unittest.main()
