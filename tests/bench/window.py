"""Received bytes of the window beside the receiving kernel's own counters, with many more streams than CPUs.

TCP: tcpi_bytes_received of every stream at the window's edges. It counts what arrived, and differs from what
was read by what lies unread in the sockets at either edge: up to several MB each with autotuned buffers. So
small fixed ones are measured too, and the comparison is made once more with the kernel's own figure of what lay
unread (SIOCINQ) taken into account. UDP: InDatagrams of the receiving host, sampled by an outside thread and
interpolated to the window's edges. Beside it what a shell makes of the same load: as many iperf3 pairs
started one after another, their own rates added up, and how far that sum lies above the kernel's mean rate.
"""

import json
import subprocess

from judged_row import Row, every_row, row_of
from kernel_counters import Series, host_sampler
from pair_bench import PairBench
from peers import PORT, Load, iperf3_command, iperf3_received_bps, iperf3_version, wait_for_port
from tutti_pair import PlanText, only_entry, require_good, trials_of, window_on_timeline

STREAMS = 32
WINDOW_MS = 2000
SAMPLE_STEP_S = 0.005
UDP_BUFFER_BYTES = 1 << 20
TCP_BUFFER_BYTES = 256 * 1024
BAR_PERCENT = 1.0
LOADS = {
    f"TCP 128 KiB, {STREAMS} streams": Load("tcp", STREAMS, 128 * 1024, None, WINDOW_MS // 1000),
    f"TCP 128 KiB, {STREAMS} streams, 256 KiB buffers": Load(
        "tcp", STREAMS, 128 * 1024, TCP_BUFFER_BYTES, WINDOW_MS // 1000
    ),
    f"UDP 1472 B, {STREAMS} streams": Load("udp", STREAMS, 1472, UDP_BUFFER_BYTES, WINDOW_MS // 1000),
}


def busy_span_ns(octets: Series, threshold_bytes: int = 100_000) -> tuple[int, int]:
    """From the first to the last sample between which traffic flowed, beyond control connections."""
    steps = list(zip(octets.at_ns, octets.at_ns[1:], octets.values, octets.values[1:]))
    busy = [(begin, end) for begin, end, low, high in steps if high - low > threshold_bytes]
    if not busy:
        raise RuntimeError("no traffic arrived at the receiver")
    return busy[0][0], busy[-1][1]


class Bench(PairBench):
    name = "window"
    title = "Received bytes of the window beside the receiving kernel's counters"
    default_rounds = 10
    conditions = tuple(LOADS)

    def settings(self) -> dict:
        return {
            "streams": STREAMS,
            "window_ms": WINDOW_MS,
            "sample_step_s": SAMPLE_STEP_S,
            "udp_socket_buffers_bytes": UDP_BUFFER_BYTES,
            "peer_versions": {"iperf3": iperf3_version()},
        }

    def run_round(self, condition: str, round_: int) -> dict:
        load = LOADS[condition]
        data = {"tutti": self._run_tutti(load)}
        if load.buffer_bytes != TCP_BUFFER_BYTES:  # once per protocol
            data["shell"] = self._run_shell(load)
        return data

    def _run_tutti(self, load: Load) -> dict:
        plan = PlanText(
            "window",
            load.protocol,
            STREAMS,
            load.message_bytes,
            warmup_ms=500,
            measure_ms=WINDOW_MS,
            cooldown_ms=200,
            buffer_bytes=load.buffer_bytes,
        )
        with host_sampler(SAMPLE_STEP_S, self._pair.receiver.namespace_fd) as sampler:
            result = self._tutti.run(plan)
        trial = require_good(trials_of(result)[0])
        entry = only_entry(trial)
        begin, end = window_on_timeline(trial, "b")
        datagrams, octets = sampler.series["in_datagrams"], sampler.series["in_octets"]
        if load.protocol == "udp":
            kernel = (datagrams.at(end) - datagrams.at(begin)) * load.message_bytes
        else:
            kernel = sum(stream["kernel_received_bytes"] for stream in trial["streams"])
        return {
            "queue_change_bytes": sum(stream["receive_queue_change_bytes"] or 0 for stream in trial["streams"]),
            "received_bytes": entry["received_bytes"]["value"],
            "kernel_bytes": kernel,
            "in_octets": octets.at(end) - octets.at(begin),
            "widest_gap_ms": octets.widest_gap_ns(begin, end) / 1e6,
            "running_skew_ns": entry.get("running_skew_ns"),
        }

    def _run_shell(self, load: Load) -> dict:
        """`for i in ...; do iperf3 -c ... & done`, and the sum of what each of them says."""
        one = Load(load.protocol, 1, load.message_bytes, load.buffer_bytes, load.seconds)
        ports = range(PORT, PORT + STREAMS)
        servers, clients = [], []
        try:
            for port in ports:
                servers.append(
                    self._pair.receiver.start(
                        ["iperf3", "-s", "-1", "-p", str(port)],
                        stdout=subprocess.DEVNULL,
                        stderr=subprocess.DEVNULL,
                    )
                )
            for port in ports:
                wait_for_port(self._pair.receiver, "tcp", port)
            with host_sampler(SAMPLE_STEP_S, self._pair.receiver.namespace_fd) as sampler:
                for port in ports:
                    clients.append(
                        self._pair.sender.start(
                            iperf3_command(one, self._pair.receiver.address, port),
                            stdout=subprocess.PIPE,
                            stderr=subprocess.DEVNULL,
                            text=True,
                        )
                    )
                outputs = [client.communicate(timeout=load.seconds + 60)[0] for client in clients]
        finally:
            for client in clients:
                self._pair.sender.stop(client)
            for server in servers:
                self._pair.receiver.stop(server)
        rates = [iperf3_received_bps(json.loads(output)) for output in outputs if output.strip()]
        return _overstatement([rate for rate in rates if rate is not None], sampler.series, load)

    def rows(self, log) -> list[Row]:
        rows = []
        for condition in self.conditions:
            rounds = log.good(condition)
            tutti = [data["tutti"] for data in rounds]
            skews = [data["running_skew_ns"] / 1e6 for data in tutti if data["running_skew_ns"] is not None]
            skew = f"running skew up to {max(skews):.1f} ms" if skews else ""
            read = [data["received_bytes"] for data in tutti]
            kernel = [data["kernel_bytes"] for data in tutti]
            rows.append(_agreement_row(condition, "received / kernel's counter - 1", read, kernel, skew))
            if LOADS[condition].protocol == "tcp":
                arrived = [data["received_bytes"] + data["queue_change_bytes"] for data in tutti]
                what = "(received + growth of the unread) / kernel's counter - 1"
                rows.append(_agreement_row(condition, what, arrived, kernel, ""))
            shells = [data["shell"] for data in rounds if "shell" in data]
            if shells:
                rows.append(_shell_row(condition, shells))
        return rows


def _overstatement(rates: list[float], series: dict[str, Series], load: Load) -> dict:
    begin, end = busy_span_ns(series["in_octets"])
    if load.protocol == "udp":
        counter, unit_bytes = series["in_datagrams"], load.message_bytes
    else:
        counter, unit_bytes = series["in_octets"], 1
    # The span's edges are samples themselves, `at` wants one on each side.
    gained = counter.values[counter.at_ns.index(end)] - counter.values[counter.at_ns.index(begin)]
    return {
        "sum_bps": sum(rates),
        "reported": len(rates),
        "kernel_mean_bps": gained * unit_bytes * 8e9 / (end - begin),
        "span_s": (end - begin) / 1e9,
    }


def _agreement_row(condition: str, what: str, ours: list[int], kernel: list[int], note: str) -> Row:
    errors = [100 * (one / other - 1) for one, other in zip(ours, kernel)]
    span = f"{min(errors):.2f} to {max(errors):.2f}" if errors else ""
    within = [abs(error) <= BAR_PERCENT for error in errors]
    note = "; ".join(part for part in (span, note) if part)
    return every_row(condition, what, errors, "%", f"within +-{BAR_PERCENT:g}", within, note)


def _shell_row(condition: str, shells: list[dict]) -> Row:
    over = [100 * (data["sum_bps"] / data["kernel_mean_bps"] - 1) for data in shells]
    row = row_of(condition, f"{STREAMS} iperf3 from a shell: sum / kernel's mean - 1", over, "%")
    if shells:
        row.note = (
            f"first start to last end {max(data['span_s'] for data in shells):.1f} s at most; "
            f"at least {min(data['reported'] for data in shells)} of {STREAMS} reported"
        )
    return row
