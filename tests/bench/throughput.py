"""tutti beside iperf3 and iperf: received throughput and CPU per byte over a veth pair, saturating.

All figures of all contenders come from the same outside reader (kernel_counters.TrafficWindow): the receiving
host's IP and UDP counters and the machine's CPU time over the same second, from half a second after the first
traffic on. Plain blocking loops (raw_write.cc) run as one more contender that nothing is judged against: how
far all are from what the machine can do. tutti is judged against each peer by itself, which is at least as
strict as against the better one and does not favour the lucky one of two noisy figures.
"""

from kernel_counters import TCP_PAYLOAD, TrafficWindow, cpuacct_path
from judged_row import Row, judged_row, row_of
from order_statistics import median, paired_ratios, shuffled, verdict_at_least, verdict_at_most
from pair_bench import PairBench
from peers import Load, iperf3_version, iperf_version, raw_path, run_iperf, run_iperf3, run_raw
from tutti_pair import PlanText, only_entry, require_good, trials_of

SETTLE_S = 0.5
MEASURE_S = 1.0
SECONDS = 2  # that each contender sends
UDP_BUFFER_BYTES = 1 << 20
LOADS = {
    "TCP 128 KiB, 1 stream": Load("tcp", 1, 128 * 1024, None, SECONDS),
    "TCP 128 KiB, 4 streams": Load("tcp", 4, 128 * 1024, None, SECONDS),
    "UDP 1472 B, 1 stream": Load("udp", 1, 1472, UDP_BUFFER_BYTES, SECONDS),
    "UDP 1472 B, 4 streams": Load("udp", 4, 1472, UDP_BUFFER_BYTES, SECONDS),
}
PEERS = ("iperf3", "iperf")
RAW = "raw loops"
THROUGHPUT_BAR = 0.97
CPU_BAR = 1.03


class Bench(PairBench):
    name = "throughput"
    title = "Received throughput and CPU per byte beside iperf3 and iperf"
    default_rounds = 25
    conditions = tuple(LOADS)

    def settings(self) -> dict:
        return {
            "contenders": ["tutti", *PEERS] + ([RAW] if raw_path(self._bin_dir, "write") else []),
            "peer_versions": {"iperf3": iperf3_version(), "iperf": iperf_version()},
            "seconds_sent": SECONDS,
            "settle_s": SETTLE_S,
            "measure_s": MEASURE_S,
            "tcp_socket_buffers": "the kernel's default (autotuned)",
            "tcp_payload": TCP_PAYLOAD,
            "udp_socket_buffers_bytes": UDP_BUFFER_BYTES,
            "pinning": "none",
            "cpu_source": "cpuacct.usage" if cpuacct_path() else "/proc/stat idle columns",
        }

    def run_round(self, condition: str, round_: int) -> dict:
        load = LOADS[condition]
        contenders = {
            "tutti": self._run_tutti,
            "iperf3": lambda asked: run_iperf3(self._pair, asked),
            "iperf": lambda asked: run_iperf(self._pair, asked),
        }
        raw_program = raw_path(self._bin_dir, "write")
        if raw_program:
            contenders[RAW] = lambda asked: run_raw(self._pair, asked, raw_program)
        order = shuffled(list(contenders), self._seed, condition, round_)
        data: dict = {"order": order}
        for contender in order:
            datagram = load.message_bytes if load.protocol == "udp" else None
            with TrafficWindow(self._pair.receiver.namespace_fd, datagram, SETTLE_S, MEASURE_S) as window:
                own_bps = contenders[contender](load)
                seen = window.result()
            cpu_s = seen.cpuacct_s if seen.cpuacct_s is not None else seen.busy_s
            data[contender] = {
                "received_bps": seen.received_bps,
                "own_received_bps": own_bps,
                "elapsed_s": seen.elapsed_s,
                "cpu_s": cpu_s,
                "idle_based_cpu_s": seen.busy_s,
                "cpu_ns_per_byte": cpu_s * 1e9 / seen.payload_bytes,
                "edge_error": seen.edge_error,
            }
        return data

    def _run_tutti(self, load: Load) -> float | None:
        rest_ms = int((load.seconds - SETTLE_S - MEASURE_S) * 1000)
        plan = PlanText(
            "throughput",
            load.protocol,
            load.streams,
            load.message_bytes,
            int(SETTLE_S * 1000),
            int(MEASURE_S * 1000),
            rest_ms,
            buffer_bytes=load.buffer_bytes,
        )
        trial = require_good(trials_of(self._tutti.run(plan))[0])
        return only_entry(trial).get("received_bps")

    def rows(self, log) -> list[Row]:
        rows = []
        for condition in self.conditions:
            rounds = log.good(condition)
            for peer in PEERS:
                rows.append(
                    judged_row(
                        condition,
                        f"received, tutti / {peer}",
                        _ratios(rounds, "received_bps", peer),
                        "ratio",
                        f">= {THROUGHPUT_BAR}",
                        lambda interval: verdict_at_least(interval, THROUGHPUT_BAR),
                    )
                )
                rows.append(
                    judged_row(
                        condition,
                        f"CPU per byte, tutti / {peer}",
                        _ratios(rounds, "cpu_ns_per_byte", peer),
                        "ratio",
                        f"<= {CPU_BAR}",
                        lambda interval: verdict_at_most(interval, CPU_BAR),
                    )
                )
            with_raw = [data for data in rounds if RAW in data]
            for figure, key in (("received", "received_bps"), ("CPU per byte", "cpu_ns_per_byte")):
                rows.append(
                    row_of(condition, f"{figure}, tutti / {RAW}", _ratios(with_raw, key, RAW), "ratio")
                )
            for contender in ("tutti", *PEERS, RAW):
                seen = [data[contender] for data in rounds if contender in data]
                if seen:
                    rows.append(_absolute(condition, contender, seen))
        return rows


def _ratios(rounds: list[dict], figure: str, peer: str) -> list[float]:
    return paired_ratios([data["tutti"][figure] for data in rounds], [data[peer][figure] for data in rounds])


def _absolute(condition: str, contender: str, seen: list[dict]) -> Row:
    row = row_of(condition, f"received, {contender}", [data["received_bps"] / 1e6 for data in seen], "Mbps")
    row.note = (
        f"{median([data['cpu_s'] / data['elapsed_s'] for data in seen]):.2f} cores busy, "
        f"{median([data['cpu_ns_per_byte'] for data in seen]):.3f} ns CPU per byte"
    )
    own = [data["own_received_bps"] / data["received_bps"] for data in seen if data["own_received_bps"]]
    if own:
        row.note += f"; its own figure / the kernel's: {median(own):.3f}"
    return row
