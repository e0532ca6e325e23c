"""Whether 50 submissions a second are accepted and queued without loss, for ten seconds.

A run holds both hosts; every plan that is submitted needs them and waits. Submissions are due at fixed instants,
whatever became of those before, each by a connection of its own, as `curl` in a CI job would make it. What counts
as there is what the coordinator's own list and its answers about single runs say afterwards. Then all are
cancelled.
"""

import itertools
import threading
import time
from dataclasses import asdict, dataclass
from pathlib import Path

from http_api import POLL_S, HttpApi
from judged_row import Row, every_row, row_of
from order_statistics import quantile
from pair_bench import PairBench
from tutti_pair import PlanText, Service

SUBMISSIONS = 550
RATE_PER_S = 55.0  # a little more than the bar: its last answer comes after the last instant
BAR_PER_S = 50.0
CLIENTS = 16
LEAD_S = 0.2
CANCEL_TIMEOUT_S = 30
CONDITION = f"{SUBMISSIONS} plans, {RATE_PER_S:g} a second, behind a run"


def _plan(name: str, measure_ms: int) -> PlanText:
    return PlanText(name, "udp", 1, 1472, warmup_ms=100, measure_ms=measure_ms, cooldown_ms=50, rate="1Mbps")


HOLDER = _plan("holder", 120_000)
WAITING = _plan("waiting", 1000)


@dataclass
class Submission:
    number: int
    due_s: float  # on time.monotonic
    answered_s: float = 0.0
    run_id: str = ""  # empty: it was not accepted
    problem: str = ""


def per_second(submissions: list[Submission]) -> float:
    """Accepted ones, from the instant at which the first was due to the last answer."""
    accepted = [each for each in submissions if each.run_id]
    if not accepted:
        return 0.0
    began_s = min(each.due_s for each in submissions)
    return len(accepted) / (max(each.answered_s for each in accepted) - began_s)


def lost(submissions: list[Submission], listed: list[dict]) -> int:
    """How many were not accepted, or are not listed once under their id and with their own number."""
    numbers: dict[str, list[str]] = {}
    for run in listed:
        numbers.setdefault(run["run_id"], []).append(run["labels"].get("number", ""))
    return sum(not each.run_id or numbers.get(each.run_id) != [str(each.number)] for each in submissions)


def in_own_places(runs: list[dict]) -> int:
    """How many wait at a position that no other has, among 1 to as many as there are."""
    positions = [(run["queued"] or {}).get("position", 0) for run in runs if run["state"] == "waiting"]
    return len(set(positions) & set(range(1, len(runs) + 1)))


def submit_all(path: Path, label: tuple[str, str]) -> list[Submission]:
    """On CLIENTS threads: each takes the next one, waits until it is due, and submits it."""
    begin_s = time.monotonic() + LEAD_S
    submissions = [Submission(number, begin_s + number / RATE_PER_S) for number in range(SUBMISSIONS)]
    numbers, lock = itertools.count(), threading.Lock()
    text = WAITING.text()

    def work() -> None:
        while True:
            with lock:
                number = next(numbers)
            if number >= SUBMISSIONS:
                return
            each = submissions[number]
            time.sleep(max(0.0, each.due_s - time.monotonic()))
            try:
                with HttpApi(path) as api:
                    each.run_id = api.submit(text, (label, ("number", str(number))))
            except Exception as problem:  # is counted as lost, with its words
                each.problem = f"{type(problem).__name__}: {problem}"
            each.answered_s = time.monotonic()

    threads = [threading.Thread(target=work) for _ in range(CLIENTS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return submissions


class Bench(PairBench):
    name = "submits"
    title = "Submissions behind a run that holds the hosts"
    default_rounds = 9
    conditions = (CONDITION,)
    service = Service()

    def settings(self) -> dict:
        return {
            "submissions": SUBMISSIONS,
            "rate_per_s": RATE_PER_S,
            "clients": CLIENTS,
            "plans": {"holder": HOLDER.text(), "waiting": WAITING.text()},
        }

    def run_round(self, condition: str, round_: int) -> dict:
        with HttpApi(self._tutti.http_socket) as api:
            holder = api.submit(HOLDER.text())
            api.wait_until(holder, lambda info: info["state"] == "running", "started", 10)
            # Unix time tells it from a round that was broken off.
            label = ("bench", f"{round_}-{time.time_ns()}")
            submissions = submit_all(self._tutti.http_socket, label)
            mark = "=".join(label)
            listed = api.runs(label=mark)
            accepted = [each.run_id for each in submissions if each.run_id]
            waiting = [api.run(run_id) for run_id in accepted]
            if api.run(holder)["state"] != "running":
                raise RuntimeError("the run that holds the hosts was over before all were looked at")
            cancel_s = self._cancel(api, accepted, mark)
            cancelled = len(api.runs(label=mark, status="cancelled"))
            api.cancel(holder)
            api.wait_for_end(holder, 10)
        answers_s = [each.answered_s - each.due_s for each in submissions if each.run_id]
        return {
            "accepted": len(accepted),
            "lost": lost(submissions, listed),
            "per_s": per_second(submissions),
            "in_own_places": in_own_places(waiting),
            "answers_s": answers_s,
            "cancelled": cancelled,
            "cancel_s": cancel_s,
            "problems": [asdict(each) for each in submissions if each.problem][:10],
        }

    @staticmethod
    def _cancel(api: HttpApi, run_ids: list[str], mark: str) -> float:
        """Until the list has all of them as cancelled, or time is over; how long it took."""
        began = time.monotonic()
        # The newest first: by none of them another moves up, which would be told to all who wait.
        for run_id in reversed(run_ids):
            api.cancel(run_id)
        while time.monotonic() - began < CANCEL_TIMEOUT_S:
            if len(api.runs(label=mark, status="cancelled")) >= len(run_ids):
                break
            time.sleep(POLL_S)
        return time.monotonic() - began

    def rows(self, log) -> list[Row]:
        rounds = log.good(CONDITION)
        answers_ms = [[1e3 * answer for answer in data["answers_s"]] for data in rounds if data["answers_s"]]
        p99_ms = [quantile(answers, 0.99) for answers in answers_ms]
        answered = row_of(CONDITION, "from due to acknowledged, p99", p99_ms, "ms")
        if answers_ms:
            every = [answer for answers in answers_ms for answer in answers]
            answered.note = f"median {quantile(every, 0.5):.1f}, worst {max(every):.1f}"
        return [
            _each(rounds, "not accepted, or not listed", "lost", "= 0 in every round", lambda value: value == 0),
            _each(
                rounds,
                "accepted per second",
                "per_s",
                f">= {BAR_PER_S:g} in every round",
                lambda value: value >= BAR_PER_S,
                "1/s",
            ),
            _each(rounds, "wait at a position of their own", "in_own_places", _all_of(), _is_all),
            _each(rounds, "cancelled afterwards", "cancelled", _all_of(), _is_all),
            answered,
            row_of(CONDITION, "to cancel all of them", [data["cancel_s"] for data in rounds], "s"),
        ]


def _all_of() -> str:
    return f"= {SUBMISSIONS} in every round"


def _is_all(value: float) -> bool:
    return value == SUBMISSIONS


def _each(rounds: list[dict], figure: str, key: str, bar: str, kept, unit: str = "") -> Row:
    values = [data[key] for data in rounds]
    problems = [problem["problem"] for data in rounds for problem in data["problems"]]
    note = f"such as: {problems[0]}" if key == "lost" and problems else ""
    return every_row(CONDITION, figure, values, unit, bar, [kept(value) for value in values], note)
