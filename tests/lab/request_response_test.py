"""Transactions between two real hosts, beside what the hosts' own kernels count."""
import unittest

from lab_case import FleetCase

TIMING = "timing: {warmup: 200ms, measure: 600ms, cooldown: 100ms, interval: 100ms}\n"


def plan(entries):
    return ("version: 1\nname: transactions\nroles: {client: {hosts: [host1]}, server: {hosts: [host2]}}\ntraffic:\n" +
            "".join(f"  - {{{entry}, from: client, to: server}}\n" for entry in entries) + TIMING)


class KernelCountersTest(FleetCase):
    def counters(self, host, protocol):
        """Of /proc/net/snmp in the host's namespace."""
        with open(f"/proc/{self.pids[host]}/net/snmp", encoding="ascii") as file:
            names, values = [line.split()[1:] for line in file if line.startswith(f"{protocol}:")]
        return dict(zip(names, map(int, values)))

    def sockets_in_time_wait(self, host):
        with open(f"/proc/{self.pids[host]}/net/tcp", encoding="ascii") as file:
            return sum(line.split()[3] == "06" for line in list(file)[1:])

    def growth(self, before, host, protocol):
        after = self.counters(host, protocol)
        return {name: after[name] - before[host][name] for name in after}

    def run_and_count(self, entries, protocol):
        before = {host: self.counters(host, protocol) for host in self.pids}
        self.assert_passes(plan(entries))
        trial = self.result()["cases"][0]["trials"][0]
        return trial, {host: self.growth(before, host, protocol) for host in self.pids}

    def test_each_transaction_is_one_connection_and_none_is_reset(self):
        self.start_fleet(2, "--clock-offsets")
        trial, grown = self.run_and_count(["name: crr, protocol: tcp, request_response: {connect: true}"], "Tcp")
        client = trial["streams"][0]["sender"]
        transactions = client["total_messages"]
        self.assertGreater(transactions, 100)
        # One more: that of CONNECT, on which options are read back, and which is reset.
        self.assertEqual(grown["host1"]["ActiveOpens"], transactions + 1)
        self.assertEqual(grown["host2"]["PassiveOpens"], transactions + 1)
        for host in self.pids:
            self.assertEqual(grown[host]["AttemptFails"], 0)
            self.assertLessEqual(grown[host]["EstabResets"], 1)
        # The server closes first.
        self.assertEqual(self.sockets_in_time_wait("host1"), 0)
        self.assertGreater(self.sockets_in_time_wait("host2"), 0)
        entry = trial["entries"][0]
        self.assertEqual(entry["transactions"], entry["latency"]["transactions"])
        self.assertLess(entry["transactions"], transactions)
        self.assertIsNone(entry["retransmits"])
        self.end_fleet()

    def test_datagrams_are_those_of_the_kernel_and_bulk_streams_run_beside(self):
        self.start_fleet(2, "--clock-offsets")
        trial, grown = self.run_and_count(
            ["name: bulk, protocol: tcp, rate: 100Mbps",
             "name: ask, protocol: udp, request_response: {outstanding: 4}, rate: 192Kbps"], "Udp")
        ask = next(stream for stream in trial["streams"] if stream["flow"]["entry"] == "ask")
        requests = ask["sender"]["total_bytes"] // 24
        # The clock service's datagrams are a few more.
        self.assertLessEqual(requests, grown["host2"]["InDatagrams"])
        self.assertLess(grown["host2"]["InDatagrams"], requests + 200)
        self.assertLessEqual(ask["sender"]["total_messages"], grown["host1"]["InDatagrams"])
        entries = {entry["entry"]: entry for entry in trial["entries"]}
        self.assertEqual(entries["ask"]["lost_transactions"], 0)
        # 1000 a second were due.
        self.assertAlmostEqual(entries["ask"]["corrected_latency"]["transactions"], 600, delta=30)
        self.assertIsNone(entries["bulk"]["latency"])
        self.end_fleet()


if __name__ == "__main__":
    unittest.main()
