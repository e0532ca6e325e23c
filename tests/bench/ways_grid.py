"""Every other combination of way, size, number of streams and buffer: run once and shown, judged by nobody.

What tutti states itself; that its figures agree with the kernel's is shown by the bench "ways".
"""

from itertools import product

from judged_row import Row, row_of
from kernel_counters import TrafficWindow
from pair_bench import PairBench
from tutti_pair import PlanText, only_entry, require_good, trials_of

SETTLE_S = 0.5
MEASURE_S = 1.0
STREAMS = (1, 8)
BUFFERS = (None, 1 << 20)
TCP = product(("write", "sendfile", "zerocopy"), ("read", "discard"), (64, 16 * 1024, 128 * 1024))
UDP = product(
    ("write", "sendmmsg", "gso", "zerocopy"), ("read", "recvmmsg", "gro", "discard"), (64, 1472, 16 * 1024)
)


def _keys(send: str, receive: str) -> dict[str, str]:
    return {"send": send} | ({"discard": "true"} if receive == "discard" else {"receive": receive})


def _conditions() -> dict[str, PlanText]:
    plans = {}
    ways = [("tcp", *way) for way in TCP] + [("udp", *way) for way in UDP]
    for (protocol, send, receive, size), streams, buffer in product(ways, STREAMS, BUFFERS):
        # A segment is never fragmented, and the path carries 1500 B.
        if send == "gso" and size > 1472:
            continue
        name = f"{protocol} {send} to {receive}, {size} B x {streams}, {'1 MiB' if buffer else 'default'} buffers"
        plans[name] = PlanText(
            "ways-grid",
            protocol,
            streams,
            size,
            int(SETTLE_S * 1000),
            int(MEASURE_S * 1000),
            100,
            buffer_bytes=buffer,
            further=_keys(send, receive),
        )
    return plans


PLANS = _conditions()


class Bench(PairBench):
    name = "ways_grid"
    title = "Every combination of way, size, streams and buffer, once"
    default_rounds = 1
    conditions = tuple(PLANS)

    def settings(self) -> dict:
        return {"settle_s": SETTLE_S, "measure_s": MEASURE_S, "pinning": "none", "combinations": len(PLANS)}

    def run_round(self, condition: str, round_: int) -> dict:
        with TrafficWindow(self._pair.receiver.namespace_fd, None, SETTLE_S, MEASURE_S) as window:
            trial = require_good(trials_of(self._tutti.run(PLANS[condition]))[0])
            seen = window.result()
        entry = only_entry(trial)
        cpu_s = seen.cpuacct_s if seen.cpuacct_s is not None else seen.busy_s
        return {
            "received_bps": entry["received_bps"],
            "sent_bps": entry["sent_bps"],
            "cores_busy": cpu_s / seen.elapsed_s,
            "cpu_ns_per_byte": cpu_s * 8e9 / seen.elapsed_s / entry["received_bps"],
        }

    def rows(self, log) -> list[Row]:
        rows = []
        for condition in PLANS:
            for data in log.good(condition):
                row = row_of(condition, "received", [data["received_bps"] / 1e6], "Mbps")
                row.note = (
                    f"sent {data['sent_bps'] / 1e6:.0f} Mbps, {data['cores_busy']:.2f} cores busy, "
                    f"{data['cpu_ns_per_byte']:.3f} ns CPU per byte received"
                )
                rows.append(row)
        return rows
