"""What the lab tests share: starting a lab through lab_driver, and looking at the system from outside."""
import os
import signal
import socket
import subprocess
import sys
import time
import uuid

TESTS = os.environ.get("TUTTI_TESTS", "")
BIN = os.environ.get("TUTTI_BIN", "")
SOURCE = os.environ.get("TUTTI_SOURCE", "")
DRIVER = os.path.join(TESTS, "lab_driver")
STAND_IN = os.path.join(SOURCE, "tests/lab/stand_in_daemon.py")
GONE_WITHIN_S = 2.0
NAMESPACES = ("net", "mnt", "user", "time")
IS_ROOT = os.geteuid() == 0
# Prefixes of commands: as a user without any right, and where nobody may make namespaces.
AS_NOBODY = ("setpriv", "--reuid=65534", "--regid=65534", "--clear-groups")
WITHOUT_NAMESPACES = ("unshare", "--user", "--map-root-user", "sh", "-c",
                      "echo 0 > /proc/sys/user/max_user_namespaces; "
                      'exec setpriv --bounding-set=-all --inh-caps=-all "$@"', "sh")
# include/net/tcp_states.h
TCP_STATES = ("", "ESTABLISHED", "SYN_SENT", "SYN_RECV", "FIN_WAIT1", "FIN_WAIT2", "TIME_WAIT", "CLOSE", "CLOSE_WAIT",
              "LAST_ACK", "LISTEN", "CLOSING", "NEW_SYN_RECV")


def orphans():
    """Orphaned TCP sockets of the whole kernel: they would hold their namespace."""
    with open("/proc/net/sockstat", encoding="ascii") as file:
        for line in file:
            if line.startswith("TCP:"):
                fields = line.split()
                return int(fields[fields.index("orphan") + 1])
    return 0


def namespace_of(pid, kind):
    try:
        return os.stat(f"/proc/{pid}/ns/{kind}").st_ino
    except OSError:
        return None


def processes():
    return [int(name) for name in os.listdir("/proc") if name.isdigit()]


def is_running(pid):
    try:
        with open(f"/proc/{pid}/stat", encoding="utf-8", errors="replace") as file:
            return file.read().rsplit(")", 1)[1].split()[0] not in "ZX"
    except (OSError, IndexError):
        return False


def threads(pid):
    """Names of the threads of a process."""
    names = []
    for thread in os.listdir(f"/proc/{pid}/task"):
        try:
            with open(f"/proc/{pid}/task/{thread}/comm", encoding="ascii") as file:
                names.append(file.read().strip())
        except OSError:
            pass
    return names


def tcp_states(pid, peer):
    """States of the TCP sockets that a process's network namespace has with an IPv4 address."""
    wanted = f"{int.from_bytes(socket.inet_aton(peer), sys.byteorder):08X}"
    with open(f"/proc/{pid}/net/tcp", encoding="ascii") as file:
        sockets = [line.split()[2:4] for line in list(file)[1:]]
    return {TCP_STATES[int(state, 16)] for remote, state in sockets if remote.split(":")[0] == wanted}


def received_bytes(pid):
    """Of eth0 in a process's network namespace; 0 if there is none."""
    try:
        with open(f"/proc/{pid}/net/dev", encoding="ascii") as file:
            return next((int(line.split()[1]) for line in file if line.strip().startswith("eth0:")), 0)
    except OSError:
        return 0


class Marked:
    """Finds every process that descends from here, by a variable in its environment."""

    def __init__(self):
        self.mark = f"TUTTI_LAB_TEST={uuid.uuid4()}"
        self.environment = dict(os.environ)
        key, value = self.mark.split("=")
        self.environment[key] = value

    def pids(self):
        found = []
        for pid in processes():
            try:
                with open(f"/proc/{pid}/environ", "rb") as file:
                    if self.mark.encode() in file.read().split(b"\0") and is_running(pid):
                        found.append(pid)
            except OSError:
                pass
        return found

    def kill_all(self):
        for pid in self.pids():
            try:
                kill(pid)
            except ProcessLookupError:
                pass


class RunningLab:
    """A lab of the driver, with what it had while it lived."""

    def __init__(self, marked, arguments, prefix=()):
        self.process = subprocess.Popen([*prefix, DRIVER, "start", *arguments], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                        env=marked.environment)
        self.facts = {}
        self.hosts = []
        self.output = []
        for line in self.process.stdout:
            self.output.append(line.strip())
            key, _, value = line.strip().partition(" ")
            if key == "ready":
                break
            if key == "host":
                name, address, address6, pid, offset = value.split()
                self.hosts.append({"name": name, "address": address, "address6": address6, "pid": int(pid),
                                   "offset": int(offset)})
            else:
                self.facts[key] = value
        self.error = "" if self.hosts else self.process.stderr.read()
        self.own = {namespace_of(pid, kind) for pid in self.pids() for kind in NAMESPACES}
        self.own -= {namespace_of("self", kind) for kind in NAMESPACES}
        self.own.discard(None)
        self.seen_ticks = now_ticks()

    def pids(self):
        if not self.hosts:
            return []
        return [int(self.facts["supervisor"]), int(self.facts["coordinator"])] + [h["pid"] for h in self.hosts]

    def ask(self):
        """The deaths that the lab tells of."""
        self.process.stdin.write("?\n")
        self.process.stdin.flush()
        deaths = []
        for line in self.process.stdout:
            if line.strip() == "asked":
                break
            deaths.append(line.strip())
        return deaths

    def close(self):
        if self.process.poll() is None:
            self.process.stdin.close()
        self.process.wait(timeout=10)
        if self.process.stdout.closed:
            return ""
        rest = self.process.stdout.read()
        for stream in (self.process.stdin, self.process.stdout, self.process.stderr):
            stream.close()
        return rest


def in_host(pid, *command, user=not IS_ROOT):
    """Output of a command in the namespaces of a process."""
    flags = ["-n", "-m"] + (["-U", "--preserve-credentials"] if user else [])
    if namespace_of(pid, "time") != namespace_of("self", "time"):  # one's own may not be entered from a user namespace
        flags.append("-T")
    return subprocess.run(["nsenter", "-t", str(pid), *flags, *command], capture_output=True, text=True,
                          check=True).stdout


def await_true(condition, timeout_s):
    deadline = time.monotonic() + timeout_s
    while not condition():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.01)
    return True


def now_ticks():
    return time.clock_gettime(time.CLOCK_BOOTTIME) * os.sysconf("SC_CLK_TCK")


def start_ticks(pid):
    try:
        with open(f"/proc/{pid}/stat", encoding="utf-8", errors="replace") as file:
            return int(file.read().rsplit(")", 1)[1].split()[19])
    except (OSError, IndexError):
        return 0


def holders(namespaces, seen_ticks=float("inf")):
    """Processes in any of these namespaces. The kernel uses a namespace's number again, so what has begun after they
    were seen may be in a new one."""
    return [pid for pid in processes()
            if start_ticks(pid) <= seen_ticks and any(namespace_of(pid, kind) in namespaces for kind in NAMESPACES)]


def leftovers(marked, lab, runtime):
    """What is left of a lab (None: its namespaces are not known), as text; empty if nothing is."""
    found = []
    if marked.pids():
        found.append(f"processes {marked.pids()}")
    if lab and holders(lab.own, lab.seen_ticks):
        found.append(f"namespaces held by {holders(lab.own, lab.seen_ticks)}")
    with open("/proc/self/mounts", encoding="utf-8") as file:
        found += [f"mount {line.strip()}" for line in file if "tutti-lab" in line]
    with open("/proc/net/unix", encoding="utf-8", errors="replace") as file:
        found += [f"socket {line.split()[-1]}" for line in file if runtime in line]
    if os.path.isdir(runtime):
        found += [f"file {name}" for name in [runtime] + [os.path.join(runtime, n) for n in os.listdir(runtime)]]
    return "; ".join(found)


def kill(pid):
    os.kill(pid, signal.SIGKILL)
