#!/usr/bin/env python3
"""Measures jobs of spillway.spark on a cluster of two workers of one core on the loopback against one process with two
threads, in interleaved rounds: the map, the merge, what an application and a task cost. Every index must have the bytes of the
one process. bench/spark_simulation.py reckons larger clusters from the times of the tasks.

INPUT is JSON lines; it is repeated with new ids up to --size. Needs pyspark and Java.

usage: bench/spark.py INPUT [--size 4G] [--parts 2,8,32] [--rounds 3] [--scratch DIR] [--program FILE]
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from functools import partial
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / "python/tests/spark"), str(ROOT / "bench")]
sys.path.append(str(ROOT / "python"))  # last: an installed package has the native module, which the source tree has not

from cluster import Cluster  # noqa: E402
from measure import machine, process, report, spillway  # noqa: E402

from spillway.spark import SparkLauncher, run_index_job  # noqa: E402

MEMORY = 1 << 30  # of a task; the one process has twice as much
SMALL_PARTS = (2, 66)
# For the driver's Java, as docs/spark.md advises; the number of cores is told as well, so that it waits for no others.
ADVISED = "spark.driver.extraJavaOptions=-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"
UNITS = {"M": 10**6, "G": 10**9}


def timed(function, item):
    """Runs in a task."""
    begin = time.monotonic()
    return function(item), time.monotonic() - begin


class TimedLauncher:
    """Notes the time of each step, and of each of its tasks."""

    def __init__(self, inner):
        self._inner = inner
        self.slots, self.threads, self.memory = inner.slots, inner.threads, inner.memory
        self.steps: list[dict] = []

    def run(self, function, items, name):
        begin = time.monotonic()
        results = self._inner.run(partial(timed, function), items, name)
        self.steps.append({"name": name, "seconds": time.monotonic() - begin, "tasks": [took for _, took in results]})
        return [result for result, _ in results]


def digest(index: Path) -> bytes:
    return (index / "manifest").read_bytes()


def measure_job(launcher, program: str, source: Path, output: Path, parts: int) -> dict:
    timing = TimedLauncher(launcher)
    begin = time.monotonic()
    run_index_job([str(source)], str(output), timing, parts=parts, one_index=True, force=True, program=program)
    return {"seconds": time.monotonic() - begin, "steps": timing.steps}


def measure_process(program: str, source: Path, output: Path) -> dict:
    command = [program, "index", str(source), "-o", str(output), "--threads", "2", "--memory", str(2 * MEMORY), "--quiet"]
    cost = process.run_measured(command, output, {"PYTHONPATH": ""})  # a console script finds the package beside it
    return {"seconds": cost.wall_seconds, "index_bytes": process.bytes_below(output)}


def rounds_in_application(arguments: argparse.Namespace) -> dict:
    """What the driver does, in the Spark application."""
    from pyspark import SparkContext

    launcher = SparkLauncher(SparkContext.getOrCreate(), MEMORY)
    scratch, source, program = arguments.scratch, arguments.source, arguments.program
    small = scratch / "small.jsonl"
    small.write_text("".join(f'{{"id": "{number}", "text": "word{number}"}}\n' for number in range(max(SMALL_PARTS))))
    measure_job(launcher, program, small, scratch / "small.index", 2)  # the workers of Python have started
    process.warm_page_cache(source)
    found: dict = {
        "process": [],
        "jobs": {parts: [] for parts in arguments.parts},
        "small": {parts: [] for parts in SMALL_PARTS},
    }
    for _ in range(arguments.rounds):
        found["process"].append(measure_process(program, source, scratch / "one.index"))
        for parts in arguments.parts:
            found["jobs"][parts].append(measure_job(launcher, program, source, scratch / "job.index", parts))
            if digest(scratch / "job.index") != digest(scratch / "one.index"):
                raise SystemExit(f"{parts} parts give another index than one process")
        for parts in SMALL_PARTS:
            timing = TimedLauncher(launcher)
            run_index_job([str(small)], str(scratch / "small.index"), timing, parts=parts, force=True, program=program)
            found["small"][parts].append(timing.steps[0]["seconds"])
    return found


def repeat_text(source: Path, target: Path, size: int) -> None:
    """JSON lines, again and again with new ids, until there are so many bytes."""
    with open(target, "wb") as out:
        copy = 0
        while out.tell() < size:
            with open(source, "rb") as lines:
                for line in lines:
                    out.write(line.replace(b'"id": "', b'"id": "%d-' % copy, 1).replace(b'"id":"', b'"id":"%d-' % copy, 1))
                    if out.tell() >= size:
                        break
            copy += 1


def in_application(cluster, arguments: argparse.Namespace, source: Path, scratch: Path) -> dict:
    words = [str(source), "--rounds", str(arguments.rounds), "--parts", ",".join(map(str, arguments.parts)), "--scratch",
             str(scratch), "--program", arguments.program, "--in-application"]  # fmt: skip
    command = cluster.submit_command(str(Path(__file__).resolve()), *words)
    done = subprocess.run(command, env=cluster.environment(), capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise SystemExit(done.stdout[-3000:] + done.stderr[-3000:])
    return json.loads(done.stdout.splitlines()[-1])


def fixed_rounds(cluster, workers: int, arguments: argparse.Namespace, scratch: Path) -> list[float]:
    """From the command to its end, of a job over one small file, which waits for all executors as any job does."""
    script, small, output = ROOT / "python/spillway/spark/__main__.py", scratch / "small.jsonl", scratch / "fixed.index"
    command = cluster.submit_command(
        str(script), "index", str(small), "-o", str(output), "--one-index", "--force", "--program", arguments.program,
        conf=(ADVISED, f"spark.cores.max={workers}"))  # fmt: skip
    times = []
    for _ in range(arguments.rounds):
        begin = time.monotonic()
        subprocess.run(command, env=cluster.environment(), capture_output=True, check=True)
        times.append(time.monotonic() - begin)
    return times


def with_one_worker(arguments: argparse.Namespace, scratch: Path) -> list[float]:
    """The same on a cluster of one worker: the driver and the executor start on a core each, as on machines of their own.
    With two workers, three programs start on two cores."""
    (scratch / "one").mkdir()
    cluster = Cluster(scratch / "one", hosts=("127.0.0.1",))
    try:
        return fixed_rounds(cluster, 1, arguments, scratch)
    finally:
        cluster.stop()


def tables(found: dict, input_bytes: int) -> str:
    alone = [run["seconds"] for run in found["process"]]
    rows = [["one process, two threads", f"{statistics.median(alone):.1f}", "", "", "1.00", "1.00"]]
    for parts, runs in found["jobs"].items():
        maps = [run["steps"][0]["seconds"] for run in runs]
        merges = [sum(step["seconds"] for step in run["steps"][1:]) for run in runs]
        whole = [run["seconds"] for run in runs]
        rows.append([f"{parts} parts", f"{statistics.median(whole):.1f}", f"{statistics.median(maps):.1f}",
                     f"{statistics.median(merges):.1f}",
                     f"{statistics.median(a / b for a, b in zip(alone, maps)):.2f}",
                     f"{statistics.median(a / b for a, b in zip(alone, whole)):.2f}"])  # fmt: skip
    few, many = SMALL_PARTS
    task = 2 * (statistics.median(found["small"][str(many)]) - statistics.median(found["small"][str(few)])) / (many - few)
    head = ["", "wall s", "map s", "merge s", "speed of the map", "speed of all"]
    return (f"{input_bytes:,} bytes of JSON lines; medians of {len(alone)} interleaved rounds, in an application that has "
            f"started; speeds as shares of the one process in the same round.\n\n{report.table(head, rows)}\n"
            f"An application and a job over one small file: {statistics.median(found['fixed_rounds']):.1f} s, on one worker "
            f"{found['fixed_seconds']:.1f} s. A task more: {task:.3f} s of a core.\n")  # fmt: skip


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("source", metavar="INPUT", type=Path)
    parser.add_argument("--size", type=lambda text: int(text[:-1]) * UNITS[text[-1]], default=4 * 10**9)
    parser.add_argument("--parts", type=lambda text: [int(one) for one in text.split(",")], default=[2, 8, 32])
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--program", default=str(spillway.PROGRAM))
    parser.add_argument("--scratch", type=Path, default=Path("."))
    parser.add_argument("--output", type=Path, default=report.default_directory(), help="directory of the report")
    parser.add_argument("--name", default="spark", help="name of the report's files")
    parser.add_argument("--in-application", action="store_true", help=argparse.SUPPRESS)
    return parser.parse_args()


def main() -> None:
    arguments = parse()
    if arguments.in_application:
        print(json.dumps(rounds_in_application(arguments)))
        return
    arguments.program = os.path.abspath(arguments.program)
    with tempfile.TemporaryDirectory(dir=arguments.scratch, prefix="spark-") as directory:
        scratch = Path(directory).resolve()
        source = scratch / "text.jsonl"
        repeat_text(arguments.source, source, arguments.size)
        (scratch / "logs").mkdir()
        cluster = Cluster(scratch / "logs")
        try:
            found = in_application(cluster, arguments, source, scratch)
            found["fixed_rounds"] = fixed_rounds(cluster, 2, arguments, scratch)
        finally:
            cluster.stop()
        found["fixed_rounds_of_one_worker"] = with_one_worker(arguments, scratch)
        found["fixed_seconds"] = statistics.median(found["fixed_rounds_of_one_worker"])
        found["input_bytes"] = source.stat().st_size
        facts = machine.describe(scratch)
    result = report.Report("Jobs in parts on Spark", facts)
    result.data |= found
    result.add("Two workers of one core", tables(found, found["input_bytes"]))
    result.write(arguments.output, arguments.name)


if __name__ == "__main__":
    main()
