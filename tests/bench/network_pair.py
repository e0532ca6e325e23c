"""Two hosts for a bench: two anonymous network namespaces joined by a veth pair.

Each namespace is held by one child process and by what the bench starts in it. All of them get
PR_SET_PDEATHSIG, so that nothing is left even when the driver is killed with kill -9. The root namespace sees
nothing of it. Everything is to be started from the main thread: the death signal fires when the forking
*thread* ends (prctl(2)).
"""

import ctypes
import os
import signal
import subprocess
import time
from pathlib import Path

_LIBC = ctypes.CDLL("libc.so.6", use_errno=True)
_CLONE_NEWNET = 0x40000000
_PR_SET_PDEATHSIG = 1
DEVICE = "eth0"  # in both namespaces


def _die_with_parent(parent_pid: int) -> None:
    _LIBC.prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
    if os.getppid() != parent_pid:  # it died before prctl
        os._exit(1)


def enter_network(namespace_fd: int) -> None:
    """Moves the calling thread, and only it, into a network namespace."""
    if _LIBC.setns(namespace_fd, _CLONE_NEWNET) != 0:
        code = ctypes.get_errno()
        raise OSError(code, f"setns into a network namespace: {os.strerror(code)}")


class Host:
    """One namespace. Processes that are started here end with stop_all() or with the driver."""

    def __init__(self, name: str, address: str):
        self.name = name
        self.address = address
        self._processes: list[subprocess.Popen] = []
        self._holder = self._fork_holder()
        self.namespace_fd = os.open(f"/proc/{self._holder}/ns/net", os.O_RDONLY | os.O_CLOEXEC)
        self.inode = os.fstat(self.namespace_fd).st_ino
        self.run(["ip", "link", "set", "lo", "up"])

    @property
    def pid(self) -> int:
        return self._holder

    @staticmethod
    def _fork_holder() -> int:
        ready_read, ready_write = os.pipe()
        parent = os.getpid()
        child = os.fork()
        if child == 0:
            code = 1
            try:
                _die_with_parent(parent)
                signal.signal(signal.SIGINT, signal.SIG_IGN)
                if _LIBC.unshare(_CLONE_NEWNET) == 0:
                    os.write(ready_write, b"+")
                    os.close(ready_write)
                    while True:
                        signal.pause()
                code = ctypes.get_errno()
            finally:
                os._exit(code)
        os.close(ready_write)
        ready = os.read(ready_read, 1)
        os.close(ready_read)
        if ready != b"+":
            _, status = os.waitpid(child, 0)
            reason = os.strerror(os.waitstatus_to_exitcode(status))
            raise OSError(f"unshare of a network namespace: {reason}; the benches need root")
        return child

    def start(self, command: list[str], **options) -> subprocess.Popen:
        """Starts a process in the namespace; in a session of its own, so that Ctrl-C spares it."""
        parent = os.getpid()

        def before_exec() -> None:
            _die_with_parent(parent)
            enter_network(self.namespace_fd)

        process = subprocess.Popen(
            command, preexec_fn=before_exec, start_new_session=True, pass_fds=(), **options
        )
        self._processes.append(process)
        return process

    def run(self, command: list[str], timeout_s: float = 10) -> str:
        process = self.start(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        try:
            output, _ = process.communicate(timeout=timeout_s)
        finally:
            self.stop(process)
        if process.returncode != 0:
            raise RuntimeError(
                f"{' '.join(command)} on {self.name}: exit {process.returncode}: {output.strip()}"
            )
        return output

    def stop(self, process: subprocess.Popen, gently_s: float = 0) -> None:
        """Ends one process: SIGINT if it may take `gently_s`, else SIGKILL."""
        if process.poll() is None and gently_s > 0:
            process.send_signal(signal.SIGINT)
            try:
                process.wait(gently_s)
            except subprocess.TimeoutExpired:
                pass
        if process.poll() is None:
            process.kill()
            process.wait()
        if process in self._processes:
            self._processes.remove(process)

    def stop_all(self) -> None:
        for process in list(self._processes):
            self.stop(process)

    def close(self) -> None:
        """Ends every process of the host; RuntimeError if one is left."""
        self.stop_all()
        os.kill(self._holder, signal.SIGKILL)
        os.waitpid(self._holder, 0)
        left = wait_until_released(self.inode)  # while the descriptor keeps its number from being used again
        os.close(self.namespace_fd)
        if left:
            raise RuntimeError(f"left behind: {', '.join(left)} on host {self.name}")


class NetworkPair:
    """Context manager: `sender` (10.213.0.1) and `receiver` (10.213.0.2)."""

    def __enter__(self) -> "NetworkPair":
        self.sender = Host("sender", "10.213.0.1")
        try:
            self.receiver = Host("receiver", "10.213.0.2")
        except BaseException:
            self.sender.close()
            raise
        try:
            link = f"ip link add {DEVICE} type veth peer name {DEVICE} netns {self.receiver.pid}"
            self.sender.run(link.split())
            for host in (self.sender, self.receiver):
                host.run(["ip", "address", "add", f"{host.address}/24", "dev", DEVICE])
                host.run(["ip", "link", "set", DEVICE, "up"])
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_) -> None:
        try:
            self.sender.close()
        finally:
            self.receiver.close()


def holders(inode: int) -> list[str]:
    """Processes in a namespace, each as "PID NAME"."""
    found = []
    for entry in os.listdir("/proc"):
        if entry.isdigit():
            try:
                if os.stat(f"/proc/{entry}/ns/net").st_ino == inode:
                    found.append(f"{entry} {Path(f'/proc/{entry}/comm').read_text().strip()}")
            except OSError:
                pass  # it ended meanwhile
    return found


def wait_until_released(inode: int, timeout_s: float = 2) -> list[str]:
    deadline = time.monotonic() + timeout_s
    while (left := holders(inode)) and time.monotonic() < deadline:
        time.sleep(0.05)
    return left
