"""The other tools: how one round of each is started, and what it says about itself.

Every tool is asked for the same: message size, streams, socket buffers, seconds; nothing is pinned. Servers
are started afresh for each round, so no round inherits anything. What a tool reports is only shown beside the
kernel's counters.
"""

import json
import os
import re
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path

from network_pair import Host, NetworkPair

PORT = 5201


@dataclass(frozen=True)
class Load:
    """What is asked of each contender."""

    protocol: str  # "tcp" or "udp"
    streams: int
    message_bytes: int
    buffer_bytes: int | None  # SO_SNDBUF and SO_RCVBUF; None: the kernel's default
    seconds: int
    read_bytes: int | None = None  # of a read or of each datagram's buffer, of the raw loops; None: a message
    batch: int = 1  # messages per call, of ways that have it
    wait: str = "block"  # what a receiver of the raw loops does that finds nothing: "block" or "poll"


def version_of(command: list[str]) -> str:
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=10)
    lines = done.stdout.strip().splitlines()
    return lines[0] if lines else "unknown"


def iperf3_version() -> str:
    return version_of(["iperf3", "--version"])


def iperf_version() -> str:
    return version_of(["iperf", "--version"])


def wait_for_port(host: Host, protocol: str, port: int, timeout_s: float = 5) -> None:
    """Until a server listens; asked from /proc, so that no connection disturbs it."""
    flag = "-ltnH" if protocol == "tcp" else "-lunH"
    deadline = time.monotonic() + timeout_s
    while not host.run(["ss", flag, f"sport = :{port}"]).strip():
        if time.monotonic() > deadline:
            raise RuntimeError(f"no {protocol} server on port {port} of {host.name} after {timeout_s} s")
        time.sleep(0.02)


def finish(process: subprocess.Popen, timeout_s: float, what: str) -> str:
    """What the process printed; an error if it failed or did not end in time."""
    try:
        output, errors = process.communicate(timeout=timeout_s)
    except subprocess.TimeoutExpired:
        raise RuntimeError(f"{what} did not end within {timeout_s} s") from None
    if process.returncode != 0:
        raise RuntimeError(f"{what}: exit {process.returncode}: {(errors or output).strip()[:400]}")
    return output


def iperf3_command(load: Load, address: str, port: int = PORT) -> list[str]:
    command = [
        "iperf3",
        "-c",
        address,
        "-p",
        str(port),
        "-t",
        str(load.seconds),
        "-P",
        str(load.streams),
        "-l",
        str(load.message_bytes),
        "-J",
    ]
    if load.protocol == "udp":
        command += ["-u", "-b", "0"]
    if load.buffer_bytes is not None:
        command += ["-w", str(load.buffer_bytes)]
    return command


def iperf3_received_bps(report: dict) -> float | None:
    """What iperf3 says that the receiver got, over its whole duration."""
    end = report.get("end", {})
    if "sum_received" in end:
        return end["sum_received"]["bits_per_second"]
    total = end.get("sum")
    if not total or not total.get("packets"):
        return None
    return total["bits_per_second"] * (1 - total["lost_packets"] / total["packets"])


def run_iperf3(pair: NetworkPair, load: Load) -> float | None:
    """One test; returns the throughput that iperf3 states."""
    server = pair.receiver.start(
        ["iperf3", "-s", "-1", "-p", str(PORT)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    try:
        wait_for_port(pair.receiver, "tcp", PORT)
        client = pair.sender.start(
            iperf3_command(load, pair.receiver.address),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        try:
            output = finish(client, load.seconds + 20, "iperf3")
        finally:
            pair.sender.stop(client)
        return iperf3_received_bps(json.loads(output))
    finally:
        pair.receiver.stop(server)


def iperf_commands(load: Load, address: str) -> tuple[list[str], list[str]]:
    shared = ["-p", str(PORT), "-l", str(load.message_bytes)]
    if load.protocol == "udp":
        shared.append("-u")
    if load.buffer_bytes is not None:
        shared += ["-w", str(load.buffer_bytes)]
    client = ["iperf", "-c", address, *shared, "-t", str(load.seconds), "-P", str(load.streams), "-f", "k"]
    if load.protocol == "udp":
        client += ["-b", "100g"]
    return ["iperf", "-s", *shared, "-f", "k"], client


_IPERF_RATE = re.compile(r"([\d.]+)\s+Kbits/sec")


def run_iperf(pair: NetworkPair, load: Load) -> float | None:
    """One test; returns the throughput that its server states, summed over streams, if it states one."""
    server_command, client_command = iperf_commands(load, pair.receiver.address)
    server = pair.receiver.start(server_command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    try:
        wait_for_port(pair.receiver, load.protocol, PORT)
        client = pair.sender.start(client_command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        try:
            finish(client, load.seconds + 20, "iperf")
        finally:
            pair.sender.stop(client)
        pair.receiver.stop(server, gently_s=2)
        rates = [
            float(rate) for line in server.stdout if "SUM" not in line for rate in _IPERF_RATE.findall(line)
        ]
        return sum(rates) * 1000 if len(rates) == load.streams else None
    finally:
        pair.receiver.stop(server)


NUTTCP_CONTROL_PORT = 5000
# Of its own: sockperf cannot bind a port on which an earlier connection of another tool still waits.
SOCKPERF_PORT = 11111


def nuttcp_version() -> str:
    return version_of(["nuttcp", "-V"])


def nuttcp_command(load: Load, address: str) -> list[str]:
    ports = [f"-P{NUTTCP_CONTROL_PORT}", f"-p{PORT}"]
    command = ["nuttcp", "-t", *ports, f"-T{load.seconds}", f"-l{load.message_bytes}"]
    if load.streams > 1:
        command.append(f"-N{load.streams}")
    if load.protocol == "udp":
        command += ["-u", "-Ru"]
    if load.buffer_bytes is not None:
        command.append(f"-w{load.buffer_bytes // 1024}k")
    return [*command, address]


def run_nuttcp(pair: NetworkPair, load: Load) -> None:
    """One test; what it states itself is not read."""
    server = pair.receiver.start(
        ["nuttcp", "-1", f"-P{NUTTCP_CONTROL_PORT}"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    client = nuttcp_command(load, pair.receiver.address)
    _client_of(pair, server, "tcp", NUTTCP_CONTROL_PORT, client, load, "nuttcp")


def sockperf_version() -> str:
    return version_of(["sockperf", "--version"])


def run_sockperf(pair: NetworkPair, load: Load) -> None:
    """One test of one stream; what it states itself is not read."""
    shared = ["-i", pair.receiver.address, "-p", str(SOCKPERF_PORT)]
    if load.protocol == "tcp":
        shared.append("--tcp")
    if load.buffer_bytes is not None:
        shared += ["--buffer-size", str(load.buffer_bytes)]
    server = pair.receiver.start(
        ["sockperf", "sr", *shared, "--uc-reuseaddr"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    client = ["sockperf", "tp", *shared, "-m", str(load.message_bytes), "-t", str(load.seconds), "--mps=max"]
    _client_of(pair, server, load.protocol, SOCKPERF_PORT, client, load, "sockperf")


def raw_path(bin_dir: Path, way: str) -> Path | None:
    """The reference program of a way, if it was built: build/PRESET/tests beside build/PRESET/bin."""
    path = bin_dir.parent / "tests" / f"raw_{way}"
    return path if os.access(path, os.X_OK) else None


def run_raw(pair: NetworkPair, load: Load, program: Path) -> None:
    """One test of a reference; it states nothing."""
    shared = [
        str(word)
        for word in (
            PORT,
            load.streams,
            load.message_bytes,
            load.buffer_bytes or 0,
            load.seconds,
            load.read_bytes or load.message_bytes,
            load.batch,
            load.wait,
        )
    ]
    server = pair.receiver.start([str(program), "receive", load.protocol, *shared], stdout=subprocess.DEVNULL)
    client = [str(program), "send", load.protocol, pair.receiver.address, *shared]
    _client_of(pair, server, load.protocol, PORT + load.streams - 1, client, load, program.name)


def _client_of(
    pair: NetworkPair,
    server: subprocess.Popen,
    protocol: str,
    port: int,
    command: list[str],
    load: Load,
    what: str,
) -> None:
    """Runs the client once the server listens on `port`; ends both."""
    try:
        wait_for_port(pair.receiver, protocol, port)
        client = pair.sender.start(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        try:
            finish(client, load.seconds + 20, what)
        finally:
            pair.sender.stop(client)
    finally:
        pair.receiver.stop(server)
