#!/usr/bin/env python3
"""The README's commands for two real hosts, run as they stand there.

Host a is a network namespace with the address 10.0.0.1: coordinator, its worker, the CLI. Host b is a second one with
10.0.0.2. The programs of $TUTTI_BIN are found by PATH. Works with and without root.
"""

import json
import os
import re
import shlex
import signal
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
README = (ROOT / "README.md").read_text()
INSIDE = "TUTTI_TWO_HOSTS_INSIDE"
DAEMONS = ("tutti-coordinator", "tutti-worker")

BIN = Path(os.environ.get("TUTTI_BIN", ROOT / "build/release/bin")).resolve()


def marked_blocks(kind: str) -> list[tuple[str, str]]:
    """(value of the mark, text of the code block below it), in the README's order."""
    return re.findall(rf"<!-- {kind}: (\S+) -->\n```\w*\n(.*?)```", README, re.DOTALL)


def call(*command: str) -> None:
    subprocess.run(command, check=True, timeout=10)


class TwoHosts(unittest.TestCase):
    def setUp(self):
        self.processes = []
        self.folder = tempfile.TemporaryDirectory(prefix="tutti-two-hosts-")
        self.host_b = self.start(["unshare", "--net", "sleep", "600"], "holder")
        self.addCleanup(self.end_all)
        self.link_hosts()
        for name, text in marked_blocks("file"):
            (Path(self.folder.name) / name).write_text(text)

    def start(self, command, name: str) -> subprocess.Popen:
        log = open(Path(self.folder.name) / f"{len(self.processes)}-{name}.log", "w")
        process = subprocess.Popen(
            command, stdout=log, stderr=log, cwd=self.folder.name, env=self.environment(), start_new_session=True
        )
        log.close()
        self.processes.append(process)
        return process

    def environment(self) -> dict:
        return os.environ | {
            "XDG_STATE_HOME": f"{self.folder.name}/state",
            "HOME": self.folder.name,
        }

    def end_all(self):
        for process in reversed(self.processes):
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGTERM)
        for process in self.processes:
            try:
                process.wait(timeout=10)
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()
        self.folder.cleanup()

    def link_hosts(self):
        pid = str(self.host_b.pid)
        deadline = time.monotonic() + 10
        while os.readlink(f"/proc/{pid}/ns/net") == os.readlink("/proc/self/ns/net"):
            self.assertLess(time.monotonic(), deadline, "unshare made no namespace")
            time.sleep(0.01)
        call("ip", "link", "set", "lo", "up")
        call("ip", "link", "add", "eth0", "type", "veth", "peer", "name", "eth1")
        call("ip", "link", "set", "eth1", "netns", pid, "name", "eth0")
        call("ip", "address", "add", "10.0.0.1/24", "dev", "eth0")
        call("ip", "link", "set", "eth0", "up")
        inside_b = ("nsenter", "-t", pid, "-n")
        call(*inside_b, "ip", "link", "set", "lo", "up")
        call(*inside_b, "ip", "address", "add", "10.0.0.2/24", "dev", "eth0")
        call(*inside_b, "ip", "link", "set", "eth0", "up")

    def logs(self) -> str:
        return "\n".join(f"--- {p.name}\n{p.read_text()}" for p in sorted(Path(self.folder.name).glob("*.log")))

    def on_host(self, host: str, line: str) -> list[str]:
        shell = ["sh", "-c", f"exec {line}"]
        return shell if host == "a" else ["nsenter", "-t", str(self.host_b.pid), "-n", *shell]

    def wait_for_workers(self, names: set[str]):
        deadline = time.monotonic() + 20
        while True:
            done = subprocess.run(
                ["tutti", "workers"], capture_output=True, text=True, timeout=20, env=self.environment()
            )
            listed = {line.split()[0] for line in done.stdout.splitlines()[1:]}
            if names <= listed:
                return
            self.assertLess(time.monotonic(), deadline, f"workers {listed}\n{done.stderr}\n{self.logs()}")
            time.sleep(0.1)

    def test_the_commands_of_the_readme_run_a_plan_on_two_hosts(self):
        blocks = marked_blocks("host")
        lines = [(host, line.split("#")[0].strip()) for host, text in blocks for line in text.splitlines()]
        daemons = [(host, line) for host, line in lines if shlex.split(line)[0] in DAEMONS]
        rest = [(host, line) for host, line in lines if shlex.split(line)[0] not in DAEMONS]
        self.assertEqual(["a", "a", "b"], [host for host, _ in daemons])
        self.assertEqual({"a"}, {host for host, _ in rest})
        self.assertIn("run", {line.split()[1] for _, line in rest})
        for number, (host, line) in enumerate(daemons):
            self.start(self.on_host(host, line), f"{host}-{number}")
        self.wait_for_workers({"a", "b"})
        for host, line in rest:
            done = subprocess.run(
                self.on_host(host, line),
                capture_output=True,
                text=True,
                timeout=120,
                cwd=self.folder.name,
                env=self.environment(),
            )
            self.assertEqual(0, done.returncode, f"{line}\n{done.stdout}\n{done.stderr}\n{self.logs()}")
        result = json.loads((Path(self.folder.name) / "result.json").read_text())
        self.assertEqual("passed", result["status"])
        self.assertTrue(result["insecure"])
        self.assertFalse(result["lab"])
        pairs = {
            (pair["from_host"], pair["from_address"], pair["to_host"], pair["to_address"]) for pair in result["pairs"]
        }
        self.assertEqual({("a", "10.0.0.1", "b", "10.0.0.2")}, pairs)
        for host in result["cases"][0]["trials"][0]["hosts"]:
            self.assertEqual("kernel", host["clock"]["source"], "UDP to the coordinator's port goes through")
        for case in result["cases"]:
            self.assertEqual("good", case["status"])
            self.assertGreater(case["rows"][0]["received_bps"]["median"], 0)
        for process in self.processes:
            self.assertIsNone(process.poll(), f"a daemon has ended\n{self.logs()}")


if __name__ == "__main__":
    if INSIDE not in os.environ:
        # A network of its own: as root directly, otherwise as root of a user namespace.
        user = [] if os.geteuid() == 0 else ["--user", "--map-root-user"]
        command = ["unshare", *user, "--net", "--kill-child", "--fork", sys.executable, "-B", *sys.argv]
        sys.exit(subprocess.run(command, env=os.environ | {INSIDE: "1"}, check=False).returncode)
    os.environ["PATH"] = f"{BIN}:{os.environ['PATH']}"
    unittest.main()
