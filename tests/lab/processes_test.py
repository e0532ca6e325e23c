"""The lab's processes and namespaces, with stand-ins for the daemons: nothing is left, however the lab ends."""
import os
import signal
import subprocess
import time
import unittest

import lab_system
from lab_case import LabCase
from lab_system import (AS_NOBODY, DRIVER, GONE_WITHIN_S, IS_ROOT, STAND_IN, WITHOUT_NAMESPACES, RunningLab, await_true,
                        in_host, kill)


class StandInCase(LabCase):
    def start(self, *options, hosts=2, worker=STAND_IN, coordinator=STAND_IN, prefix=()):
        return RunningLab(self.marked, [worker, coordinator, str(hosts), *options], prefix)

    def drive(self, *arguments, prefix=(), **options):
        return subprocess.run([*prefix, DRIVER, *arguments], env=self.marked.environment, capture_output=True,
                              text=True, timeout=100, check=False, **options)


class EndTest(StandInCase):
    def check_end(self, end, options=("registered",), hosts=2, prefix=()):
        lab = self.start(*options, hosts=hosts, prefix=prefix)
        self.assertTrue(lab.hosts, lab.error)
        self.assertEqual(len({lab_system.namespace_of(pid, "net") for pid in lab.pids()}), hosts + 1)
        end(lab)
        self.assert_nothing_left(lab)
        lab.close()

    def test_orderly_end(self):
        lab = self.start("registered")
        self.assertEqual(lab.facts["kind"], "namespaces" if IS_ROOT else "user namespaces")
        self.assertIn("stopped", lab.close())
        self.assert_nothing_left(lab)

    def test_interrupt(self):
        self.check_end(lambda lab: lab.process.send_signal(signal.SIGINT))

    def test_hangup(self):
        self.check_end(lambda lab: lab.process.send_signal(signal.SIGHUP))

    def test_killed_starter(self):
        self.check_end(lambda lab: kill(lab.process.pid))

    def test_killed_starter_and_daemons_that_ignore_sigterm(self):
        self.check_end(lambda lab: kill(lab.process.pid), options=("registered", "worker_arg=--deaf"))

    def test_killed_starter_and_stopped_worker(self):
        def end(lab):
            os.kill(lab.hosts[0]["pid"], signal.SIGSTOP)
            kill(lab.process.pid)
        self.check_end(end)

    def test_killed_supervisor(self):
        def end(lab):
            kill(int(lab.facts["supervisor"]))
            self.assertTrue(await_true(lambda: any("supervisor" in death for death in lab.ask()), GONE_WITHIN_S))
            lab.process.stdin.close()
        self.check_end(end)

    def test_killed_coordinator(self):
        def end(lab):
            kill(int(lab.facts["coordinator"]))
            self.assertTrue(await_true(lambda: any("coordinator" in death for death in lab.ask()), GONE_WITHIN_S))
            self.assertTrue(await_true(lambda: not any(lab_system.is_running(p) for p in lab.pids()), GONE_WITHIN_S))
            lab.process.stdin.close()
        self.check_end(end)

    def test_killed_worker_takes_only_its_own_namespace_with_it(self):
        lab = self.start("registered", hosts=3)
        victim = lab.hosts[1]
        network = lab_system.namespace_of(victim["pid"], "net")
        kill(victim["pid"])
        self.assertTrue(await_true(lambda: lab.ask(), GONE_WITHIN_S))
        self.assertIn("host2: stand_in_daemon.py", lab.ask()[0])
        self.assertIn("was ended by signal 9", lab.ask()[0])
        self.assertTrue(await_true(lambda: not lab_system.holders({network}, lab.seen_ticks), GONE_WITHIN_S))
        self.assertTrue(all(lab_system.is_running(h["pid"]) for h in lab.hosts if h is not victim))
        links = in_host(lab.facts["coordinator"], "ip", "-o", "link")
        self.assertTrue(await_true(
            lambda: "host2" not in in_host(lab.facts["coordinator"], "ip", "-o", "link"), GONE_WITHIN_S), links)
        lab.close()
        self.assert_nothing_left(lab)

    def stranger_in(self, numbers):
        """A process of nobody's lab in a network namespace with one of these numbers; None if the kernel gives none."""
        own = lab_system.namespace_of("self", "net")
        # The lowest free number is given first: each process that misses fills a gap. A dead one's is free in a moment.
        for _ in range(30):
            process = subprocess.Popen(["unshare", "--net", "sleep", "60"])
            self.addCleanup(process.wait)
            self.addCleanup(process.kill)
            await_true(lambda: lab_system.namespace_of(process.pid, "net") != own, 2)
            if lab_system.namespace_of(process.pid, "net") in numbers:
                return process
            time.sleep(0.02)
        return None

    @unittest.skipUnless(IS_ROOT, "makes network namespaces outside of a lab")
    def test_the_end_spares_a_stranger_whose_namespace_has_the_number_of_a_dead_workers(self):
        lab = self.start("registered", hosts=4)
        numbers = {lab_system.namespace_of(host["pid"], "net") for host in lab.hosts[1:]}
        for host in lab.hosts[1:]:
            kill(host["pid"])
        self.assertTrue(await_true(lambda: len(lab.ask()) == 3, GONE_WITHIN_S))
        stranger = self.stranger_in(numbers)
        if stranger is None:
            self.skipTest("this kernel does not give a namespace's number again")
        self.assertIn("stopped", lab.close())
        self.assertIsNone(stranger.poll(), "the lab killed a process that is not its own")

    def test_killed_worker_ends_a_lab_that_is_to_end_with_it(self):
        def end(lab):
            kill(lab.hosts[0]["pid"])
            self.assertTrue(await_true(lambda: not any(lab_system.is_running(p) for p in lab.pids()), GONE_WITHIN_S))
            lab.process.stdin.close()
        self.check_end(end, options=("registered", "end_with_worker"))

    def test_namespaces_are_free_within_two_seconds_of_a_kill(self):
        """Namespaces without processes show nowhere; but with a limit of just enough of them, a second lab shows."""
        prefix = ("unshare", "--user", "--map-root-user", "sh", "-c",
                  'echo 3 > /proc/sys/user/max_net_namespaces; "$@"; sleep 2; "$@"', "sh")
        who = {"starter": lambda lab: kill(next(p for p in self.marked.pids() if is_driver(p))),
               "supervisor": lambda lab: kill(int(lab.facts["supervisor"])),
               "coordinator": lambda lab: kill(int(lab.facts["coordinator"])),
               "worker": lambda lab: kill(lab.hosts[0]["pid"])}

        def is_driver(pid):
            with open(f"/proc/{pid}/cmdline", "rb") as file:
                return file.read().startswith(DRIVER.encode()) and pid not in lab.pids()
        for name, end in who.items():
            with self.subTest(killed=name):
                lab = self.start("registered", "end_with_worker", prefix=prefix)
                self.assertTrue(lab.hosts, lab.error)
                end(lab)
                lab.process.stdin.close()
                rest = lab.process.stdout.read()
                self.assertIn("ready", rest)
                lab.process.wait(timeout=10)
                lab.process.stdout.close()
                lab.process.stderr.close()


class FailedStartTest(StandInCase):
    def check_failure(self, expected, *options, **more):
        lab = self.start(*options, **more)
        self.assertFalse(lab.hosts)
        self.assertNotEqual(lab.process.wait(timeout=10), 0)
        for text in expected:
            self.assertIn(text, lab.error)
        lab.close()
        self.assert_nothing_left(lab)

    def test_missing_worker_program(self):
        self.check_failure(["run tutti-worker as /nowhere/w", "ENOENT"], worker="/nowhere/w")

    def test_worker_program_that_cannot_run(self):
        path = os.path.join(self.folder, "not_a_program")
        with open(path, "wb") as file:
            file.write(b"\x7fELF and nothing more")
        os.chmod(path, 0o755)
        self.check_failure(["host", "ENOEXEC"], worker=path)

    def test_worker_that_ends_at_once(self):
        self.check_failure(["ended with status 3", "its log ends: cannot work today"], "registered",
                           "worker_arg=--fail")

    def test_coordinator_that_ends_at_once(self):
        self.check_failure(["start the lab: coordinator: false", "ended with status 1"], coordinator="/bin/false")

    def test_coordinator_that_never_listens(self):
        path = os.path.join(self.folder, "sleeper")
        with open(path, "w", encoding="ascii") as file:
            file.write("#!/bin/sh\nexec sleep 100\n")
        os.chmod(path, 0o755)
        self.check_failure(["does not listen"], "timeout_ms=3000", coordinator=path)

    def test_too_many_hosts(self):
        self.check_failure(["1 to 1000 hosts, not 0"], hosts=0)
        self.check_failure(["1 to 1000 hosts, not 1001"], hosts=1001)

    def test_no_network_namespaces_left(self):
        for limit, step in (("0", "unshare(CLONE_NEWNET)"), ("2", "host2: unshare(CLONE_NEWNET)")):
            with self.subTest(limit=limit):
                prefix = ("unshare", "--user", "--map-root-user", "sh", "-c",
                          f'echo {limit} > /proc/sys/user/max_net_namespaces; exec "$@"', "sh")
                step = step.split(":")[-1].strip()
                self.check_failure([step, f"user.max_net_namespaces is {limit}", "sysctl -w"], prefix=prefix)

    def test_log_folder_that_cannot_be_made(self):
        self.check_failure(["INVALID_ARGUMENT", "write logs to /dev/null/logs", "ENOTDIR"], "log=/dev/null/logs")


class HostTest(StandInCase):
    def test_addresses_and_links(self):
        lab = self.start("registered", "ipv6")
        for index, host in enumerate(lab.hosts, 1):
            addresses = in_host(host["pid"], "ip", "-o", "addr")
            self.assertIn(f"10.77.0.{10 + index}/16", addresses)
            self.assertIn(f"fd74:7574:7469::{10 + index:x}/64", addresses)
            self.assertNotIn("tentative", addresses)
            self.assertNotIn("fe80", addresses)
            self.assertIn("mtu 1500", in_host(host["pid"], "ip", "link", "show", "eth0"))
            self.assertIn("LOWER_UP", in_host(host["pid"], "ip", "link", "show", "lo"))
        self.assertEqual(lab.hosts[0]["address"], "10.77.0.11")
        bridge = in_host(lab.facts["coordinator"], "ip", "-d", "link", "show", "br0")
        self.assertIn("stp_state 0", bridge)
        self.assertIn("forward_delay 0", bridge)
        lab.close()

    def test_hosts_reach_each_other_over_both_families_at_once(self):
        lab = self.start("registered", "ipv6")
        talk = ("import socket,sys\n"
                "s=socket.socket(socket.AF_INET6 if ':' in sys.argv[1] else socket.AF_INET)\n"
                "s.settimeout(2)\n"
                "try: s.connect((sys.argv[1], 9))\n"
                "except ConnectionRefusedError: print('reached')\n")
        for address in (lab.hosts[1]["address"], lab.hosts[1]["address6"], "10.77.0.1", "fd74:7574:7469::1"):
            self.assertEqual(in_host(lab.hosts[0]["pid"], "/usr/bin/python3", "-c", talk, address).strip(), "reached")
        lab.close()

    def test_clock_offsets(self):
        lab = self.start("registered", "offsets", hosts=3)
        read = "import time; print(time.clock_gettime_ns(time.CLOCK_MONOTONIC), time.clock_gettime_ns(time.CLOCK_BOOTTIME), time.time_ns())"
        for index, host in enumerate(lab.hosts, 1):
            before = time.clock_gettime_ns(time.CLOCK_MONOTONIC)
            before_boot = time.clock_gettime_ns(time.CLOCK_BOOTTIME)
            before_real = time.time_ns()
            shifted, shifted_boot, real = map(int, in_host(host["pid"], "/usr/bin/python3", "-c", read).split())
            after = time.clock_gettime_ns(time.CLOCK_MONOTONIC)
            self.assertEqual(host["offset"], index * (2 * 86400 * 10**9 + 1234567891))
            self.assertLessEqual(before, shifted - host["offset"])
            self.assertLessEqual(shifted - host["offset"], after)
            self.assertLess(abs(shifted_boot - host["offset"] - before_boot), 5 * 10**9)
            self.assertLess(abs(real - before_real), 5 * 10**9)
        self.assertEqual(lab_system.namespace_of(lab.facts["coordinator"], "time"),
                         lab_system.namespace_of("self", "time"))
        lab.close()

    def test_nothing_shows_in_the_root_namespace(self):
        before = subprocess.run(["ip", "-o", "link"], capture_output=True, text=True, check=True).stdout
        lab = self.start("registered")
        self.assertEqual(subprocess.run(["ip", "-o", "link"], capture_output=True, text=True, check=True).stdout, before)
        self.assertEqual(os.listdir(os.path.join(self.runtime, lab.facts["supervisor"])), [])
        lab.close()

    def test_logs_go_where_they_are_asked_to(self):
        logs = os.path.join(self.folder, "logs")
        os.mkdir(logs)
        lab = self.start("registered", f"log={logs}")
        lab.close()
        self.assertEqual(sorted(os.listdir(logs)), ["coordinator.log", "host1.log", "host2.log"])

    def test_fifty_hosts(self):
        lab = self.start("registered", hosts=50)
        self.assertEqual(len(lab.hosts), 50, lab.error)
        lab.close()
        self.assert_nothing_left(lab)


@unittest.skipUnless(IS_ROOT, "becomes another user")
class WithoutRootTest(StandInCase):
    def test_user_namespaces(self):
        lab = self.start("registered", "ipv6", "offsets", prefix=AS_NOBODY)
        self.assertTrue(lab.hosts, lab.error)
        self.assertEqual(lab.facts["kind"], "user namespaces")
        self.assertNotEqual(lab_system.namespace_of(lab.hosts[0]["pid"], "user"),
                            lab_system.namespace_of("self", "user"))
        monotonic = int(in_host(lab.hosts[1]["pid"], "/usr/bin/python3", "-c",
                                "import time; print(time.monotonic_ns())", user=True))
        self.assertLess(abs(monotonic - lab.hosts[1]["offset"] - time.monotonic_ns()), 5 * 10**9)
        self.assertIn("stopped", lab.close())
        self.assert_nothing_left(lab)

    def test_kills(self):
        victims = {"starter": lambda lab: lab.process.pid, "supervisor": lambda lab: int(lab.facts["supervisor"]),
                   "coordinator": lambda lab: int(lab.facts["coordinator"])}
        for name, victim in victims.items():
            with self.subTest(killed=name):
                lab = self.start("registered", prefix=AS_NOBODY)
                self.assertTrue(lab.hosts, lab.error)
                kill(victim(lab))
                self.assertTrue(await_true(
                    lambda lab=lab: not any(lab_system.is_running(p) for p in lab.pids()), GONE_WITHIN_S))
                lab.close()
                self.assert_nothing_left(lab)

    def test_loopback_where_user_namespaces_are_switched_off(self):
        lab = self.start("registered", prefix=WITHOUT_NAMESPACES)
        self.assertTrue(lab.hosts, lab.error)
        self.assertIn("loopback addresses, because unshare(CLONE_NEWUSER)", lab.facts["kind"])
        self.assertIn("user.max_user_namespaces is 0", lab.facts["kind"])
        self.assertEqual([h["address"] for h in lab.hosts], ["127.0.0.11", "127.0.0.12"])
        kill(int(lab.facts["supervisor"]))
        self.assertTrue(await_true(lambda: not any(lab_system.is_running(p) for p in lab.pids()), GONE_WITHIN_S))
        lab.close()
        self.assert_nothing_left(lab)
        for option in ("ipv6", "offsets"):
            refused = self.start("registered", option, prefix=WITHOUT_NAMESPACES)
            self.assertIn("namespaces are not allowed here", refused.error)
            refused.close()

    def test_buffers_over_the_limit_are_refused_without_root_only(self):
        with open("/proc/sys/net/core/rmem_max", encoding="ascii") as file:
            limit = int(file.read())
        self.assertEqual(self.drive("limits", str(limit), prefix=AS_NOBODY).returncode, 0)
        refused = self.drive("limits", str(limit + 1), prefix=AS_NOBODY)
        self.assertEqual(refused.returncode, 1)
        self.assertIn(f"net.core.rmem_max is {limit}", refused.stderr)
        self.assertIn(f"sysctl -w net.core.rmem_max={limit + 1}", refused.stderr)
        self.assertEqual(self.drive("limits", str(limit + 1)).returncode, 0)


class NamedLabTest(StandInCase):
    def up(self, name, *options, prefix=()):
        result = self.drive("up", name, STAND_IN, STAND_IN, "2", "registered", *options, prefix=prefix)
        facts = dict(line.split(" ", 1) for line in result.stdout.splitlines() if not line.startswith("host"))
        facts["workers"] = [int(line.split()[4]) for line in result.stdout.splitlines() if line.startswith("host")]
        return result, facts

    def record(self, facts):
        class Lab:
            own = {lab_system.namespace_of(pid, kind)
                   for pid in [int(facts["supervisor"]), int(facts["coordinator"]), *facts["workers"]]
                   for kind in ("net", "mnt")} - {lab_system.namespace_of("self", k) for k in ("net", "mnt")} - {None}
            seen_ticks = lab_system.now_ticks()
        return Lab

    def test_up_find_exec_down(self):
        result, facts = self.up("one", "offsets")
        self.assertEqual(result.returncode, 0, result.stderr)
        lab = self.record(facts)
        self.assertEqual(self.drive("find", "one").stdout, result.stdout)
        self.assertEqual(self.drive("list").stdout, "one\n")
        again, _ = self.up("one")
        self.assertIn("ALREADY_EXISTS", again.stderr)
        self.assertEqual(self.drive("exec", "one", "host2", "cat", "/proc/self/timens_offsets").returncode, 0)
        self.assertIn("10.77.0.12/16", self.drive("exec", "one", "host2", "ip", "-o", "addr").stdout)
        self.assertIn("br0", self.drive("exec", "one", "coordinator", "ip", "-o", "link").stdout)
        self.assertEqual(self.drive("exec", "one", "host1", "pwd", cwd="/usr").stdout, "/usr\n")
        self.assertEqual(self.drive("exec", "one", "host1", "cat", input="through\n").stdout, "through\n")
        self.assertEqual(self.drive("exec", "one", "host1", "sh", "-c", "exit 7").returncode, 7)
        self.assertEqual(self.drive("exec", "one", "host1", "sh", "-c", "kill -9 $$").returncode, 137)
        self.assertIn("host1, host2 and coordinator", self.drive("exec", "one", "host9", "true").stderr)
        self.assertIn("run no-such-program", self.drive("exec", "one", "host1", "no-such-program").stderr)
        self.assertEqual(self.drive("down", "one").returncode, 0)
        self.assert_nothing_left(lab)
        self.assertIn("no lab 'one' is up", self.drive("down", "one").stderr)

    def test_two_labs_side_by_side(self):
        _, first = self.up("a")
        _, second = self.up("b")
        lab = self.record(second)
        self.assertEqual(self.drive("list").stdout, "a\nb\n")
        self.assertEqual(self.drive("down", "a").returncode, 0)
        self.assertEqual(self.drive("list").stdout, "b\n")
        self.assertTrue(all(lab_system.is_running(pid) for pid in second["workers"]))
        self.assertFalse(any(lab_system.is_running(pid) for pid in first["workers"]))
        self.assertEqual(self.drive("down", "b").returncode, 0)
        self.assert_nothing_left(lab)

    def test_any_death_ends_it(self):
        for victim in ("coordinator", "worker", "supervisor"):
            with self.subTest(killed=victim):
                _, facts = self.up("mortal")
                lab = self.record(facts)
                kill(facts["workers"][0] if victim == "worker" else int(facts[victim]))
                self.assert_nothing_left(lab, but_record=victim == "supervisor")
                self.assertIn("NOT_FOUND", self.drive("find", "mortal").stderr)
                self.assert_nothing_left(lab)

    def test_commands_end_with_the_lab(self):
        _, facts = self.up("busy")
        lab = self.record(facts)
        command = subprocess.Popen([DRIVER, "exec", "busy", "host1", "sh", "-c", "sleep 300 & sleep 300"],
                                   env=self.marked.environment)
        sleepers = lambda: [p for p in lab_system.holders(lab.own) if "sleep" in name_of(p)]

        def name_of(pid):
            try:
                with open(f"/proc/{pid}/comm", encoding="ascii") as file:
                    return file.read()
            except OSError:
                return ""
        self.assertTrue(await_true(lambda: len(sleepers()) >= 2, 5))
        self.assertEqual(self.drive("down", "busy").returncode, 0)
        self.assertEqual(command.wait(timeout=GONE_WITHIN_S), 137)
        self.assert_nothing_left(lab)

    def test_command_ends_with_its_starter(self):
        _, facts = self.up("busy")
        command = subprocess.Popen([DRIVER, "exec", "busy", "host1", "sleep", "301"], env=self.marked.environment)
        inside = lambda: [p for p in lab_system.holders({lab_system.namespace_of(facts["workers"][0], "net")})
                          if p != facts["workers"][0]]
        self.assertTrue(await_true(inside, 5))
        kill(command.pid)
        command.wait()
        self.assertTrue(await_true(lambda: not inside(), GONE_WITHIN_S))
        self.assertEqual(self.drive("down", "busy").returncode, 0)

    def test_bad_names(self):
        for name in ("../x", ".x", "a b", "x" * 65):
            result, _ = self.up(name)
            self.assertIn("cannot name a lab", result.stderr)

    @unittest.skipUnless(IS_ROOT, "becomes another user")
    def test_without_root(self):
        result, facts = self.up("mine", "offsets", prefix=AS_NOBODY)
        self.assertEqual(result.returncode, 0, result.stderr)
        lab = self.record(facts)
        self.assertIn("10.77.0.11/16", self.drive("exec", "mine", "host1", "ip", "-o", "addr", prefix=AS_NOBODY).stdout)
        uptime = self.drive("exec", "mine", "host2", "cat", "/proc/uptime", prefix=AS_NOBODY).stdout
        self.assertGreater(float(uptime.split()[0]), 4 * 86400)
        self.assertEqual(self.drive("down", "mine", prefix=AS_NOBODY).returncode, 0)
        self.assert_nothing_left(lab)


if __name__ == "__main__":
    unittest.main()
