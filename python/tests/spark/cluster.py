"""A Spark cluster on the loopback: a master, and two workers on two hosts, or one."""

import importlib.util
import os
import shutil
import socket
import subprocess
import sys
import time
from pathlib import Path

import spillway

PACKAGES = str(Path(spillway.__file__).parents[1])
IS_THERE = importlib.util.find_spec("pyspark") is not None and shutil.which("java") is not None
HOSTS = ("127.0.0.1", "127.0.0.2")  # speculation needs two


def free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return found.getsockname()[1]


class Cluster:
    """Starts the cluster; stop() ends it. work: a directory for its logs. cores: of each worker."""

    def __init__(self, work: Path, cores: int = 1, hosts: tuple[str, ...] = HOSTS):
        import pyspark

        self._home, self._work = os.path.dirname(pyspark.__file__), work
        self._started: list[subprocess.Popen] = []
        port = free_port()
        self.master = f"spark://127.0.0.1:{port}"
        try:
            self._start(HOSTS[0], "master.Master", "--host", HOSTS[0], "--port", str(port), "--webui-port", "0")
            for host in hosts:
                self._start(host, "worker.Worker", "--host", host, "--cores", str(cores), "--memory", "2g",
                            "--work-dir", str(work / host), "--webui-port", "0", self.master)  # fmt: skip
            self._await_workers(len(hosts))
        except BaseException:
            self.stop()
            raise

    def _start(self, host: str, name: str, *words: str) -> None:
        with open(self._work / "log", "ab") as log:
            command = [f"{self._home}/bin/spark-class", f"org.apache.spark.deploy.{name}", *words]
            self._started.append(
                subprocess.Popen(command, stdout=log, stderr=log, env={**self.environment(), "SPARK_LOCAL_IP": host})
            )

    def _await_workers(self, count: int) -> None:
        deadline = time.monotonic() + 240
        while (self._work / "log").read_text().count("Successfully registered with master") < count:
            if time.monotonic() > deadline:
                raise RuntimeError("the workers do not register: " + (self._work / "log").read_text()[-2000:])
            time.sleep(0.2)

    def environment(self) -> dict[str, str]:
        return {**os.environ, "SPARK_LOCAL_IP": "127.0.0.1", "PYSPARK_PYTHON": sys.executable, "PYTHONPATH": PACKAGES}

    def submit_command(self, script: str, *words: str, conf: tuple[str, ...] = ()) -> list[str]:
        command = [f"{self._home}/bin/spark-submit", "--master", self.master]
        for setting in (f"spark.executorEnv.PYTHONPATH={PACKAGES}", *conf):
            command += ["--conf", setting]
        return [*command, script, *words]

    def stop(self) -> None:
        for process in reversed(self._started):
            process.terminate()
            process.wait()
