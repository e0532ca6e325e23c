"""Whether a packet capture agrees with what tutti certifies about the start of saturating streams.

tcpdump on the sending host keeps the first 100 datagrams of each stream (told by the sequence number in
tutti's UDP header; by the packet counter in iperf3's), so nothing is dropped and little CPU is taken. For
each stream the first captured datagram must lie between the certificate's [before, after] of the first send,
widened by the clock bound and the width of the stamp's conversion. The skews are compared too; iperf3's, by
the same definition, stand beside.
"""

import struct

from judged_row import Row, every_row, row_of
from order_statistics import quantile, shuffled
from packet_capture import Capture, UdpPacket
from pair_bench import PairBench
from peers import PORT, Load, iperf3_version, run_iperf3
from tutti_pair import PlanText, host_of, only_entry, status_of, trials_of

RUNNING_MESSAGE = 100  # the message at which an unpaced stream counts as running
TRIALS_PER_ROUND = 5
MESSAGE_BYTES = 1472
UDP_BUFFER_BYTES = 1 << 20
# Payload begins at udp[8]. tutti: nonce u64, sequence u64 from 0. iperf3: seconds u32, microseconds u32,
# count u32 from 1. Both big-endian; the length keeps handshakes out.
TUTTI_FILTER = f"udp[4:2] > 100 and udp[16:4] = 0 and udp[20:4] < {RUNNING_MESSAGE}"
IPERF3_FILTER = f"udp[4:2] > 100 and dst port {PORT} and udp[16:4] >= 1 and udp[16:4] <= {RUNNING_MESSAGE}"
STREAMS = {"8 saturating streams, UDP 1472 B": 8, "32 saturating streams, UDP 1472 B": 32}


def tutti_sequence(packet: UdpPacket) -> int:
    return struct.unpack_from(">Q", packet.payload, 8)[0]


def iperf3_sequence(packet: UdpPacket) -> int:
    return struct.unpack_from(">I", packet.payload, 8)[0] - 1


def skews_ns(starts: dict, streams: int) -> dict:
    """Spread of the first and of the 100th message over the streams; None unless every stream has it."""
    firsts = [start[0] for start in starts.values() if 0 in start]
    runnings = [start[max(start)] for start in starts.values() if max(start) >= RUNNING_MESSAGE // 2]
    return {
        "first": max(firsts) - min(firsts) if len(firsts) == streams else None,
        "running": max(runnings) - min(runnings) if len(runnings) == streams else None,
    }


def group(packets: list[tuple[int, UdpPacket]], sequence) -> dict:
    """Addressing -> sequence -> instant; the first packet of each sequence counts."""
    streams: dict = {}
    for at_ns, packet in packets:
        stream = streams.setdefault((packet.source, packet.source_port, packet.destination_port), {})
        stream.setdefault(sequence(packet), at_ns)
    return streams


def address_of(endpoint: str) -> tuple[str, int]:
    address, port = endpoint.rsplit(":", 1)
    return address, int(port)


def compare_trial(
    trial: dict, packets: list[tuple[int, UdpPacket]], conversion_ns: int, duration_ns: int
) -> dict:
    """One trial's certificate against its packets (instants on the coordinator's CLOCK_MONOTONIC)."""
    t0 = trial["t0_timeline_ns"]
    own = [(at_ns - t0, packet) for at_ns, packet in packets if -200_000_000 <= at_ns - t0 <= duration_ns]
    captured = group(own, tutti_sequence)
    inside = []
    outside_by_ns = 0
    slack_ns = 0
    for stream in trial["streams"]:
        clock = host_of(trial, stream["flow"]["from_host"])["clock"]
        own_slack_ns = max(clock["bound_before_ns"], clock.get("bound_after_ns") or 0) + conversion_ns
        slack_ns = max(slack_ns, own_slack_ns)
        receiver_port = address_of(stream["receiver"]["local_endpoint"])[1]
        key = (*address_of(stream["sender"]["local_endpoint"]), receiver_port)
        first_ns = captured.get(key, {}).get(0)
        before = stream["sender"].get("first_send_before_trial_ns")
        after = stream["sender"].get("first_send_after_trial_ns")
        if first_ns is None or before is None or after is None:
            inside.append(False)
            continue
        beyond = max(before - first_ns, first_ns - after, 0)
        outside_by_ns = max(outside_by_ns, beyond)
        inside.append(beyond <= own_slack_ns)
    entry = only_entry(trial)
    seen = skews_ns(captured, entry["streams"])
    return {
        "streams": len(inside),
        "streams_inside": sum(inside),
        "worst_outside_ns": outside_by_ns,
        "slack_ns": slack_ns,
        "captured": seen,
        "conversion_ns": conversion_ns,
        "skew_bound_ns": entry.get("skew_bound_ns"),
        "certified": {"first": entry.get("first_send_skew_ns"), "running": entry.get("running_skew_ns")},
    }


def agrees(trial: dict, figure: str) -> bool:
    values = (trial["captured"][figure], trial["certified"][figure], trial["skew_bound_ns"])
    if None in values:
        return False
    # Both ends of a spread are stamps, each known to the width of its conversion.
    return abs(values[0] - values[1]) <= values[2] + 2 * trial["conversion_ns"]


class Bench(PairBench):
    name = "start_capture"
    title = "The certificate of the start against a packet capture"
    default_rounds = 10
    conditions = tuple(STREAMS)

    def settings(self) -> dict:
        return {
            "trials_per_round": TRIALS_PER_ROUND,
            "peer_versions": {"iperf3": iperf3_version()},
            "capture_filters": {"tutti": TUTTI_FILTER, "iperf3": IPERF3_FILTER},
            "udp_socket_buffers_bytes": UDP_BUFFER_BYTES,
        }

    def run_round(self, condition: str, round_: int) -> dict:
        data: dict = {}
        for contender in shuffled(["tutti", "iperf3"], self._seed, condition, round_):
            run = self._run_tutti if contender == "tutti" else self._run_iperf3
            data[contender] = run(STREAMS[condition])
        return data

    def _run_tutti(self, streams: int) -> dict:
        plan = PlanText(
            "start-capture",
            "udp",
            streams,
            MESSAGE_BYTES,
            warmup_ms=300,
            measure_ms=300,
            cooldown_ms=100,
            repeat=TRIALS_PER_ROUND,
            buffer_bytes=UDP_BUFFER_BYTES,
        )
        with Capture(self._pair.sender, TUTTI_FILTER) as capture:
            trials = trials_of(self._tutti.run(plan))
        packets = [(capture.monotonic_ns(packet), packet) for packet in capture.packets()]
        duration_ns = int(plan.duration_s() * 1e9)
        good = [trial for trial in trials if status_of(trial) == "good"]
        return {
            "trials": [
                compare_trial(trial, packets, capture.offset.half_width_ns, duration_ns) for trial in good
            ],
            "not_good": [
                f"{status_of(trial)}: {'; '.join(trial.get('reasons', []))}"
                for trial in trials
                if trial not in good
            ],
        }

    def _run_iperf3(self, streams: int) -> dict:
        load = Load("udp", streams, MESSAGE_BYTES, UDP_BUFFER_BYTES, 1)
        with Capture(self._pair.sender, IPERF3_FILTER) as capture:
            run_iperf3(self._pair, load)
        packets = [(capture.monotonic_ns(packet), packet) for packet in capture.packets()]
        return skews_ns(group(packets, iperf3_sequence), streams)

    def rows(self, log) -> list[Row]:
        rows = []
        for condition in self.conditions:
            rounds = log.good(condition)
            trials = [trial for data in rounds for trial in data["tutti"]["trials"]]
            not_good = sum(len(data["tutti"]["not_good"]) for data in rounds)
            rows.append(inside_row(condition, trials, not_good))
            for figure in ("first", "running"):
                rows += skew_rows(condition, figure, trials)
                rows.append(_skew_row(condition, figure, "iperf3, capture", [data["iperf3"][figure] for data in rounds]))
        return rows


def inside_row(condition: str, trials: list[dict], not_good: int) -> Row:
    shares = [100 * trial["streams_inside"] / trial["streams"] for trial in trials]
    note = f"farthest outside {max((trial['worst_outside_ns'] for trial in trials), default=0) / 1e3:.1f} us"
    if not_good:
        note += f"; {not_good} trials not good"
    return every_row(
        condition,
        "first packets inside [before, after]",
        shares,
        "%",
        "= 100 in every trial",
        [share == 100 for share in shares],
        note,
    )


def skew_rows(condition: str, figure: str, trials: list[dict]) -> list[Row]:
    both = [
        trial
        for trial in trials
        if trial["captured"][figure] is not None and trial["certified"][figure] is not None
    ]
    differences = [abs(trial["captured"][figure] - trial["certified"][figure]) / 1e3 for trial in both]
    bounds = [trial["skew_bound_ns"] / 1e3 for trial in both if trial["skew_bound_ns"] is not None]
    note = f"bound {min(bounds):.1f} to {max(bounds):.1f} us" if bounds else "no bound stated"
    agreement = every_row(
        condition,
        f"{_NAMES[figure]}: capture - certificate",
        differences,
        "us",
        "<= stated bound in every trial",
        [agrees(trial, figure) for trial in trials],
        note,
    )
    return [agreement] + [
        _skew_row(condition, figure, tool, [trial[kind][figure] for trial in trials])
        for tool, kind in (("certificate", "certified"), ("capture", "captured"))
    ]


_NAMES = {"first": "first send skew", "running": "running skew"}


def _skew_row(condition: str, figure: str, tool: str, values: list) -> Row:
    known = [value / 1e6 for value in values if value is not None]
    row = row_of(condition, f"{_NAMES[figure]}: {tool}", known, "ms")
    if known:
        row.note = f"p99 {quantile(known, 0.99):.2f}, worst {max(known):.2f}"
    if len(known) < len(values):
        row.note += f"; {len(values) - len(known)} without it"
    return row
