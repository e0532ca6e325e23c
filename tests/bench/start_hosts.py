"""How far apart streams of four hosts start whose clocks lie days apart, and whether two witnesses agree.

Two lab hosts send, two receive. On each sending host tcpdump keeps the first datagrams of each stream, where they
leave: each must lie inside its host's certificate, see start_capture. The receiving kernels' own counts of datagrams
are sampled from outside: what each interval of a host claims must be what its kernel counted between the
interval's two edges on the common timeline, which is this machine's CLOCK_MONOTONIC here.
"""

import os
from bisect import bisect_left, bisect_right
from contextlib import ExitStack

from judged_row import Row, every_row
from kernel_counters import Series, host_sampler
from offset_lab import OffsetLab
from order_statistics import quantile
from packet_capture import Capture
from start_capture import TUTTI_FILTER, compare_trial, inside_row, skew_rows
from tutti_pair import PlanText, status_of, trials_of

SENDERS = ("host1", "host2")
RECEIVERS = ("host3", "host4")
TRIALS_PER_ROUND = 5
MESSAGE_BYTES = 1472
UDP_BUFFER_BYTES = 1 << 20
SAMPLE_STEP_S = 0.001
PACED = "8 streams at 1 Mbps, UDP 1472 B"
LOADS = {
    PACED: (8, "1Mbps"),
    "8 streams at 40 Mbps, UDP 1472 B": (8, "40Mbps"),
    "8 saturating streams, UDP 1472 B": (8, None),
    "32 saturating streams, UDP 1472 B": (32, None),
}
# Where the receivers keep up: what a kernel counted is what was read.
COUNTED = (PACED, "8 streams at 40 Mbps, UDP 1472 B")
MEDIAN_BAR_US = 200.0
P99_BAR_US = 1000.0
PROBES_PER_INTERVAL = 6  # datagrams of the clock service


def count_range(series: Series, from_ns: int, to_ns: int) -> tuple[int, int]:
    """What a counter that only grows can have shown at some instant in [from, to]."""
    before = bisect_right(series.at_ns, from_ns) - 1
    after = bisect_left(series.at_ns, to_ns)
    if before < 0 or after >= len(series.at_ns):
        raise ValueError(f"[{from_ns}, {to_ns}] lies outside of the samples")
    return series.values[before], series.values[after]


def interval_agrees(series: Series, begin_ns: int, end_ns: int, slack_ns: int, messages: float, streams: int) -> bool:
    """Whether `messages` can have been read between the two edges, each known to within `slack_ns`."""
    begin = count_range(series, begin_ns - slack_ns, begin_ns + slack_ns)
    end = count_range(series, end_ns - slack_ns, end_ns + slack_ns)
    # At each edge a stream may hold what it has read and not counted yet.
    most = end[1] - begin[0] + streams
    least = end[0] - begin[1] - streams - PROBES_PER_INTERVAL
    return least <= messages <= most


def compare_intervals(trial: dict, counters: dict[str, Series]) -> list[bool]:
    t0 = trial["t0_timeline_ns"]
    bounds = {host["host"]: host["clock"]["bound_during_ns"] for host in trial["hosts"]}
    streams = len(trial["streams"])
    agreements = []
    for interval in trial["timeline"]:
        for host in interval["hosts"]:
            if host["host"] not in counters or host.get("received_bytes") is None:
                continue
            agreements.append(
                interval_agrees(
                    counters[host["host"]],
                    t0 + host["begin_trial_ns"],
                    t0 + host["end_trial_ns"],
                    bounds[host["host"]],
                    host["received_bytes"] / MESSAGE_BYTES,
                    streams,
                )
            )
    return agreements


class Bench:
    name = "start_hosts"
    title = "The start of streams on four hosts with different clocks, and two witnesses"
    default_rounds = 20
    conditions = tuple(LOADS)

    def __init__(self, bin_dir, seed: int):
        self._bin_dir = bin_dir

    def settings(self) -> dict:
        return {
            "trials_per_round": TRIALS_PER_ROUND,
            "plans": {condition: self._plan(condition).text() for condition in LOADS},
            "capture_filter": TUTTI_FILTER,
            "sample_step_s": SAMPLE_STEP_S,
        }

    def __enter__(self) -> "Bench":
        self._lab = OffsetLab(self._bin_dir, len(SENDERS) + len(RECEIVERS), "start")
        self._lab.__enter__()
        # Between hosts that never spoke the first datagram waits in the kernel for its neighbour's address, and
        # leaves after its send call has returned (seen: 10 to 130 us). That is not what is compared here.
        self._lab.run_plan(self._plan(PACED, repeat=1).text(), 30)
        return self

    def __exit__(self, *_) -> None:
        self._lab.__exit__()

    @staticmethod
    def _plan(condition: str, repeat: int = TRIALS_PER_ROUND) -> PlanText:
        streams, rate = LOADS[condition]
        return PlanText(
            "start-hosts",
            "udp",
            streams // len(SENDERS),
            MESSAGE_BYTES,
            warmup_ms=300,
            measure_ms=400,
            cooldown_ms=100,
            repeat=repeat,
            buffer_bytes=UDP_BUFFER_BYTES,
            rate=rate,
            hosts=(", ".join(SENDERS), ", ".join(RECEIVERS)),
        )

    def run_round(self, condition: str, round_: int) -> dict:
        plan = self._plan(condition)
        with ExitStack() as stack:
            samplers = {}
            for host in RECEIVERS if condition in COUNTED else ():
                network = self._lab.network_fd(host)
                stack.callback(os.close, network)
                samplers[host] = stack.enter_context(host_sampler(SAMPLE_STEP_S, network))
            captures = [stack.enter_context(Capture(self._lab.host(host), TUTTI_FILTER)) for host in SENDERS]
            result = self._lab.run_plan(plan.text(), 30 + plan.repeat * (plan.duration_s() + 3))
        packets = [
            (capture.monotonic_ns(packet), packet) for capture in captures for packet in capture.packets()
        ]
        conversion_ns = max(capture.offset.half_width_ns for capture in captures)
        trials = trials_of(result)
        good = [trial for trial in trials if status_of(trial) == "good"]
        counters = {host: sampler.series["in_datagrams"] for host, sampler in samplers.items()}
        duration_ns = int(plan.duration_s() * 1e9)
        return {
            "trials": [
                {
                    **compare_trial(trial, packets, conversion_ns, duration_ns),
                    "intervals": compare_intervals(trial, counters),
                    "clocks": [
                        {
                            "error_ns": abs(host["clock"]["offset_ns"] - self._lab.true_ns[host["host"]]),
                            "bound_ns": host["clock"]["bound_before_ns"],
                        }
                        for host in trial["hosts"]
                    ],
                }
                for trial in good
            ],
            "not_good": [
                f"{status_of(trial)}: {'; '.join(trial.get('reasons', []))}"
                for trial in trials
                if trial not in good
            ],
        }

    def rows(self, log) -> list[Row]:
        rows = []
        for condition in self.conditions:
            rounds = log.good(condition)
            trials = [trial for data in rounds for trial in data["trials"]]
            not_good = sum(len(data["not_good"]) for data in rounds)
            if condition == PACED:
                rows += [_paced_row(condition, figure, trials) for figure in ("first", "running")]
            rows.append(inside_row(condition, trials, not_good))
            # A paced stream runs from its 10th ms on, not from a message that a capture could tell.
            for figure in ("first", "running") if LOADS[condition][1] is None else ("first",):
                rows += skew_rows(condition, figure, trials)
            if condition in COUNTED:
                rows.append(_interval_row(condition, trials))
            rows.append(_clock_row(condition, trials))
        return rows


def _paced_row(condition: str, figure: str, trials: list[dict]) -> Row:
    values = [trial["certified"][figure] / 1e3 for trial in trials if trial["certified"][figure] is not None]
    kept = []
    note = ""
    if values:
        kept = [quantile(values, 0.5) < MEDIAN_BAR_US, quantile(values, 0.99) < P99_BAR_US]
        bounds = [trial["skew_bound_ns"] / 1e3 for trial in trials if trial["skew_bound_ns"] is not None]
        note = f"p99 {quantile(values, 0.99):.1f}, worst {max(values):.1f}, clock bound up to {max(bounds):.1f}"
    return every_row(
        condition,
        f"{figure} send skew" if figure == "first" else "running skew",
        values,
        "us",
        f"median < {MEDIAN_BAR_US:g}, p99 < {P99_BAR_US:g}",
        kept,
        note,
    )


def _clock_row(condition: str, trials: list[dict]) -> Row:
    clocks = [clock for trial in trials for clock in trial["clocks"]]
    return every_row(
        condition,
        "error of the hosts' time at T0",
        [clock["error_ns"] / 1e3 for clock in clocks],
        "us",
        "within its bound",
        [clock["error_ns"] <= clock["bound_ns"] for clock in clocks],
        f"largest bound {max(clock['bound_ns'] for clock in clocks) / 1e3:.1f}" if clocks else "",
    )


def _interval_row(condition: str, trials: list[dict]) -> Row:
    shares = [100 * sum(trial["intervals"]) / len(trial["intervals"]) for trial in trials if trial["intervals"]]
    return every_row(
        condition,
        "intervals that the kernel's counter confirms",
        shares,
        "%",
        "= 100 in every trial",
        [share == 100 for share in shares],
        f"{sum(len(trial['intervals']) for trial in trials)} intervals of one host",
    )
