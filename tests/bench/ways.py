"""tutti's ways to send and receive beside the raw loop of the same way and the best peer that sends the same way.

Eight cells, each in received throughput and in CPU per byte of the machine, read from outside as in
throughput.py. The raw loop (raw_NAME.cc) moves the same messages by the same calls, with the same batch, buffers
and read size, and counts nothing. A peer stands in a cell only if it sends that way: none of Debian's has GSO or
sendmmsg, and sockperf has no way to keep several streams full. Over veth a GSO packet reaches its reader as it was
sent, and the receiving kernel counts it as one datagram: the ratio of tutti's own figure to the kernel's would tell
if it were otherwise.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass, field

from judged_row import Row, judged_row, row_of
from kernel_counters import TCP_PAYLOAD, TrafficWindow, cpuacct_path
from order_statistics import median, paired_ratios, shuffled, verdict_at_least, verdict_at_most
from pair_bench import PairBench
from peers import (
    Load,
    iperf3_version,
    iperf_version,
    nuttcp_version,
    raw_path,
    run_iperf,
    run_iperf3,
    run_nuttcp,
    run_raw,
    run_sockperf,
    sockperf_version,
)
from tutti_pair import PlanText, only_entry, require_good, trials_of

SETTLE_S = 0.5
MEASURE_S = 1.0
SECONDS = 2  # that each contender sends
# tutti's own choices (DefaultReadSizeBytes of worker/load/load_trial.cc)
TCP_READ_BYTES = 128 * 1024
TINY_MESSAGE_BYTES = 128  # up to here a read takes one message
UDP_READ_BYTES = 64 * 1024
UDP_BUFFER_BYTES = 1 << 20
GSO_BATCH = 44  # what a datagram of 65,507 B holds of 1472 B
SENDMMSG_BATCH = 32
RAW = "raw loop"
RAW_BAR = 0.95
ALL_CELLS_BAR = 0.97
PEER_BAR = 0.98
RUN_PEER: dict[str, Callable] = {
    "iperf3": run_iperf3,
    "iperf": run_iperf,
    "nuttcp": run_nuttcp,
    "sockperf": run_sockperf,
}


@dataclass(frozen=True)
class Cell:
    load: Load
    raw: str = "write"  # its program
    further: dict[str, object] = field(default_factory=dict)  # keys of tutti's plan
    peers: tuple[str, ...] = ()
    joined: int = 1  # datagrams that InDatagrams counts as one, since the reader got them as one

    def datagram_bytes(self) -> int | None:
        return self.load.message_bytes * self.joined if self.load.protocol == "udp" else None


def tcp_cell(streams: int, message_bytes: int, *peers: str, wait: str = "block") -> Cell:
    read_bytes = message_bytes if message_bytes <= TINY_MESSAGE_BYTES else TCP_READ_BYTES
    load = Load("tcp", streams, message_bytes, None, SECONDS, read_bytes, wait=wait)
    return Cell(load, further={"receive_wait": wait}, peers=peers)


def udp_cell(streams: int, message_bytes: int, *peers: str, wait: str = "block", **how) -> Cell:
    read_bytes, batch = how.pop("read_bytes", UDP_READ_BYTES), how.pop("batch", 1)
    load = Load("udp", streams, message_bytes, UDP_BUFFER_BYTES, SECONDS, read_bytes, batch, wait)
    further = {"receive_wait": wait} | how.pop("further", {})
    return Cell(load, peers=peers, further=further, **how)


CELLS = {
    "TCP 128 KiB x 1, write": tcp_cell(1, 128 * 1024, "iperf3", "iperf", "nuttcp"),
    "TCP 128 KiB x 8, write": tcp_cell(8, 128 * 1024, "iperf3", "iperf", "nuttcp"),
    "TCP 16 KiB x 8, write": tcp_cell(8, 16 * 1024, "iperf3", "iperf", "nuttcp"),
    "TCP 64 B x 1, write": tcp_cell(1, 64, "iperf3", "iperf", "nuttcp", "sockperf"),
    "UDP 1472 B x 1, write": udp_cell(1, 1472, "iperf3", "iperf", "nuttcp", "sockperf"),
    "UDP 1472 B x 8, write": udp_cell(8, 1472, "iperf3", "iperf"),
    "UDP 1472 B x 1, GSO/GRO": udp_cell(
        1,
        1472,
        raw="gso",
        batch=GSO_BATCH,
        joined=GSO_BATCH,
        further={"send": "gso", "receive": "gro", "batch": GSO_BATCH},
    ),
    "UDP 64 B x 1, sendmmsg": udp_cell(
        1,
        64,
        raw="sendmmsg",
        read_bytes=64,
        batch=SENDMMSG_BATCH,
        further={"send": "sendmmsg", "receive": "recvmmsg", "batch": SENDMMSG_BATCH},
    ),
}


class Bench(PairBench):
    name = "ways"
    title = "Each way to send and receive beside its raw loop and the peers that send the same way"
    default_rounds = 25
    cells = CELLS
    conditions = tuple(CELLS)

    def settings(self) -> dict:
        missing = [cell.raw for cell in self.cells.values() if raw_path(self._bin_dir, cell.raw) is None]
        if missing:
            raise SystemExit(f"raw_{missing[0]} was not built: TUTTI_BENCH is off")
        return {
            "cells": {
                name: {"load": vars(cell.load), "further": cell.further, "peers": cell.peers}
                for name, cell in self.cells.items()
            },
            "peer_versions": {
                "iperf3": iperf3_version(),
                "iperf": iperf_version(),
                "nuttcp": nuttcp_version(),
                "sockperf": sockperf_version(),
            },
            "settle_s": SETTLE_S,
            "measure_s": MEASURE_S,
            "tcp_socket_buffers": "the kernel's default (autotuned)",
            "tcp_payload": TCP_PAYLOAD,
            "pinning": "none",
            "cpu_source": "cpuacct.usage" if cpuacct_path() else "/proc/stat idle columns",
        }

    def run_round(self, condition: str, round_: int) -> dict:
        cell = self.cells[condition]
        program = raw_path(self._bin_dir, cell.raw)
        run = {
            "tutti": lambda: self._run_tutti(cell),
            RAW: lambda: run_raw(self._pair, cell.load, program),
        }
        for peer in cell.peers:
            run[peer] = lambda peer=peer: RUN_PEER[peer](self._pair, cell.load)
        order = shuffled(list(run), self._seed, condition, round_)
        data: dict = {"order": order}
        for contender in order:
            host = self._pair.receiver.namespace_fd
            with TrafficWindow(host, cell.datagram_bytes(), SETTLE_S, MEASURE_S) as window:
                own_bps = run[contender]()
                seen = window.result()
            cpu_s = seen.cpuacct_s if seen.cpuacct_s is not None else seen.busy_s
            data[contender] = {
                "received_bps": seen.received_bps,
                "own_received_bps": own_bps,
                "elapsed_s": seen.elapsed_s,
                "cpu_s": cpu_s,
                "cpu_ns_per_byte": cpu_s * 1e9 / seen.payload_bytes,
                "edge_error": seen.edge_error,
            }
        return data

    def _run_tutti(self, cell: Cell) -> float | None:
        load = cell.load
        plan = PlanText(
            "ways",
            load.protocol,
            load.streams,
            load.message_bytes,
            int(SETTLE_S * 1000),
            int(MEASURE_S * 1000),
            int((load.seconds - SETTLE_S - MEASURE_S) * 1000),
            buffer_bytes=load.buffer_bytes,
            further=cell.further,
        )
        trial = require_good(trials_of(self._tutti.run(plan))[0])
        return only_entry(trial).get("received_bps")

    def rows(self, log) -> list[Row]:
        rows = []
        for condition, cell in self.cells.items():
            rounds = log.good(condition)
            for rival in (RAW, *cell.peers):
                bar = RAW_BAR if rival == RAW else PEER_BAR
                rows += _judged(condition, f"tutti / {rival}", bar, lambda key, r=rival: _ratios(rounds, key, r))
            rows += [_absolute(condition, name, rounds) for name in ("tutti", RAW, *cell.peers) if rounds]
        rows += _judged(
            "all cells",
            f"geometric mean of tutti / {RAW}",
            ALL_CELLS_BAR,
            lambda key: _means(log, self.conditions, key),
        )
        return rows


def _judged(condition: str, figure: str, bar: float, values) -> list[Row]:
    """Received is not below the bar, CPU per byte not above its inverse."""
    most = round(1 / bar, 3)
    return [
        judged_row(
            condition,
            f"received, {figure}",
            values("received_bps"),
            "ratio",
            f">= {bar}",
            lambda interval: verdict_at_least(interval, bar),
        ),
        judged_row(
            condition,
            f"CPU per byte, {figure}",
            values("cpu_ns_per_byte"),
            "ratio",
            f"<= {most}",
            lambda interval: verdict_at_most(interval, most),
        ),
    ]


def _ratios(rounds: list[dict], key: str, rival: str) -> list[float]:
    return paired_ratios([data["tutti"][key] for data in rounds], [data[rival][key] for data in rounds])


def geometric_mean(values: list[float]) -> float:
    return math.exp(sum(math.log(value) for value in values) / len(values))


def _means(log, conditions: tuple[str, ...], key: str) -> list[float]:
    """For each round that is good in every cell the geometric mean over the cells."""
    means = []
    for round_ in sorted({round_ for _, round_ in log.records}):
        records = [log.records.get((condition, round_)) for condition in conditions]
        if all(record is not None and record["error"] is None for record in records):
            ratios = [record["data"]["tutti"][key] / record["data"][RAW][key] for record in records]
            means.append(geometric_mean(ratios))
    return means


def _absolute(condition: str, contender: str, rounds: list[dict]) -> Row:
    seen = [data[contender] for data in rounds]
    row = row_of(condition, f"received, {contender}", [data["received_bps"] / 1e6 for data in seen], "Mbps")
    row.note = (
        f"{median([data['cpu_s'] / data['elapsed_s'] for data in seen]):.2f} cores busy, "
        f"{median([data['cpu_ns_per_byte'] for data in seen]):.3f} ns CPU per byte"
    )
    own = [data["own_received_bps"] / data["received_bps"] for data in seen if data["own_received_bps"]]
    if own:
        row.note += f"; its own figure / the kernel's: {median(own):.3f}"
    return row
