"""The real programs on the two hosts of a bench: a coordinator and a worker beside each other, the other
worker far off.

As in the README's example for two real hosts. The daemons live as long as the bench; each round is one `tutti
run`.
"""

import hashlib
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path

from network_pair import Host, NetworkPair

PROGRAMS = ("tutti", "tutti-coordinator", "tutti-worker")
COORDINATOR_PORT = 7117
HTTP_PORT = 7118


def check_programs(bin_dir: Path) -> None:
    missing = [name for name in PROGRAMS if not os.access(bin_dir / name, os.X_OK)]
    if missing:
        raise SystemExit(
            f"{', '.join(missing)} not found in {bin_dir}: build Release first, or say --bin DIR"
        )


def tutti_version(bin_dir: Path) -> str:
    done = subprocess.run([bin_dir / "tutti", "version"], stdout=subprocess.PIPE, text=True, timeout=10)
    return done.stdout.strip().splitlines()[0] if done.stdout.strip() else "unknown"


def fingerprints(bin_dir: Path) -> dict[str, str]:
    """Rounds of different builds are never mixed, even if both call themselves the same version."""
    return {name: hashlib.sha256((bin_dir / name).read_bytes()).hexdigest()[:16] for name in PROGRAMS}


@dataclass
class PlanText:
    """A plan of one entry between two hosts (names as the bench's workers or the lab's)."""

    name: str
    protocol: str
    streams: int
    message_bytes: int
    warmup_ms: int
    measure_ms: int
    cooldown_ms: int
    interval_ms: int = 100
    repeat: int = 1
    buffer_bytes: int | None = None
    rate: str | None = None
    further: dict[str, object] = field(default_factory=dict)  # keys of the entry, as the plan writes them
    exchange: str | None = None  # request_response as the plan has it, in place of the message size
    nodelay: bool = False
    hosts: tuple[str, str] = field(default=("a", "b"))

    def duration_s(self) -> float:
        """Of one trial, as the plan's timing says."""
        return (self.warmup_ms + self.measure_ms + self.cooldown_ms) / 1000

    def text(self) -> str:
        buffer = "default" if self.buffer_bytes is None else f"{self.buffer_bytes}B"
        lines = [
            "version: 1",
            f"name: {self.name}",
            "roles:",
            f"  sender: {{hosts: [{self.hosts[0]}]}}",
            f"  receiver: {{hosts: [{self.hosts[1]}]}}",
            "traffic:",
            "  - name: load",
            "    from: sender",
            "    to: receiver",
            "    pattern: pairs",
            f"    streams: {self.streams}",
            f"    protocol: {self.protocol}",
            f"    request_response: {self.exchange}"
            if self.exchange
            else f"    message_size: {self.message_bytes}B",
            f"    socket_buffer: {{send: {buffer}, receive: {buffer}}}",
        ]
        if self.nodelay:
            lines.append("    nodelay: true")
        if self.rate:
            lines.append(f"    rate: {self.rate}")
        lines += [f"    {key}: {value}" for key, value in self.further.items()]
        lines += [
            f"timing: {{warmup: {self.warmup_ms}ms, measure: {self.measure_ms}ms, "
            f"cooldown: {self.cooldown_ms}ms, interval: {self.interval_ms}ms}}",
            f"repeat: {self.repeat}",
            "",
        ]
        return "\n".join(lines)


def trials_of(result: dict) -> list[dict]:
    """Every trial of a result, good or not, in the order of execution."""
    return [trial for case in result["cases"] for trial in case["trials"]]


def status_of(message: dict) -> str:
    """ "good" for TRIAL_STATUS_GOOD."""
    return str(message["status"]).rsplit("STATUS_", 1)[-1].lower()


def require_good(trial: dict) -> dict:
    if status_of(trial) != "good":
        raise RuntimeError(
            f"trial {trial['repetition']} is {status_of(trial)}: {'; '.join(trial.get('reasons', []))}"
        )
    return trial


def only_entry(trial: dict) -> dict:
    entries = trial["entries"]
    if len(entries) != 1:
        raise RuntimeError(f"{len(entries)} entries in a plan of one")
    return entries[0]


def host_of(trial: dict, name: str) -> dict:
    return next(host for host in trial["hosts"] if host["host"] == name)


def window_on_timeline(trial: dict, host: str) -> tuple[int, int]:
    """The actual edges of a host's window on the coordinator's CLOCK_MONOTONIC, in ns."""
    t0 = trial.get("t0_timeline_ns")
    if not t0:
        raise RuntimeError("the result has no t0_timeline_ns: nothing outside can be compared with it")
    edges = host_of(trial, host)
    return t0 + edges["window_begin_trial_ns"], t0 + edges["window_end_trial_ns"]


@dataclass(frozen=True)
class Service:
    """A coordinator that keeps its runs and has the HTTP API, as a lab's does for years."""

    state_dir: Path | None = None  # None: one of its own, which goes with it


class TuttiPair:
    """Context manager: worker "a" with the coordinator on pair.sender, worker "b" on pair.receiver."""

    def __init__(
        self, pair: NetworkPair, bin_dir: Path, udp_clocks: bool = True, service: Service | None = None
    ):
        self._pair = pair
        self._udp_clocks = udp_clocks
        self._service = service
        self._bin = bin_dir
        self._daemons: list[tuple[Host, subprocess.Popen]] = []
        self._holders: list[subprocess.Popen] = []

    def __enter__(self) -> "TuttiPair":
        self._dir = Path(tempfile.mkdtemp(prefix="tutti-bench-"))
        self._socket = f"unix:{self._dir}/coordinator.sock"
        try:
            address = f"{self._pair.sender.address}:{COORDINATOR_PORT}"
            if not self._udp_clocks:
                self._take_udp_port()
            self._start(
                self._pair.sender,
                "coordinator",
                [
                    self._bin / "tutti-coordinator",
                    "--listen",
                    self._socket,
                    "--listen",
                    address,
                    "--insecure",
                    *self._service_flags(),
                ],
            )
            self._start(
                self._pair.sender,
                "worker-a",
                [self._bin / "tutti-worker", "--name", "a", "--coordinator", address, "--insecure"],
            )
            self._start(
                self._pair.receiver,
                "worker-b",
                [self._bin / "tutti-worker", "--name", "b", "--coordinator", address, "--insecure"],
            )
            self._wait_for_workers(2, timeout_s=10)
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_) -> None:
        for host, daemon in reversed(self._daemons):
            daemon.terminate()
            try:
                daemon.wait(3)
            except subprocess.TimeoutExpired:
                pass
            host.stop(daemon)
        for holder in self._holders:
            self._pair.sender.stop(holder)
            holder.stdout.close()
        shutil.rmtree(self._dir, ignore_errors=True)

    def _take_udp_port(self) -> None:
        """So that the coordinator finds it taken and measures clocks over the sessions alone."""
        hold = (
            "import socket, time; taken = socket.socket(socket.AF_INET, socket.SOCK_DGRAM); "
            f"taken.bind(({self._pair.sender.address!r}, {COORDINATOR_PORT})); print('taken', flush=True); "
            "time.sleep(1e6)"
        )
        holder = self._pair.sender.start([sys.executable, "-c", hold], stdout=subprocess.PIPE)
        holder.stdout.readline()
        self._holders.append(holder)

    def _service_flags(self) -> list[str]:
        if self._service is None:
            return ["--state-dir", "none"]
        # Runs that were made up for a bench say that they are large: none is to be removed for it.
        flags = ["--state-dir", str(self._service.state_dir or self._dir / "state"), "--keep-size", "none"]
        http = f"{self._pair.sender.address}:{HTTP_PORT}"
        return [*flags, "--http", f"unix:{self.http_socket}", "--http", http]

    def worker_pid(self, name: str) -> int:
        return self._daemons[{"a": 1, "b": 2}[name]][1].pid

    @property
    def coordinator_pid(self) -> int:
        return self._daemons[0][1].pid

    @property
    def http_socket(self) -> Path:
        return self._dir / "http.sock"

    @property
    def coordinator(self) -> str:
        return self._socket

    @property
    def folder(self) -> Path:
        return self._dir

    def environment(self) -> dict[str, str]:
        return {**os.environ, "XDG_STATE_HOME": str(self._dir)}

    def _start(self, host: Host, name: str, command: list) -> None:
        log = open(self._dir / f"{name}.log", "wb")
        with log:
            self._daemons.append(
                (
                    host,
                    host.start(
                        [str(part) for part in command],
                        stdin=subprocess.DEVNULL,
                        stdout=log,
                        stderr=log,
                        env=self.environment(),
                    ),
                )
            )

    def logs(self) -> str:
        return "\n".join(
            f"--- {path.name}\n{path.read_text(errors='replace')[-2000:]}"
            for path in sorted(self._dir.glob("*.log"))
        )

    def _wait_for_workers(self, count: int, timeout_s: float) -> None:
        deadline = time.monotonic() + timeout_s
        while True:
            for _, daemon in self._daemons:
                if daemon.poll() is not None:
                    raise RuntimeError(f"a daemon ended with {daemon.returncode}\n{self.logs()}")
            listed = subprocess.run(
                [self._bin / "tutti", "workers", "--coordinator", self._socket],
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
                timeout=10,
            )
            if (
                listed.returncode == 0
                and sum("idle" in line.lower() for line in listed.stdout.splitlines()) >= count
            ):
                return
            if time.monotonic() > deadline:
                raise RuntimeError(f"not {count} workers after {timeout_s} s: {listed.stdout}\n{self.logs()}")
            time.sleep(0.1)

    def run(self, plan: PlanText, timeout_s: float | None = None) -> dict:
        """One `tutti run`; returns the whole result. Runs that are not good come back too: look at the
        trials.
        """
        plan_file = self._dir / "plan.yaml"
        result_file = self._dir / "result.json"
        plan_file.write_text(plan.text())
        result_file.unlink(missing_ok=True)
        if timeout_s is None:
            timeout_s = 30 + plan.repeat * (plan.duration_s() + 3)
        command = [
            self._bin / "tutti",
            "run",
            "--coordinator",
            self._socket,
            plan_file,
            "--json",
            result_file,
        ]
        done = subprocess.run(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=timeout_s,
            env=self.environment(),
        )
        if not result_file.exists():
            raise RuntimeError(f"tutti run: exit {done.returncode}, no result: {done.stdout.strip()[-1500:]}")
        return json.loads(result_file.read_text())
