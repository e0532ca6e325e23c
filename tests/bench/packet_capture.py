"""Which packets left a host, and when: tcpdump around a trial, its stamps on the coordinator's clock.

A kernel stamp is CLOCK_REALTIME. It is converted on the same machine by a MONOTONIC-REALTIME-MONOTONIC read
before and one after; if the two offsets differ by more than their widths, the wall clock moved and the
capture is dropped.
"""

import os
import select
import signal
import struct
import subprocess
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from network_pair import DEVICE, Host

_NANOSECOND_MAGIC = 0xA1B23C4D
_ETHERNET_HEADER = 14


@dataclass(frozen=True)
class ClockOffset:
    """CLOCK_REALTIME - CLOCK_MONOTONIC, known to +-half_width_ns."""

    realtime_minus_monotonic_ns: int
    half_width_ns: int


def read_clock_offset(attempts: int = 50) -> ClockOffset:
    """The narrowest of several bracketed reads."""
    best = None
    for _ in range(attempts):
        before = time.clock_gettime_ns(time.CLOCK_MONOTONIC)
        real = time.clock_gettime_ns(time.CLOCK_REALTIME)
        after = time.clock_gettime_ns(time.CLOCK_MONOTONIC)
        half_width = (after - before + 1) // 2
        if best is None or half_width < best.half_width_ns:
            best = ClockOffset(real - (before + after) // 2, half_width)
    return best


def combine(before: ClockOffset, after: ClockOffset) -> ClockOffset:
    """The offset during the capture. Slewing (at most 500 ppm) widens it; a step makes it unknown:
    ValueError.
    """
    moved = abs(after.realtime_minus_monotonic_ns - before.realtime_minus_monotonic_ns)
    if moved > 1_000_000:
        raise ValueError(f"the wall clock moved by {moved} ns during the capture")
    middle = (before.realtime_minus_monotonic_ns + after.realtime_minus_monotonic_ns) // 2
    return ClockOffset(middle, moved // 2 + 1 + max(before.half_width_ns, after.half_width_ns))


@dataclass(frozen=True)
class UdpPacket:
    realtime_ns: int
    source_port: int
    destination_port: int
    payload: bytes  # as far as it was captured
    source: str = ""  # address


def parse_frames(data: bytes) -> list[tuple[int, bytes]]:
    """Stamp (CLOCK_REALTIME, ns) and frame of every packet of a pcap file with ns stamps and Ethernet link
    type.
    """
    (magic,) = struct.unpack_from("<I", data, 0)
    if magic != _NANOSECOND_MAGIC:
        raise ValueError(f"not a little-endian pcap with nanosecond stamps: magic {magic:#x}")
    if struct.unpack_from("<I", data, 20)[0] != 1:
        raise ValueError("not captured on Ethernet")
    frames = []
    at = 24
    while at + 16 <= len(data):
        seconds, nanoseconds, captured, _ = struct.unpack_from("<IIII", data, at)
        frames.append((seconds * 1_000_000_000 + nanoseconds, data[at + 16 : at + 16 + captured]))
        at += 16 + captured
    return frames


def parse_pcap(data: bytes) -> list[UdpPacket]:
    """The IPv4 UDP packets among them; others are left out."""
    packets = []
    for realtime_ns, frame in parse_frames(data):
        if len(frame) < _ETHERNET_HEADER + 28 or frame[12:14] != b"\x08\x00" or frame[23] != 17:
            continue
        udp = _ETHERNET_HEADER + (frame[14] & 15) * 4
        source, destination = struct.unpack_from(">HH", frame, udp)
        packets.append(
            UdpPacket(
                realtime_ns,
                source,
                destination,
                frame[udp + 8 :],
                ".".join(str(byte) for byte in frame[26:30]),
            )
        )
    return packets


class Capture:
    """Context manager around the traffic; then packets() and offset. `bpf` keeps it to the packets that
    matter.
    """

    def __init__(self, host: Host, bpf: str, snap_bytes: int = 96):
        self._host = host
        self._bpf = bpf
        self._snap_bytes = snap_bytes

    def __enter__(self) -> "Capture":
        descriptor, name = tempfile.mkstemp(prefix="tutti-bench-", suffix=".pcap")
        os.close(descriptor)
        self._file = Path(name)
        self._before = read_clock_offset()
        self._tcpdump = self._host.start(
            [
                "tcpdump",
                "-i",
                DEVICE,
                "-Q",
                "out",
                "-n",
                "-s",
                str(self._snap_bytes),
                "-B",
                "16384",
                "--time-stamp-precision=nano",
                "--immediate-mode",
                "-Z",
                "root",
                "-w",
                name,
                self._bpf,
            ],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
        )
        try:
            self._wait_for_line(b"listening on", 10)
        except BaseException:
            self._close()
            raise
        return self

    def _wait_for_line(self, wanted: bytes, timeout_s: float) -> None:
        deadline = time.monotonic() + timeout_s
        text = b""
        descriptor = self._tcpdump.stderr.fileno()
        while wanted not in text:
            left = deadline - time.monotonic()
            if left <= 0 or not select.select([descriptor], [], [], left)[0]:
                raise RuntimeError(f"tcpdump did not start: {text.decode(errors='replace')}")
            chunk = os.read(descriptor, 4096)
            if not chunk:
                raise RuntimeError(f"tcpdump ended: {text.decode(errors='replace')}")
            text += chunk

    def __exit__(self, kind, *_) -> None:
        try:
            if kind is None:
                time.sleep(0.2)  # what is in the ring
                self._tcpdump.send_signal(signal.SIGINT)
                _, errors = self._tcpdump.communicate(timeout=10)
                self.offset = combine(self._before, read_clock_offset())
                self._data = self._file.read_bytes()
                text = errors.decode(errors="replace")
                if "0 packets dropped by kernel" not in text.splitlines():
                    raise RuntimeError(f"the capture is not whole: {text.strip()}")
        finally:
            self._close()

    def _close(self) -> None:
        self._host.stop(self._tcpdump)
        self._tcpdump.stderr.close()
        self._file.unlink(missing_ok=True)

    def packets(self) -> list[UdpPacket]:
        return parse_pcap(self._data)

    def stamps_ns(self) -> list[int]:
        """When each packet left, of whatever protocol, on this machine's CLOCK_MONOTONIC."""
        return [at_ns - self.offset.realtime_minus_monotonic_ns for at_ns, _ in parse_frames(self._data)]

    def monotonic_ns(self, packet: UdpPacket) -> int:
        """On this machine's CLOCK_MONOTONIC, known to +-offset.half_width_ns."""
        return packet.realtime_ns - self.offset.realtime_minus_monotonic_ns
