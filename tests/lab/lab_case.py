"""What the tests of the lab stand on: a folder and a mark of their own, the programs, the look for what is left."""
import json
import os
import re
import shutil
import subprocess
import tempfile
import unittest

import lab_system
from lab_system import BIN, GONE_WITHIN_S, Marked, RunningLab, await_true

TUTTI = os.path.join(BIN, "tutti")
WORKER = os.path.join(BIN, "tutti-worker")
COORDINATOR = os.path.join(BIN, "tutti-coordinator")


class LabCase(unittest.TestCase):
    """Each test has a runtime folder of its own and compares the system before and after."""

    def setUp(self):
        self.marked = Marked()
        self.folder = tempfile.mkdtemp(prefix="tl-", dir="/tmp")
        os.chmod(self.folder, 0o777)
        self.runtime = os.path.join(self.folder, "tutti")
        self.out = os.path.join(self.folder, "out.json")
        self.marked.environment.update(XDG_RUNTIME_DIR=self.folder, XDG_STATE_HOME=os.path.join(self.folder, "state"),
                                       HOME=self.folder)
        self.orphans = lab_system.orphans()
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)
        self.addCleanup(self.marked.kill_all)

    def assert_nothing_left(self, lab=None, but_record=False):
        """Of a lab whose namespaces are known, or of all that this test started."""
        def left():
            text = lab_system.leftovers(self.marked, lab, self.runtime)
            return "" if but_record and re.fullmatch(r"(file \S+(; )?)*", text) else text
        await_true(lambda: not left(), GONE_WITHIN_S)
        self.assertEqual(left(), "")
        self.assertTrue(await_true(lambda: lab_system.orphans() <= self.orphans, GONE_WITHIN_S), "orphaned sockets")

    def write(self, text, name="plan.yaml"):
        path = os.path.join(self.folder, name)
        with open(path, "w", encoding="ascii") as file:
            file.write(text)
        return path

    def tutti(self, *arguments, prefix=()):
        return subprocess.run([*prefix, TUTTI, *arguments], env=self.marked.environment, capture_output=True,
                              text=True, timeout=120, check=False)

    def result(self):
        with open(self.out, encoding="utf-8") as file:
            return json.load(file)


class FleetCase(LabCase):
    """A coordinator and workers in a lab that goes on when one of them dies."""

    def start_fleet(self, hosts, *options, prefix=()):
        self.lab = RunningLab(self.marked, [WORKER, COORDINATOR, str(hosts), *options], prefix)
        self.addCleanup(self.lab.close)
        self.assertTrue(self.lab.hosts, self.lab.error)
        self.pids = {host["name"]: host["pid"] for host in self.lab.hosts}
        self.addresses = {host["name"]: host["address"] for host in self.lab.hosts}
        self.await_idle(*self.pids)

    def end_fleet(self):
        self.lab.close()
        self.assert_nothing_left(self.lab)

    def await_idle(self, *names):
        """Until these serve no run, and have no thread and no connection of one."""
        def states():
            table = self.tutti("workers", "--coordinator", self.lab.facts["address"]).stdout
            return {line.split()[0]: line.split()[1] for line in table.splitlines()[1:]}
        def left():
            return [f"{name}: {what}" for name in names for what in self.left_of_trials(self.pids[name])]
        self.assertTrue(await_true(lambda: all(states().get(name) == "idle" for name in names), 20), states())
        self.assertTrue(await_true(lambda: not left(), GONE_WITHIN_S), left())

    def left_of_trials(self, pid):
        found = [f"thread {name}" for name in lab_system.threads(pid) if name.startswith("tutti-s")]
        if lab_system.tcp_states(pid, "0.0.0.0"):
            found.append("a listening socket")
        found += [f"{state} to {address}" for address in self.addresses.values()
                  for state in lab_system.tcp_states(pid, address) - {"TIME_WAIT"}]
        return found

    def run_plan(self, text):
        return self.tutti("run", self.write(text), "--coordinator", self.lab.facts["address"], "--json", self.out)

    def assert_passes(self, text):
        done = self.run_plan(text)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertEqual(self.result()["status"], "passed")

    def block_route(self, host, to):
        """What `host` sends to `to` vanishes, also every answer: as if a packet filter dropped it."""
        # With a filter of reverse paths it would not even answer who has its address.
        self.in_host(host, "sh", "-c", "echo 0 | tee /proc/sys/net/ipv4/conf/*/rp_filter && "
                     f"ip route add blackhole {self.addresses[to]}")

    def unblock_route(self, host, to):
        self.in_host(host, "ip", "route", "del", "blackhole", self.addresses[to])

    def in_host(self, host, *command):
        return lab_system.in_host(self.pids[host], *command)
