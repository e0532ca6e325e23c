"""The page of metrics of a real coordinator, read by Prometheus' own client library."""
import json
import os
import re
import subprocess
import time
import unittest
import urllib.request

from prometheus_client.parser import text_string_to_metric_families
from service_case import WORKERS, ServiceCase

PLAN = """\
version: 1
name: paced
roles: {sender: {count: 1}, receiver: {count: 1}}
traffic: [{name: bulk, from: sender, to: receiver, protocol: udp, message_size: 1472B, rate: 10Mbps}]
timing: {warmup: 200ms, measure: 4s, cooldown: 100ms, interval: 200ms}
"""


class MetricsPageTest(ServiceCase):
    def scrape(self):
        """Families by name, and the value of each sample by its name and labels."""
        with urllib.request.urlopen(self.url + "/metrics", timeout=20) as answer:
            self.assertEqual(answer.headers["Content-Type"].replace("; charset=utf-8", ""),
                             "text/plain; version=0.0.4")
            families = list(text_string_to_metric_families(answer.read().decode()))
        samples = {}
        for family in families:
            for sample in family.samples:
                samples[(sample.name, *sorted(sample.labels.items()))] = sample.value
        self.assertEqual(len(samples), sum(len(family.samples) for family in families), "a series is there twice")
        return {family.name: family for family in families}, samples

    def submit(self):
        request = urllib.request.Request(self.url + "/v1/runs", PLAN.encode(),
                                         {"Content-Type": "application/yaml"})
        with urllib.request.urlopen(request, timeout=20) as answer:
            return json.load(answer)["run_id"]

    def await_sample(self, name, present, **labels):
        """Its value, once it is on the page; None, once it is not."""
        key = (name, *sorted(labels.items()))
        deadline = time.monotonic() + 20
        while (key in (samples := self.scrape()[1])) != present:
            self.assertLess(time.monotonic(), deadline, f"{key}: {sorted(samples)}\n{self.logs()}")
            time.sleep(0.05)
        return samples.get(key)

    def test_families_have_help_types_and_names_with_units(self):
        families, samples = self.scrape()
        self.assertGreater(len(families), 10)
        for family in families.values():
            self.assertGreater(len(family.documentation), 10, family.name)
            self.assertIn(family.type, ("gauge", "counter", "histogram"), family.name)
            self.assertRegex(family.name, r"^(tutti|process)_[a-z_]+$")
        self.assertEqual({state: samples[("tutti_workers", ("state", state))]
                          for state in ("idle", "busy", "lost", "draining")},
                         {"idle": len(WORKERS), "busy": 0, "lost": 0, "draining": 0})
        for name in WORKERS:
            bound_s = self.await_sample("tutti_worker_clock_bound_seconds", True, worker=name)
            self.assertTrue(0 < bound_s < 0.1, bound_s)

    def test_the_process_is_this_coordinator(self):
        _, samples = self.scrape()
        pid = self.daemons[0].pid
        files = len(os.listdir(f"/proc/{pid}/fd"))
        self.assertTrue(abs(samples[("process_open_fds",)] - files) <= 10, (samples[("process_open_fds",)], files))
        self.assertTrue(abs(time.time() - samples[("process_start_time_seconds",)]) < 60)
        with open(f"/proc/{pid}/status", encoding="utf-8") as file:
            resident_bytes = int(re.search(r"VmRSS:\s+(\d+) kB", file.read()).group(1)) * 1024
        self.assertTrue(0.5 < samples[("process_resident_memory_bytes",)] / resident_bytes < 2)
        stored_bytes = int(subprocess.run(["du", "-sb", os.path.join(self.folder, "store")], capture_output=True,
                                          text=True, check=True).stdout.split()[0])
        # du counts the folder itself as well.
        self.assertTrue(0 < samples[("tutti_state_dir_bytes",)] <= stored_bytes)

    def test_a_run_is_followed_and_then_counted(self):
        self.assertEqual(self.scrape()[1][("tutti_runs_ended_total", ("status", "passed"))], 0)
        run_id = self.submit()
        of_run = {"run": run_id, "entry": "bulk", "direction": "forward"}
        received_bps = self.await_sample("tutti_run_received_bits_per_second", True, **of_run)
        self.assertTrue(5e6 < received_bps < 20e6, received_bps)
        _, samples = self.scrape()
        self.assertEqual(samples[("tutti_runs", ("state", "running"))], 1)
        self.assertEqual(samples[("tutti_workers", ("state", "busy"))], len(WORKERS))
        self.await_sample("tutti_run_received_bits_per_second", False, **of_run)
        deadline = time.monotonic() + 20
        while self.get_json(f"/v1/runs/{run_id}")["state"] != "ended":
            self.assertLess(time.monotonic(), deadline, self.logs())
            time.sleep(0.05)
        _, samples = self.scrape()
        self.assertEqual(samples[("tutti_runs", ("state", "running"))], 0)
        ended = sum(value for key, value in samples.items() if key[0] == "tutti_runs_ended_total")
        trials = sum(value for key, value in samples.items() if key[0] == "tutti_trials_total")
        self.assertEqual((ended, trials), (1, 1))
        status = self.get_json(f"/v1/runs/{run_id}")["summary"]["status"]
        self.assertEqual(samples[("tutti_runs_ended_total", ("status", status))], 1)
        self.assertEqual([key for key in samples if run_id in str(key)], [])


if __name__ == "__main__":
    unittest.main()
