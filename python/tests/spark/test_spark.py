"""Jobs on a real Spark cluster on the loopback: a master, and two workers on two hosts."""

import contextlib
import json
import os
import signal
import subprocess
import tempfile
import threading
import time
import unittest
from pathlib import Path

from cluster import IS_THERE, PACKAGES, Cluster
from job_case import PROGRAM, JobCase, files_of, jsonl

def processes(*words: str) -> list[int]:
    """The processes whose command lines hold all of the words."""
    found = []
    for name in filter(str.isdigit, os.listdir("/proc")):
        with contextlib.suppress(OSError):
            line = Path(f"/proc/{name}/cmdline").read_bytes().decode(errors="replace")
            if all(word in line for word in words) and int(name) != os.getpid():
                found.append(int(name))
    return found


@unittest.skipUnless(IS_THERE, "needs pyspark and java")
class OnCluster(JobCase):
    @classmethod
    def setUpClass(cls) -> None:
        cls.cluster = Cluster(Path(cls.enterClassContext(tempfile.TemporaryDirectory())))
        cls.addClassCleanup(cls.cluster.stop)

    def slow_program(self, seconds: float) -> str:
        """The program, but each run takes time in which something can be killed."""
        path = self.scratch / "slow-spillway"
        path.write_text(f'#!/bin/sh\ncase "$1" in --*) ;; *) sleep {seconds} ;; esac\nexec {PROGRAM} "$@"\n')
        path.chmod(0o755)
        return str(path)

    def submit(self, *words: str, program: str = PROGRAM, conf: tuple[str, ...] = ()) -> subprocess.Popen:
        command = self.cluster.submit_command(
            f"{PACKAGES}/spillway/spark/__main__.py", "index", str(self.scratch / "in"), "-o", str(self.out),
            "--memory", "128M", "--max-error-rate", "1", "--program", program, *words, conf=conf)  # fmt: skip
        pipes = dict(stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        return subprocess.Popen(command, env=self.cluster.environment(), text=True, **pipes)

    def expect_success(self, job: subprocess.Popen) -> None:
        out, err = job.communicate()
        self.assertEqual(job.returncode, 0, err[-3000:])
        self.assertIn(" documents of ", out)

    def last_words(self, job: subprocess.Popen) -> str:
        """What a job that fails says. spark-submit sends what Python says on standard error to standard output."""
        out, err = job.communicate()
        self.assertEqual(job.returncode, 2, out[-3000:] + err[-3000:])
        last = [line for line in (out + err).splitlines() if line.startswith("spillway.spark: ")][-1]
        self.assertNotIn("Traceback", last)
        return last

    def expect_nothing_left(self) -> None:
        self.expect_no_rest()
        deadline = time.monotonic() + 20
        while processes(str(self.scratch)) and time.monotonic() < deadline:
            time.sleep(0.1)
        self.assertEqual(processes(str(self.scratch)), [])

    def make_inputs(self) -> dict[str, bytes]:
        for number in range(4):
            self.write(f"in/{number}.jsonl", jsonl(20 + number, 400))
        return self.index_in_one_process([str(self.scratch / "in")])

    def test_gives_the_bytes_of_one_process(self) -> None:
        expected = self.make_inputs()
        self.expect_success(self.submit("--one-index", "--force", "--parts", "2"))
        self.assertEqual(files_of(self.out), expected)
        self.expect_nothing_left()

    def drive(self, jobs: list[dict]) -> list[dict]:
        """The reports of jobs of one application."""
        command = self.cluster.submit_command(str(Path(__file__).parent / "drive.py"), PROGRAM, json.dumps(jobs))
        done = subprocess.run(command, env=self.cluster.environment(), capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr[-3000:])
        return json.loads(done.stdout.splitlines()[-1])

    def test_gives_them_for_every_kind_of_file_and_number_of_parts(self) -> None:
        kinds = self.write_every_kind()
        jobs = [
            {"inputs": inputs, "output": str(self.scratch / f"made/{kind}-{parts}"), "parts": parts, "one_index": True}
            for kind, inputs in kinds.items()
            for parts in (1, 2, 8, 32)
        ]
        (self.scratch / "made").mkdir()
        for report in self.drive(jobs):
            kind = Path(report["output"]).name.partition("-")[0]
            with self.subTest(output=report["output"]):
                self.assertEqual(files_of(Path(report["output"])), self.index_in_one_process(kinds[kind]))
                self.assertEqual(report["records_in"], report["documents"] + sum(report["skipped"].values()))
                self.assertGreater(report["skipped"]["duplicate_id"], 0)
        self.assertEqual([path.name for path in (self.scratch / "made").iterdir() if path.name.endswith(".stage")], [])
        self.expect_nothing_left()

    def kill_while_it_runs(self, number: int, *words: str) -> threading.Thread:
        """Kills the first process with these words in its command line, once there is one."""

        def kill() -> None:
            deadline = time.monotonic() + 240
            while time.monotonic() < deadline:
                found = processes(*words)
                if found:
                    time.sleep(0.3)
                    with contextlib.suppress(ProcessLookupError):
                        os.kill(found[0], number)
                        self.killed.append(words)
                    return
                time.sleep(0.05)

        self.killed: list[tuple[str, ...]] = []
        thread = threading.Thread(target=kill)
        thread.start()
        return thread

    def test_survives_what_is_killed_on_a_worker(self) -> None:
        expected = self.make_inputs()
        program = self.slow_program(1)
        for words in (("CoarseGrainedExecutorBackend",), ("slow-spillway", "@"), ("spillway.spark.daemon",)):
            with self.subTest(words=words):
                killer = self.kill_while_it_runs(signal.SIGKILL, *words)
                self.expect_success(self.submit("--one-index", "--force", "--parts", "6", program=program))
                killer.join()
                self.assertEqual(len(self.killed), 1)
                self.assertEqual(files_of(self.out), expected)
                self.expect_nothing_left()

    def test_goes_on_after_its_driver_was_killed(self) -> None:
        expected = self.make_inputs()
        program = self.slow_program(0.7)
        job = self.submit("--one-index", "--parts", "6", program=program)
        deadline = time.monotonic() + 240
        while not list(self.scratch.glob("out.stage/*/part-*/*/done")) and time.monotonic() < deadline:
            time.sleep(0.05)
        for process in processes(str(self.out), "spillway/spark/__main__.py"):
            os.kill(process, signal.SIGKILL)
        job.communicate()
        self.assertFalse(self.out.exists())
        again = self.submit("--one-index", "--parts", "6", program=program)
        out, err = again.communicate()
        self.assertEqual(again.returncode, 0, err[-3000:])
        self.assertNotIn("(0 done before)", out)
        self.assertEqual(files_of(self.out), expected)
        self.expect_nothing_left()

    def test_takes_either_of_two_attempts_at_once(self) -> None:
        expected = self.make_inputs()
        speculation = ("spark.speculation=true", "spark.speculation.interval=50ms", "spark.speculation.multiplier=1",
                       "spark.speculation.quantile=0.1", "spark.speculation.minTaskRuntime=10ms")  # fmt: skip
        self.expect_success(self.submit("--one-index", "--parts", "5", program=self.slow_program(1), conf=speculation))
        self.assertEqual(files_of(self.out), expected)
        self.expect_nothing_left()

    def test_tells_that_the_stage_is_full_and_goes_on_once_it_is_not(self) -> None:
        expected = self.make_inputs()
        disk = self.scratch / "disk"
        disk.mkdir()
        if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=256k", "tmpfs", disk], capture_output=True).returncode != 0:
            self.skipTest("needs leave to mount a small file system")
        self.addCleanup(subprocess.run, ["umount", disk], check=True)
        self.out = disk / "out"
        job = self.submit("--one-index", "--parts", "3")
        self.assertRegex(self.last_words(job), "No space left on device|free")
        self.assertFalse(self.out.exists())
        attempts = [path for path in disk.glob("out.stage/*/*/*") if path.is_dir()]
        self.assertEqual([path for path in attempts if not (path / "done").exists()], [])
        subprocess.run(["mount", "-o", "remount,size=64m", disk], check=True)
        self.expect_success(self.submit("--one-index", "--parts", "3"))
        self.assertEqual(files_of(self.out), expected)
        self.assertEqual([path.name for path in disk.iterdir()], ["out"])

    def test_refuses_workers_of_different_versions(self) -> None:
        self.make_inputs()
        program = self.scratch / "two-versions"
        cases = f'--*) echo "spillway of $SPARK_LOCAL_IP" ;; *) exec {PROGRAM} "$@" ;;'
        program.write_text(f'#!/bin/sh\ncase "$1" in {cases} esac\n')
        program.chmod(0o755)
        job = self.submit("--parts", "4", program=str(program))
        last = self.last_words(job)
        self.assertIn("'spillway of 127.0.0.2', and the job began with 'spillway of 127.0.0.1'", last)
        self.assertIn("install the same version on all machines", last)
        self.assertFalse(self.out.exists())

    def test_tells_why_it_cannot(self) -> None:
        self.make_inputs()
        job = self.submit("--parts", "2", "--", "--stem", "klingon")
        self.assertIn("--stem 'klingon': expected one of none", self.last_words(job))
        self.assertFalse(self.out.exists())


ASK = """
import json, time
from spillway.spark.__main__ import _launcher, _arguments
launcher = _launcher(_arguments(["index", "in", "-o", "out"]))
print(json.dumps([launcher.slots, launcher.threads, launcher.memory]))
"""


@unittest.skipUnless(IS_THERE, "needs pyspark and java")
class Launcher(unittest.TestCase):
    def test_has_a_slot_for_each_core_though_executors_come_later_than_the_application(self) -> None:
        scratch = Path(self.enterContext(tempfile.TemporaryDirectory()))
        cluster = Cluster(scratch, cores=4)
        self.addCleanup(cluster.stop)
        script = scratch / "ask.py"
        script.write_text(ASK)
        conf = ("spark.executor.memoryOverhead=1g", "spark.task.cpus=2")
        command = cluster.submit_command(str(script), conf=conf)
        done = subprocess.run(command, env=cluster.environment(), capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr[-3000:])
        self.assertEqual(json.loads(done.stdout.splitlines()[-1]), [4, 2, 512 << 20])


if __name__ == "__main__":
    unittest.main()
