"""From the submission of a plan to its first packet, on an idle fleet of two workers.

Begins before the client connects (a POST), or before `tutti run` is started at all; ends with the kernel's stamp
of the first packet with payload that leaves the sending host, by tcpdump there. The background second is
subtracted as the constant that it is to be; how long the coordinator's kept events say that it took stands beside.
"""

import time

from http_api import HttpApi
from judged_row import Row, judged_row, row_of
from order_statistics import shuffled, verdict_below
from packet_capture import Capture
from pair_bench import PairBench
from tutti_pair import COORDINATOR_PORT, HTTP_PORT, PlanText, Service, require_good, trials_of

BACKGROUND_MS = 1000.0
BAR_MS = 300
SETTLE_S = 3.0
STREAMS = 2
MESSAGE_BYTES = 1400
RATE = "10Mbps"
POST, COMMAND = "POST", "`tutti run`"
CONTENDERS = (POST, COMMAND)
_NOT_CONTROL = f"not port {COORDINATOR_PORT} and not port {HTTP_PORT}"
# Handshakes carry nothing over TCP, and little over UDP.
FILTERS = {
    "TCP": f"tcp and {_NOT_CONTROL} and (((ip[2:2] - ((ip[0]&0xf)<<2)) - ((tcp[12]&0xf0)>>2)) != 0)",
    "UDP": f"udp and {_NOT_CONTROL} and udp[4:2] > 100",
}


def _plan(protocol: str) -> PlanText:
    return PlanText(
        "submit",
        protocol.lower(),
        STREAMS,
        MESSAGE_BYTES,
        warmup_ms=100,
        measure_ms=200,
        cooldown_ms=50,
        rate=RATE,
    )


def first_after_ms(begin_ns: int, stamps_ns: list[int]) -> float:
    """How long after `begin_ns` the first packet left; RuntimeError for one before it, or for none."""
    if not stamps_ns:
        raise RuntimeError("the capture has no packet of the trial")
    first_ns = min(stamps_ns)
    if first_ns < begin_ns:
        raise RuntimeError(f"a packet left {begin_ns - first_ns} ns before the plan was submitted")
    return (first_ns - begin_ns) / 1e6


def background_ms(events: list[dict]) -> float:
    """From the first case's event to that of its first trial, by the coordinator's wall clock."""
    case = next(event["at_unix_ns"] for event in events if "case_started" in event)
    trial = next(event["at_unix_ns"] for event in events if "trial_started" in event)
    return (trial - case) / 1e6


class Bench(PairBench):
    name = "submit"
    title = "From a submission to the first packet, less the background second"
    default_rounds = 25
    conditions = tuple(FILTERS)
    service = Service()

    def settings(self) -> dict:
        return {
            "plans": {protocol: _plan(protocol).text() for protocol in FILTERS},
            "capture_filters": FILTERS,
            "background_ms": BACKGROUND_MS,
        }

    def __enter__(self):
        super().__enter__()
        time.sleep(SETTLE_S)
        return self

    def run_round(self, condition: str, round_: int) -> dict:
        order = shuffled(list(CONTENDERS), self._seed, condition, round_)
        return {"order": order, **{contender: self._run(contender, condition) for contender in order}}

    def _run(self, contender: str, protocol: str) -> dict:
        submit = self._post if contender == POST else self._start_command
        with Capture(self._pair.sender, FILTERS[protocol]) as capture:
            begin_ns, run_id = submit(_plan(protocol))
        return {
            "first_packet_ms": first_after_ms(begin_ns, capture.stamps_ns()),
            "background_ms": self._background_ms(run_id),
            "capture_half_width_ns": capture.offset.half_width_ns,
        }

    def _post(self, plan: PlanText) -> tuple[int, str]:
        text = plan.text()
        begin_ns = time.monotonic_ns()
        with HttpApi(self._tutti.http_socket) as api:
            run_id = api.submit(text)
        # Nobody asks before the first packet is out.
        time.sleep(BACKGROUND_MS / 1e3 + plan.duration_s())
        with HttpApi(self._tutti.http_socket) as api:
            api.wait_for_end(run_id, 20)
            require_good(trials_of(api.ask("GET", f"/v1/runs/{run_id}/result"))[0])
        return begin_ns, run_id

    def _start_command(self, plan: PlanText) -> tuple[int, str]:
        begin_ns = time.monotonic_ns()
        result = self._tutti.run(plan)
        require_good(trials_of(result)[0])
        return begin_ns, result["run_id"]

    def _background_ms(self, run_id: str) -> float:
        """The last events of a run may be written a moment after its end, these were long before."""
        with HttpApi(self._tutti.http_socket) as api:
            return background_ms(api.ask("GET", f"/v1/runs/{run_id}/history")["events"])

    def rows(self, log) -> list[Row]:
        rows = []
        for condition in self.conditions:
            for contender in CONTENDERS:
                seen = [data[contender] for data in log.good(condition)]
                beyond = [data["first_packet_ms"] - BACKGROUND_MS for data in seen]
                rows.append(
                    judged_row(
                        condition,
                        f"{contender} to the first packet, less {BACKGROUND_MS:g} ms",
                        beyond,
                        "ms",
                        f"< {BAR_MS}",
                        lambda interval: verdict_below(interval, BAR_MS),
                        f"worst {max(beyond):.1f}" if beyond else "",
                    )
                )
            background = [
                data[contender]["background_ms"] for data in log.good(condition) for contender in CONTENDERS
            ]
            rows.append(row_of(condition, "background, by the coordinator's events", background, "ms"))
        return rows
