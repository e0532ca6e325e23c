"""pcap files made by hand, and the conversion between two clocks."""

import struct
import unittest

import packet_capture
from packet_capture import ClockOffset

MAGIC = 0xA1B23C4D


def pcap(*records: bytes, magic: int = MAGIC, link_type: int = 1) -> bytes:
    return struct.pack("<IHHiIII", magic, 2, 4, 0, 0, 96, link_type) + b"".join(records)


def record(seconds: int, nanoseconds: int, frame: bytes) -> bytes:
    return struct.pack("<IIII", seconds, nanoseconds, len(frame), 1514) + frame


def udp_frame(
    source: int, destination: int, payload: bytes, options: bytes = b"", protocol: int = 17
) -> bytes:
    header_words = 5 + len(options) // 4
    ip = bytes([0x40 | header_words]) + bytes(8) + bytes([protocol]) + bytes(10) + options
    return (
        bytes(12)
        + b"\x08\x00"
        + ip
        + struct.pack(">HHHH", source, destination, 8 + len(payload), 0)
        + payload
    )


class ParsePcapTest(unittest.TestCase):
    def test_reads_stamp_ports_and_payload(self):
        packets = packet_capture.parse_pcap(pcap(record(5, 7, udp_frame(1000, 2000, b"abc"))))
        self.assertEqual(len(packets), 1)
        self.assertEqual(packets[0].realtime_ns, 5_000_000_007)
        self.assertEqual((packets[0].source_port, packets[0].destination_port), (1000, 2000))
        self.assertEqual(packets[0].payload, b"abc")

    def test_skips_ip_options(self):
        packets = packet_capture.parse_pcap(pcap(record(0, 0, udp_frame(1, 2, b"xy", options=bytes(8)))))
        self.assertEqual(packets[0].payload, b"xy")

    def test_leaves_out_what_is_not_ipv4_udp(self):
        ipv6 = bytes(12) + b"\x86\xdd" + bytes(60)
        tcp = udp_frame(1, 2, b"xy", protocol=6)
        self.assertEqual(packet_capture.parse_pcap(pcap(record(0, 0, ipv6), record(0, 0, tcp))), [])

    def test_frames_are_kept_whatever_they_carry(self):
        tcp = udp_frame(1, 2, b"xy", protocol=6)
        frames = packet_capture.parse_frames(pcap(record(5, 7, tcp), record(6, 1, b"short")))
        self.assertEqual(frames, [(5_000_000_007, tcp), (6_000_000_001, b"short")])

    def test_a_record_that_was_cut_off_ends_the_file(self):
        data = pcap(record(0, 0, udp_frame(1, 2, b"xy")))
        self.assertEqual(len(packet_capture.parse_pcap(data + b"\x01\x02")), 1)

    def test_refuses_microsecond_stamps_and_other_links(self):
        with self.assertRaises(ValueError):
            packet_capture.parse_pcap(pcap(magic=0xA1B2C3D4))
        with self.assertRaises(ValueError):
            packet_capture.parse_pcap(pcap(link_type=113))


class CombineTest(unittest.TestCase):
    def test_takes_the_middle_and_widens_by_what_moved(self):
        offset = packet_capture.combine(ClockOffset(1_000, 30), ClockOffset(1_400, 50))
        self.assertEqual(offset.realtime_minus_monotonic_ns, 1_200)
        # 200 to either reading, 50 of the wider one, 1 for the halves.
        self.assertEqual(offset.half_width_ns, 251)

    def test_a_step_of_the_wall_clock_is_an_error(self):
        with self.assertRaises(ValueError):
            packet_capture.combine(ClockOffset(0, 30), ClockOffset(1_000_001, 30))


if __name__ == "__main__":
    unittest.main()
