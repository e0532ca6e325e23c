"""Request/response beside a raw ping-pong loop and sockperf: latency of one transaction at a time.

Each contender asks with 64 bytes and is answered with as many (sockperf sends no less than 14), over a veth
pair, one at a time, nothing pinned. Latencies are full round trips by the asking program's own clock: the raw
loop sorts every one of them, sockperf prints percentiles of its own, and tutti's are taken from the counts in its
result, since the report's are rounded up by up to 1.6%. A connection for each transaction is compared with the raw
loop by transactions per second: sockperf has no such test.
"""

import itertools
import os
import re
import subprocess
from pathlib import Path

from judged_row import Row, judged_row, row_of
from latency_counts import percentile_ns
from network_pair import NetworkPair
from order_statistics import paired_ratios, shuffled, verdict_at_least, verdict_at_most
from pair_bench import PairBench
from peers import PORT, finish, version_of, wait_for_port
from tutti_pair import PlanText, only_entry, require_good, trials_of

BYTES = 64
WARMUP_MS = 300
MEASURE_MS = 1000
KINDS = {"TCP_RR 64 B": "tcp", "UDP_RR 64 B": "udp", "TCP_CRR 64 B": "crr"}
# Each server gets the next port: who closes a connection first keeps its port in TIME_WAIT, where not every
# server can bind.
PORTS = itertools.cycle(range(PORT, PORT + 500))
RAW = "raw loop"
SOCKPERF = "sockperf"
RAW_BAR = 1.03
SOCKPERF_BAR = 1.00
CRR_BAR = 0.97
LATENCIES = {"p50": "p50_us", "p99": "p99_us"}


def raw_rr_path(bin_dir: Path) -> Path:
    path = bin_dir.parent / "tests" / "raw_rr"
    if not os.access(path, os.X_OK):
        raise RuntimeError(f"{path} was not built")
    return path


def sockperf_figures(output: str) -> dict:
    """Of `ping-pong --full-rtt`: percentiles in us, and how many messages came back in the valid time."""
    percentiles = dict(re.findall(r"---> percentile (\d+\.\d+) =\s*([\d.]+)", output))
    run = re.search(r"\[Valid Duration\] RunTime=([\d.]+) sec; SentMessages=\d+; ReceivedMessages=(\d+)", output)
    if not run or "50.000" not in percentiles or "99.000" not in percentiles:
        raise RuntimeError(f"sockperf said: {output.strip()[-400:]}")
    return {
        "per_s": int(run.group(2)) / float(run.group(1)),
        "p50_us": float(percentiles["50.000"]),
        "p99_us": float(percentiles["99.000"]),
    }


class Bench(PairBench):
    name = "rr"
    title = "Transactions beside a raw ping-pong loop and sockperf"
    default_rounds = 25
    conditions = tuple(KINDS)

    def settings(self) -> dict:
        return {
            "bytes": BYTES,
            "warmup_ms": WARMUP_MS,
            "measure_ms": MEASURE_MS,
            "peer_versions": {SOCKPERF: version_of(["sockperf", "--version"])},
            "pinning": "none",
        }

    def run_round(self, condition: str, round_: int) -> dict:
        kind = KINDS[condition]
        contenders = {"tutti": self._run_tutti, RAW: self._run_raw}
        if kind != "crr":
            contenders[SOCKPERF] = self._run_sockperf
        order = shuffled(list(contenders), self._seed, condition, round_)
        return {"order": order, **{contender: contenders[contender](kind) for contender in order}}

    def _run_tutti(self, kind: str) -> dict:
        plan = PlanText(
            "rr",
            "udp" if kind == "udp" else "tcp",
            1,
            BYTES,
            WARMUP_MS,
            MEASURE_MS,
            100,
            exchange=f"{{request: {BYTES}B, response: {BYTES}B, connect: {'true' if kind == 'crr' else 'false'}}}",
            nodelay=kind == "tcp",
        )
        trial = require_good(trials_of(self._tutti.run(plan))[0])
        latency = trial["streams"][0]["sender"]["latency"]
        return {
            "per_s": only_entry(trial)["transactions_per_s"],
            "p50_us": percentile_ns(latency, 0.5) / 1e3,
            "p99_us": percentile_ns(latency, 0.99) / 1e3,
        }

    def _run_raw(self, kind: str) -> dict:
        program, port = str(raw_rr_path(self._bin_dir)), next(PORTS)
        address, times = self._pair.receiver.address, [str(WARMUP_MS), str(MEASURE_MS)]
        output = _ask(
            self._pair,
            [program, "serve", kind, str(port), str(BYTES), "30"],
            [program, "ask", kind, address, str(port), str(BYTES), *times],
            kind,
            port,
        )
        count, elapsed_ns, p50_ns, p99_ns = (int(word) for word in output.split())
        return {"per_s": count / (elapsed_ns / 1e9), "p50_us": p50_ns / 1e3, "p99_us": p99_ns / 1e3}

    def _run_sockperf(self, kind: str) -> dict:
        port = next(PORTS)
        place = ["-i", self._pair.receiver.address, "-p", str(port)] + (["--tcp"] if kind == "tcp" else [])
        output = _ask(
            self._pair,
            ["sockperf", "server", *place],
            ["sockperf", "ping-pong", *place, "-m", str(BYTES), "-t", "1", "--full-rtt"],
            kind,
            port,
        )
        return sockperf_figures(output)

    def rows(self, log) -> list[Row]:
        rows = []
        for condition in self.conditions:
            rounds = log.good(condition)
            if KINDS[condition] == "crr":
                rows.append(
                    judged_row(
                        condition,
                        f"transactions/s, tutti / {RAW}",
                        _ratios(rounds, "per_s", RAW),
                        "ratio",
                        f">= {CRR_BAR}",
                        lambda interval: verdict_at_least(interval, CRR_BAR),
                    )
                )
                peers = {RAW: None}
            else:
                peers = {RAW: RAW_BAR, SOCKPERF: SOCKPERF_BAR}
            for peer, bar in peers.items():
                for name, key in LATENCIES.items():
                    ratios = _ratios(rounds, key, peer)
                    rows.append(_latency_row(condition, f"{name}, tutti / {peer}", ratios, bar))
            for contender in ("tutti", *peers):
                rows.append(_absolute(condition, contender, [data[contender] for data in rounds]))
        return rows


def _ask(pair: NetworkPair, serve: list[str], ask: list[str], kind: str, port: int) -> str:
    """One server, afresh for each round, and one client; returns what the client prints."""
    server = pair.receiver.start(serve, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        wait_for_port(pair.receiver, "udp" if kind == "udp" else "tcp", port)
        client = pair.sender.start(ask, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        try:
            return finish(client, 20, ask[0])
        finally:
            pair.sender.stop(client)
    finally:
        pair.receiver.stop(server)


def _ratios(rounds: list[dict], figure: str, peer: str) -> list[float]:
    return paired_ratios([data["tutti"][figure] for data in rounds], [data[peer][figure] for data in rounds])


def _latency_row(condition: str, figure: str, ratios: list[float], bar: float | None) -> Row:
    if bar is None:
        return row_of(condition, figure, ratios, "ratio")
    return judged_row(
        condition, figure, ratios, "ratio", f"<= {bar:.2f}", lambda interval: verdict_at_most(interval, bar)
    )


def _absolute(condition: str, contender: str, seen: list[dict]) -> Row:
    row = row_of(condition, f"p50, {contender}", [data["p50_us"] for data in seen], "us")
    if seen:
        p99 = row_of(condition, "", [data["p99_us"] for data in seen], "us").median
        per_s = row_of(condition, "", [data["per_s"] for data in seen], "1/s").median
        row.note = f"p99 {p99:.1f} us, {per_s:.0f} transactions/s"
    return row
