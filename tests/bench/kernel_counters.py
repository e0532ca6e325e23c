"""Reads the kernel's own counters from outside of every tool: CPU time of the machine, and what a host
received.

All instants are CLOCK_MONOTONIC in ns. Reading threads take SCHED_FIFO, so that saturating streams do not
delay them.
"""

import os
import threading
import time
from bisect import bisect_right
from dataclasses import dataclass

from network_pair import enter_network

# cgroup v1 only. v2's root cpu.stat is fed by the tick on NO_HZ kernels, so it is no exact counter.
CPUACCT_PATHS = ("/sys/fs/cgroup/cpuacct/cpuacct.usage", "/sys/fs/cgroup/cpu,cpuacct/cpuacct.usage")
# Both counters count what GRO joined as one packet (net/ipv4/ip_input.c, tcp_ipv4.c): one header each.
_TCP_HEADERS_BYTES = 52  # IPv4 20, TCP 20, its timestamps 12
TCP_PAYLOAD = f"InOctets - {_TCP_HEADERS_BYTES} x InSegs"
_TICK_NS = 1_000_000_000 // os.sysconf("SC_CLK_TCK")


def cpuacct_path() -> str | None:
    return next((path for path in CPUACCT_PATHS if os.path.exists(path)), None)


def take_realtime_priority() -> None:
    os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(10))  # 0: the calling thread


class _File:
    """A file of /proc or /sys that is read again and again."""

    def __init__(self, path: str):
        self._fd = os.open(path, os.O_RDONLY | os.O_CLOEXEC)

    def read(self) -> bytes:
        return os.pread(self._fd, 65536, 0)

    def close(self) -> None:
        os.close(self._fd)


def parse_cpu_busy_ns(stat: bytes, elapsed_base_ns: int) -> int:
    """elapsed x online CPUs - idle - iowait - steal: only differences of two readings mean anything."""
    idle_ticks = 0
    cpus = 0
    for line in stat.splitlines():
        if line.startswith(b"cpu") and line[3:4].isdigit():
            columns = [int(column) for column in line.split()[1:]]
            idle_ticks += columns[3] + columns[4] + columns[7]
            cpus += 1
    return elapsed_base_ns * cpus - idle_ticks * _TICK_NS


def parse_columns(text: bytes, prefix: bytes) -> dict[str, int]:
    """/proc/net/snmp and /proc/net/netstat: a line of names, then a line of values, both with the prefix."""
    names, values = [line.split()[1:] for line in text.splitlines() if line.startswith(prefix + b":")]
    return {name.decode(): int(value) for name, value in zip(names, values)}


@dataclass(frozen=True)
class Reading:
    at_ns: int  # middle of the reading
    half_width_ns: int  # half of the time that it took
    cpuacct_ns: int | None
    busy_ns: int  # from the idle columns of /proc/stat; differences only
    in_octets: int  # IP bytes that reached the host, headers included
    in_datagrams: int  # datagrams that were handed to their reader
    in_segments: int  # TCP segments that reached the host


class CounterReader:
    """Reads all counters of one host. To be made, used and closed on one thread, which it moves into the
    host.
    """

    def __init__(self, namespace_fd: int):
        path = cpuacct_path()
        self._cpuacct = _File(path) if path else None
        self._stat = _File("/proc/stat")
        enter_network(namespace_fd)
        task = f"/proc/self/task/{threading.get_native_id()}/net"
        self._snmp = _File(f"{task}/snmp")
        self._netstat = _File(f"{task}/netstat")

    def read(self) -> Reading:
        begin = time.monotonic_ns()
        cpuacct = int(self._cpuacct.read()) if self._cpuacct else None
        stat_ns = time.monotonic_ns()
        stat = self._stat.read()
        snmp = self._snmp.read()
        netstat = self._netstat.read()
        end = time.monotonic_ns()
        return Reading(
            at_ns=(begin + end) // 2,
            half_width_ns=(end - begin + 1) // 2,
            cpuacct_ns=cpuacct,
            busy_ns=parse_cpu_busy_ns(stat, stat_ns),
            in_octets=parse_columns(netstat, b"IpExt")["InOctets"],
            in_datagrams=parse_columns(snmp, b"Udp")["InDatagrams"],
            in_segments=parse_columns(snmp, b"Tcp")["InSegs"],
        )

    def close(self) -> None:
        for file in (self._cpuacct, self._stat, self._snmp, self._netstat):
            if file:
                file.close()


class Series:
    """Counter values over time, read at instants between the samples by linear interpolation."""

    def __init__(self):
        self.at_ns: list[int] = []
        self.values: list[int] = []

    def append(self, at_ns: int, value: int) -> None:
        self.at_ns.append(at_ns)
        self.values.append(value)

    def at(self, instant_ns: int) -> float:
        after = bisect_right(self.at_ns, instant_ns)
        if after == 0 or after == len(self.at_ns):
            raise ValueError(f"{instant_ns} lies outside of the {len(self.at_ns)} samples")
        left, right = self.at_ns[after - 1], self.at_ns[after]
        share = (instant_ns - left) / (right - left)
        return self.values[after - 1] + share * (self.values[after] - self.values[after - 1])

    def widest_gap_ns(self, begin_ns: int, end_ns: int) -> int:
        """The longest time without a sample in [begin, end]: how far interpolation had to reach."""
        inside = [at for at in self.at_ns if begin_ns <= at <= end_ns]
        return max((b - a for a, b in zip([begin_ns, *inside], [*inside, end_ns])), default=0)


class CounterSampler:
    """A thread that samples every `step_s` seconds while the context lives.

    `series` has what `read` returned, by name. `read` and `open_` run on the sampler's thread.
    """

    def __init__(self, step_s: float, open_, read):
        self._step_ns = int(step_s * 1e9)
        self._open = open_
        self._read = read
        self._stop = threading.Event()
        self._started = threading.Event()
        self._error: BaseException | None = None
        self._thread = threading.Thread(target=self._sample, daemon=True)
        self.series: dict[str, Series] = {}

    def _sample(self) -> None:
        try:
            take_realtime_priority()
            source = self._open()
            due = time.monotonic_ns()
            while not self._stop.is_set():
                at_ns, values = self._read(source)
                for name, value in values.items():
                    self.series.setdefault(name, Series()).append(at_ns, value)
                self._started.set()
                due = max(due + self._step_ns, time.monotonic_ns())
                self._stop.wait((due - time.monotonic_ns()) / 1e9)
        except BaseException as error:  # told to the thread that waits
            self._error = error
            self._started.set()

    def __enter__(self) -> "CounterSampler":
        self._thread.start()
        self._started.wait(5)
        return self

    def __exit__(self, *_) -> None:
        self._stop.set()
        self._thread.join(5)
        if self._error:
            raise self._error


def cpuacct_sampler(step_s: float) -> CounterSampler:
    """Series "cpuacct": exact CPU time of the machine in ns."""
    path = cpuacct_path()
    if path is None:
        raise RuntimeError("no root cpuacct.usage (cgroup v1) on this machine: nothing exact to compare with")

    def read(file: _File):
        before = time.monotonic_ns()
        value = int(file.read())
        return (before + time.monotonic_ns()) // 2, {"cpuacct": value}

    return CounterSampler(step_s, lambda: _File(path), read)


def host_sampler(step_s: float, namespace_fd: int) -> CounterSampler:
    """Series "in_datagrams", "in_octets" and, where there is one, "cpuacct" of one host."""

    def read(reader: CounterReader):
        reading = reader.read()
        values = {"in_datagrams": reading.in_datagrams, "in_octets": reading.in_octets}
        if reading.cpuacct_ns is not None:
            values["cpuacct"] = reading.cpuacct_ns
        return reading.at_ns, values

    return CounterSampler(step_s, lambda: CounterReader(namespace_fd), read)


@dataclass(frozen=True)
class Window:
    """What the counters gained between two readings, as rates where rates are compared."""

    elapsed_s: float
    payload_bytes: float
    received_bps: float
    cpuacct_s: float | None
    busy_s: float
    edge_error: float  # both readings' half widths / elapsed


class TrafficWindow:
    """Waits for traffic to start on a host, then reads its counters `settle_s` later and `measure_s` after
    that.

    Only two readings lie inside the time that counts, so the reader costs nothing there. One thread per
    object.
    """

    def __init__(self, namespace_fd: int, datagram_bytes: int | None, settle_s: float, measure_s: float):
        self._namespace_fd = namespace_fd
        self._datagram_bytes = datagram_bytes  # None: TCP
        self._settle_s = settle_s
        self._measure_s = measure_s
        self._give_up = threading.Event()
        self._ready = threading.Event()
        self._error: BaseException | None = None
        self._result: Window | None = None
        self._thread = threading.Thread(target=self._watch, daemon=True)

    def __enter__(self) -> "TrafficWindow":
        self._thread.start()
        self._ready.wait(5)
        return self

    def __exit__(self, *_) -> None:
        self._give_up.set()
        self._thread.join(5 + self._settle_s + self._measure_s)

    def result(self) -> Window:
        """Blocks until the window is over; to be called after the traffic has ended."""
        self._give_up.set()
        self._thread.join(5 + self._settle_s + self._measure_s)
        if self._error:
            raise self._error
        if self._result is None:
            raise RuntimeError("no traffic arrived at the receiver")
        return self._result

    def _watch(self) -> None:
        try:
            take_realtime_priority()
            reader = CounterReader(self._namespace_fd)
            base = reader.read()
            self._ready.set()
            if not self._wait_for_traffic(reader, base):
                return
            time.sleep(self._settle_s)
            begin = reader.read()
            time.sleep(self._measure_s)
            end = reader.read()
            reader.close()
            self._result = self._between(begin, end)
        except BaseException as error:  # told to the thread that waits
            self._error = error
            self._ready.set()

    def _wait_for_traffic(self, reader: CounterReader, base: Reading) -> bool:
        while not self._give_up.is_set():
            now = reader.read()
            # Beyond what control connections and handshakes carry.
            if now.in_octets - base.in_octets > 1_000_000:
                return True
            time.sleep(0.02)
        return False

    def _between(self, begin: Reading, end: Reading) -> Window:
        elapsed_s = (end.at_ns - begin.at_ns) / 1e9
        if self._datagram_bytes is None:
            headers = (end.in_segments - begin.in_segments) * _TCP_HEADERS_BYTES
            payload = end.in_octets - begin.in_octets - headers
        else:
            payload = (end.in_datagrams - begin.in_datagrams) * self._datagram_bytes
        cpuacct_s = None
        if begin.cpuacct_ns is not None and end.cpuacct_ns is not None:
            cpuacct_s = (end.cpuacct_ns - begin.cpuacct_ns) / 1e9
        return Window(
            elapsed_s,
            payload,
            payload * 8 / elapsed_s,
            cpuacct_s,
            (end.busy_ns - begin.busy_ns) / 1e9,
            (begin.half_width_ns + end.half_width_ns) / 1e9 / elapsed_s,
        )
