#!/usr/bin/env python3
"""process_cpu.py against what a process knows of itself and of its children."""

import os
import resource
import subprocess
import sys
import unittest

from process_cpu import process_cpu_s


class ProcessCpu(unittest.TestCase):
    def test_is_what_the_process_reads_itself(self):
        before = os.times()
        seen_s = process_cpu_s(os.getpid())
        after = os.times()
        tick_s = 1 / os.sysconf("SC_CLK_TCK")
        self.assertGreaterEqual(seen_s, before.user + before.system - 2 * tick_s)
        self.assertLessEqual(seen_s, after.user + after.system + 2 * tick_s)

    def test_counts_threads_that_have_ended(self):
        spin = (
            "import sys, threading, time\n"
            "def spin():\n"
            "    while time.thread_time() < 0.2: pass\n"
            "thread = threading.Thread(target=spin); thread.start(); thread.join()\n"
            "print('spun', flush=True); sys.stdin.read()\n"
        )
        child = subprocess.Popen(
            [sys.executable, "-c", spin], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        with child:
            child.stdout.readline()
            seen_s = process_cpu_s(child.pid)
            child.stdin.close()
        whole = resource.getrusage(resource.RUSAGE_CHILDREN)
        self.assertGreaterEqual(seen_s, 0.2)
        self.assertLessEqual(seen_s, whole.ru_utime + whole.ru_stime + 0.02)


if __name__ == "__main__":
    unittest.main()
