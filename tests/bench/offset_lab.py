"""A lab whose hosts have clocks of their own, days apart, and whose true offsets are known.

Each lab host lives in a time namespace; its CLOCK_MONOTONIC differs from the coordinator's, which is the
machine's, by exactly what /proc/PID/timens_offsets says.
"""

import json
import os
import re
import shutil
import subprocess
import tempfile
from pathlib import Path


def monotonic_offset_ns(timens_offsets: str) -> int:
    """What the time namespace adds to CLOCK_MONOTONIC; the text is /proc/PID/timens_offsets."""
    for line in timens_offsets.splitlines():
        clock, seconds, nanoseconds = line.split()
        if clock in ("monotonic", "1"):
            return int(seconds) * 1_000_000_000 + int(nanoseconds)
    raise RuntimeError(f"no offset of CLOCK_MONOTONIC in {timens_offsets!r}")


class LabHost:
    """Starts programs inside a host of the lab ("coordinator": where the bridge is)."""

    def __init__(self, lab: "OffsetLab", name: str):
        self._lab = lab
        self.name = name

    def start(self, command: list[str], **options) -> subprocess.Popen:
        return subprocess.Popen(
            [self._lab.tutti, "lab", "exec", "--name", self._lab.name, self.name, *command],
            env=self._lab.environment,
            stdin=subprocess.DEVNULL,
            **options,
        )

    def stop(self, process: subprocess.Popen) -> None:
        if process.poll() is None:
            process.kill()
            process.wait()


class OffsetLab:
    """Context manager: `tutti lab up --clock-offsets`; hosts host1, host2, ..."""

    def __init__(self, bin_dir: Path, hosts: int, label: str):
        self.tutti = bin_dir / "tutti"
        self.name = f"bench-{label}-{os.getpid()}"
        self._hosts = [f"host{index}" for index in range(1, hosts + 1)]

    def __enter__(self) -> "OffsetLab":
        self.folder = Path(tempfile.mkdtemp(prefix="tutti-bench-"))
        self.environment = {**os.environ, "XDG_STATE_HOME": str(self.folder)}
        try:
            up = self.run("lab", "up", "--hosts", str(len(self._hosts)), "--clock-offsets", "--name", self.name)
            self.coordinator = re.search(r"--coordinator (\S+)", up)[1]
            # timeline - host, as tutti states an offset.
            self.true_ns = {
                host: -monotonic_offset_ns(
                    self.run("lab", "exec", "--name", self.name, host, "cat", "/proc/self/timens_offsets")
                )
                for host in self._hosts
            }
            if not all(self.true_ns.values()):
                raise RuntimeError(f"the lab's clocks do not differ: {self.true_ns}")
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_) -> None:
        down = [self.tutti, "lab", "down", "--name", self.name]
        subprocess.run(down, env=self.environment, timeout=20, capture_output=True)
        shutil.rmtree(self.folder, ignore_errors=True)

    def host(self, name: str) -> LabHost:
        return LabHost(self, name)

    def network_fd(self, host: str) -> int:
        """The host's network namespace, to be closed by the caller."""
        holder = self.host(host).start(["sh", "-c", "echo ready; exec sleep 30"], stdout=subprocess.PIPE)
        try:
            holder.stdout.readline()
            (child,) = Path(f"/proc/{holder.pid}/task/{holder.pid}/children").read_text().split()
            return os.open(f"/proc/{child}/ns/net", os.O_RDONLY | os.O_CLOEXEC)
        finally:
            self.host(host).stop(holder)
            holder.stdout.close()

    def run(self, *arguments: str) -> str:
        done = subprocess.run(
            [self.tutti, *arguments],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=30,
            env=self.environment,
        )
        if done.returncode != 0:
            raise RuntimeError(f"tutti {' '.join(arguments)}: exit {done.returncode}: {done.stderr.strip()}")
        return done.stdout

    def run_plan(self, text: str, timeout_s: float) -> dict:
        """One `tutti run`; the whole result, good or not."""
        plan_file = self.folder / "plan.yaml"
        result_file = self.folder / "result.json"
        plan_file.write_text(text)
        result_file.unlink(missing_ok=True)
        done = subprocess.run(
            [self.tutti, "run", plan_file, "--coordinator", self.coordinator, "--json", result_file, "--quiet"],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=timeout_s,
            env=self.environment,
        )
        if not result_file.exists():
            raise RuntimeError(f"tutti run: exit {done.returncode}, no result: {done.stderr.strip()[-1500:]}")
        return json.loads(result_file.read_text())
