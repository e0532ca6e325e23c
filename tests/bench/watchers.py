"""What 200 watchers of one run cost their coordinator: server-sent events, and gRPC.

A round has the same run three times, in shuffled order: watched by nobody, by 200 clients of the one kind, and of
the other. They are one process on the receiving host, with a connection for each, and read everything. The
coordinator's CPU time is read at both ends of some seconds inside the measure window, in which there is an event for
every interval.
"""

import json
import os
import select
import subprocess
import sys
import time
from contextlib import contextmanager
from pathlib import Path

from http_api import HttpApi, phase_of
from judged_row import Row, every_row, judged_row, row_of
from order_statistics import shuffled, verdict_below
from pair_bench import PairBench
from peers import finish
from process_cpu import process_cpu_s
from tutti_pair import COORDINATOR_PORT, HTTP_PORT, PlanText, Service

WATCHERS = 200
BAR_PERCENT = 20
SETTLE_S = 0.5
WINDOW_S = 5.0
NOBODY, SSE, GRPC = "nobody", "server-sent events", "gRPC"
CONTENDERS = (NOBODY, SSE, GRPC)
CONDITION = "2 streams at 1 Mbps, intervals of 100 ms"
# A warm-up that is long enough to connect in.
PLAN = PlanText(
    "watchers", "udp", 2, 1472, warmup_ms=2500, measure_ms=8000, cooldown_ms=100, interval_ms=100, rate="1Mbps"
)


def beyond_nobody(rounds: list[dict], contender: str) -> list[float]:
    """Round by round, in % of a core."""
    return [data[contender]["busy_percent"] - data[NOBODY]["busy_percent"] for data in rounds]


class Bench(PairBench):
    name = "watchers"
    title = f"CPU time of the coordinator for {WATCHERS} watchers of one run"
    default_rounds = 9
    conditions = (CONDITION,)
    service = Service()

    def settings(self) -> dict:
        return {"watchers": WATCHERS, "window_s": WINDOW_S, "plan": PLAN.text()}

    def run_round(self, condition: str, round_: int) -> dict:
        order = shuffled(list(CONTENDERS), self._seed, condition, round_)
        return {"order": order, **{contender: self._run(contender) for contender in order}}

    def _run(self, contender: str) -> dict:
        with HttpApi(self._tutti.http_socket) as api:
            run_id = api.submit(PLAN.text())
            with self._watching(contender, run_id) as watchers:
                api.wait_until(run_id, lambda info: phase_of(info) == "MEASURE", "measured", 20)
                time.sleep(SETTLE_S)
                data = {"busy_percent": self._busy_percent()}
                if phase_of(api.run(run_id)) != "MEASURE":
                    raise RuntimeError("the measure window was over before the CPU time was read")
                info = api.wait_for_end(run_id, 20)
                if info["summary"]["status"] != "passed":
                    raise RuntimeError(f"{run_id} is {info['summary']['status']}: {'; '.join(info['reasons'])}")
                if watchers is not None:
                    data |= json.loads(finish(watchers, 20, contender).splitlines()[-1])
        return data

    def _busy_percent(self) -> float:
        pid = self._tutti.coordinator_pid
        begin_s, began = process_cpu_s(pid), time.monotonic()
        time.sleep(WINDOW_S)
        used_s, elapsed_s = process_cpu_s(pid) - begin_s, time.monotonic() - began
        return 100 * used_s / elapsed_s

    @contextmanager
    def _watching(self, contender: str, run_id: str):
        """The watchers' process, once all of them have had an event; None for nobody."""
        if contender == NOBODY:
            yield None
            return
        host, address = self._pair.receiver, self._pair.sender.address
        if contender == SSE:
            program = Path(__file__).with_name("sse_watchers.py")
            command = [sys.executable, "-B", str(program), address, str(HTTP_PORT)]
        else:
            program = self._bin_dir.parent / "tests" / "grpc_watchers"
            if not os.access(program, os.X_OK):
                raise RuntimeError(f"{program} was not built")
            command = [str(program), f"{address}:{COORDINATOR_PORT}"]
        watchers = host.start(
            [*command, run_id, str(WATCHERS)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )
        try:
            if not select.select([watchers.stdout], [], [], 10)[0]:
                raise RuntimeError(f"not {WATCHERS} watchers by {contender} after 10 s")
            if watchers.stdout.readline() != "watching\n":
                raise RuntimeError(f"{contender}: {finish(watchers, 5, contender)}")
            yield watchers
        finally:
            host.stop(watchers)
            watchers.stdout.close()
            watchers.stderr.close()

    def rows(self, log) -> list[Row]:
        rounds = log.good(CONDITION)
        rows = []
        for contender in (SSE, GRPC):
            seen = [data[contender] for data in rounds]
            beyond = beyond_nobody(rounds, contender)
            rows.append(
                judged_row(
                    CONDITION,
                    f"{WATCHERS} by {contender}, less none, of one core",
                    beyond,
                    "%",
                    f"< {BAR_PERCENT}",
                    lambda interval: verdict_below(interval, BAR_PERCENT),
                    f"worst {max(beyond):.1f}" if beyond else "",
                )
            )
            rows.append(
                every_row(
                    CONDITION,
                    f"watchers by {contender} that got every event",
                    [data["complete"] for data in seen],
                    "",
                    f"= {WATCHERS} in every round",
                    [data["complete"] == data["watchers"] == WATCHERS for data in seen],
                    f"{min(data['least_events'] for data in seen)} events or more" if seen else "",
                )
            )
        alone = [data[NOBODY]["busy_percent"] for data in rounds]
        rows.append(row_of(CONDITION, "watched by nobody, of one core", alone, "%"))
        return rows
