"""Jobs on a real Spark cluster on the loopback: a master, and two workers of one core on two hosts."""

import contextlib
import importlib.util
import os
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time
import unittest
from pathlib import Path

from job_case import PROGRAM, JobCase, files_of, jsonl

PACKAGES = str(Path(__file__).parents[2])
IS_THERE = importlib.util.find_spec("pyspark") is not None and shutil.which("java") is not None


def free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return found.getsockname()[1]


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
class Cluster(JobCase):
    @classmethod
    def setUpClass(cls) -> None:
        import pyspark

        cls.home = os.path.dirname(pyspark.__file__)
        port = free_port()
        cls.master = f"spark://127.0.0.1:{port}"
        cls.started: list[subprocess.Popen] = []
        cls.addClassCleanup(cls.stop)
        cls.work = Path(cls.enterClassContext(__import__("tempfile").TemporaryDirectory()))
        cls.start("127.0.0.1", "master.Master", "--host", "127.0.0.1", "--port", str(port), "--webui-port", "0")
        for host in ("127.0.0.1", "127.0.0.2"):
            cls.start(host, "worker.Worker", "--host", host, "--cores", "1", "--memory", "2g", "--work-dir",
                      str(cls.work / host), "--webui-port", "0", cls.master)  # fmt: skip
        deadline = time.monotonic() + 90
        while (cls.work / "log").read_text().count("Successfully registered with master") < 2:
            if time.monotonic() > deadline:
                raise RuntimeError("the workers do not register: " + (cls.work / "log").read_text()[-2000:])
            time.sleep(0.2)

    @classmethod
    def start(cls, host: str, name: str, *words: str) -> None:
        with open(cls.work / "log", "ab") as log:
            command = [f"{cls.home}/bin/spark-class", f"org.apache.spark.deploy.{name}", *words]
            cls.started.append(subprocess.Popen(command, stdout=log, stderr=log, env={**cls.environment(), "SPARK_LOCAL_IP": host}))

    @classmethod
    def environment(cls) -> dict[str, str]:
        return {**os.environ, "SPARK_LOCAL_IP": "127.0.0.1", "PYSPARK_PYTHON": sys.executable, "PYTHONPATH": PACKAGES}

    @classmethod
    def stop(cls) -> None:
        for process in reversed(cls.started):
            process.terminate()
            process.wait()

    def slow_program(self, seconds: float) -> str:
        """The program, but each run takes time in which something can be killed."""
        path = self.scratch / "slow-spillway"
        path.write_text(f'#!/bin/sh\ncase "$1" in --*) ;; *) sleep {seconds} ;; esac\nexec {PROGRAM} "$@"\n')
        path.chmod(0o755)
        return str(path)

    def submit(self, *words: str, program: str = PROGRAM, conf: tuple[str, ...] = ()) -> subprocess.Popen:
        command = [f"{self.home}/bin/spark-submit", "--master", self.master, "--conf", f"spark.executorEnv.PYTHONPATH={PACKAGES}"]
        for setting in conf:
            command += ["--conf", setting]
        command += [f"{PACKAGES}/spillway/spark/__main__.py", "index", str(self.scratch / "in"), "-o", str(self.out), "--memory",
                    "128M", "--max-error-rate", "1", "--program", program, *words]  # fmt: skip
        return subprocess.Popen(command, env=self.environment(), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    def expect_success(self, job: subprocess.Popen) -> None:
        out, err = job.communicate()
        self.assertEqual(job.returncode, 0, err[-3000:])
        self.assertIn(" documents of ", out)

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
        for parts in ("2", "8", "32"):
            self.expect_success(self.submit("--one-index", "--force", "--parts", parts))
            self.assertEqual(files_of(self.out), expected)
            self.expect_nothing_left()

    def kill_while_it_runs(self, number: int, *words: str) -> threading.Thread:
        """Kills the first process with these words in its command line, once there is one."""

        def kill() -> None:
            deadline = time.monotonic() + 60
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
        for words in (("CoarseGrainedExecutorBackend", self.master.rpartition(":")[2]), ("slow-spillway", "@"),
                      ("pyspark.daemon",)):  # fmt: skip
            with self.subTest(words=words):
                victims = words if words[0] != "CoarseGrainedExecutorBackend" else words[:1]
                killer = self.kill_while_it_runs(signal.SIGKILL, *victims)
                self.expect_success(self.submit("--one-index", "--force", "--parts", "6", program=program))
                killer.join()
                self.assertEqual(len(self.killed), 1)
                self.assertEqual(files_of(self.out), expected)
                self.expect_nothing_left()

    def test_goes_on_after_its_driver_was_killed(self) -> None:
        expected = self.make_inputs()
        program = self.slow_program(0.7)
        job = self.submit("--one-index", "--parts", "6", program=program)
        deadline = time.monotonic() + 60
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

    def test_tells_why_it_cannot(self) -> None:
        self.make_inputs()
        job = self.submit("--parts", "2", "--", "--stem", "klingon")
        _, err = job.communicate()
        self.assertEqual(job.returncode, 2)
        last = [line for line in err.splitlines() if "spillway.spark: " in line][-1]
        self.assertIn("--stem 'klingon': expected one of none", last)
        self.assertNotIn("Traceback", last)
        self.assertFalse(self.out.exists())


if __name__ == "__main__":
    unittest.main()
