#!/usr/bin/env python3
"""The archive installs into an image, and what it installs runs.

usage: dist_test.py FOLDER_OF_THE_PROGRAMS
"""

import os
import re
import subprocess
import sys
import tarfile
import tempfile
import unittest
from pathlib import Path

from source_tree import ROOT

bin_folder = Path(".")


def run(*command, **options) -> str:
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, timeout=280, **options)
    if done.returncode != 0:
        raise AssertionError(f"{command}: exit code {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout


class Dist(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory(prefix="tutti-dist-")
        cls.addClassCleanup(cls.folder.cleanup)
        base = Path(cls.folder.name)
        archive = run(ROOT / "deploy/dist.sh", bin_folder, base / "out").strip().splitlines()[-1]
        with tarfile.open(archive) as tar:
            tar.extractall(base / "unpacked")
        (cls.tree,) = (base / "unpacked").iterdir()
        cls.image = base / "image"
        cls.environment = os.environ | {"DESTDIR": str(cls.image)}
        cls.environment.pop("PREFIX", None)
        run(cls.tree / "install.sh", env=cls.environment)

    def test_the_installed_programs_run(self):
        programs = self.image / "usr/local/bin"
        self.assertIn("tutti ", run(programs / "tutti", "version"))
        for daemon in ("tutti-coordinator", "tutti-worker"):
            self.assertIn("--", run(programs / daemon, "--help"))
        plans = sorted((self.image / "usr/local/share/tutti/plans").glob("*.yaml"))
        self.assertEqual(len(list((ROOT / "plans").glob("*.yaml"))), len(plans))
        run(programs / "tutti", "validate", *plans)

    def test_units_users_and_configuration_are_in_place(self):
        for name in ("coordinator", "worker"):
            unit = (self.image / f"etc/systemd/system/tutti-{name}.service").read_text()
            self.assertIn(f"ExecStart=/usr/local/bin/tutti-{name} ", unit)
            self.assertTrue((self.image / f"etc/tutti/{name}.env").exists())
        self.assertEqual(0o644, (self.image / "etc/tutti/tutti.yaml").stat().st_mode & 0o777)
        self.assertTrue((self.image / "usr/lib/sysusers.d/tutti.conf").exists())

    def test_the_example_configuration_changes_nothing_and_is_right_without_its_comment_signs(self):
        text = (self.image / "etc/tutti/tutti.yaml").read_text()
        home = Path(self.folder.name) / "home"
        (home / "tutti").mkdir(parents=True)
        environment = {"PATH": os.environ["PATH"], "XDG_CONFIG_HOME": str(home)}
        command = (self.image / "usr/local/bin/tutti", "config", "show", "--origin")
        (home / "tutti/config.yaml").write_text(text)
        self.assertNotIn(str(home), run(*command, env=environment))
        settings = re.sub(r"(?m)^# (?=\w+: )", "", text)
        (home / "tutti/config.yaml").write_text(settings)
        shown = run(*command, env=environment)
        self.assertEqual(len(re.findall(r"(?m)^\w+: ", settings)), shown.count(str(home)))

    def test_completions_are_where_the_shells_look(self):
        share = self.image / "usr/local/share"
        for program in ("tutti", "tutti-coordinator", "tutti-worker"):
            function = "_" + program.replace("-", "_")
            bash = (share / "bash-completion/completions" / program).read_text()
            self.assertIn(f"complete -F {function} {program}\n", bash)
            zsh = (share / "zsh/site-functions" / f"_{program}").read_text()
            self.assertTrue(zsh.startswith(f"#compdef {program}\n"))

    def test_every_link_of_the_installed_documents_leads_somewhere(self):
        documents = self.image / "usr/local/share/doc/tutti"
        pages = sorted(documents.rglob("*.md"))
        self.assertIn(documents / "docs/ci.md", pages)
        dead = [
            f"{page.relative_to(documents)}: {link}"
            for page in pages
            for link in re.findall(r"\]\(([^)\s#]+)", page.read_text())
            if "://" not in link and not (page.parent / link).exists()
        ]
        self.assertEqual([], dead)
        self.assertTrue(os.access(documents / "deploy/ci/curl-jq.sh", os.X_OK))

    def test_the_packages_of_the_libraries_are_known_and_exist(self):
        packages = (self.tree / "runtime-packages").read_text().split()
        self.assertIn("libgrpc++1.51", packages)
        self.assertIn("libc6", packages)
        for package in packages:
            status = run("dpkg-query", "-W", "-f", "${db:Status-Status}", package)
            self.assertEqual("installed", status, package)

    def test_a_second_installation_keeps_the_administrators_configuration(self):
        configuration = self.image / "etc/tutti/worker.env"
        configuration.write_text('TUTTI_WORKER_ARGS="--coordinator 10.0.0.1"\n')
        run(self.tree / "install.sh", env=self.environment)
        self.assertIn("10.0.0.1", configuration.read_text())

    def test_another_prefix_moves_programs_and_units(self):
        image = Path(self.folder.name) / "opt-image"
        run(self.tree / "install.sh", env=self.environment | {"DESTDIR": str(image), "PREFIX": "/opt/tutti"})
        self.assertTrue((image / "opt/tutti/bin/tutti").exists())
        unit = (image / "etc/systemd/system/tutti-worker.service").read_text()
        self.assertIn("ExecStart=/opt/tutti/bin/tutti-worker ", unit)


if __name__ == "__main__":
    bin_folder = Path(sys.argv.pop(1)).resolve()
    unittest.main()
