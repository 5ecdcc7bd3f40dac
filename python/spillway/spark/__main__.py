"""The command: `spark-submit .../spillway/spark/__main__.py index INPUT... -o OUT`, or `python -m spillway.spark`."""

import argparse
import os
import signal
import sys

if __package__ in (None, ""):  # run as a file, as spark-submit does
    sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))
    __package__ = "spillway.spark"

from spillway.spark.driver import run_index_job
from spillway.spark.errors import JobError, ProgramError
from spillway.spark.launchers import LateLauncher, LocalLauncher, RayLauncher, SparkLauncher
from spillway.spark.unpacked import prefer_unpacked

_UNITS = {"K": 1 << 10, "M": 1 << 20, "G": 1 << 30, "T": 1 << 40}


def _size(text: str) -> int:
    unit = _UNITS.get(text[-1:].upper())
    return int(text[:-1]) * unit if unit else int(text)


def _arguments(words: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="spillway.spark",
        description="Index files that all machines see, in parts that run side by side.",
        epilog="Options of `spillway index` that decide what the index holds, or how inputs are read, follow after --: "
        "python -m spillway.spark index docs/ -o docs.shards -- --positions --stem english",
    )
    parser.add_argument("command", choices=["index"])
    parser.add_argument("inputs", nargs="+", metavar="INPUT", help="a file, a directory with files, or a URL of a store")
    parser.add_argument("-o", "--output", required=True, metavar="DIR", help="the shards, or the index, to make; or a URL")
    parser.add_argument("--one-index", action="store_true", help="merge the parts to the index of one process")
    parser.add_argument("--parts", type=int, default=0, metavar="N", help="default: by size, at least one for each slot")
    parser.add_argument("--force", action="store_true", help="replace an existing output")
    parser.add_argument(
        "--stage", metavar="DIR", help="work directory, on the output's disk (default: OUTPUT.stage; needed for a URL)"
    )
    parser.add_argument("--launcher", choices=["spark", "ray", "local"], default="spark")
    parser.add_argument("--program", default="spillway", metavar="FILE", help="the program, the same on every machine")
    parser.add_argument("--memory", type=_size, default=0, metavar="SIZE", help="of one task, such as 2G")
    parser.add_argument("--threads", type=int, default=1, metavar="N", help="of one task; on Spark spark.task.cpus decides")
    parser.add_argument("--max-error-rate", type=float, default=0.01, metavar="RATE", help="over all parts (default 0.01)")
    parser.add_argument("--skipped", metavar="FILE", help="write each record that is not indexed as a line of JSON")
    own, _, engine = _cut(words)
    parsed = parser.parse_args(own)
    parsed.options = engine
    if parsed.parts < 0 or parsed.threads < 1:
        parser.error("--parts and --threads are positive")
    return parsed


def _cut(words: list[str]) -> tuple[list[str], str, list[str]]:
    at = words.index("--") if "--" in words else len(words)
    return words[:at], "--", words[at + 1 :]


def _launcher(arguments: argparse.Namespace):
    if arguments.launcher == "local":
        return LocalLauncher(threads=arguments.threads, memory=arguments.memory)
    if arguments.launcher == "ray":
        return LateLauncher(lambda: RayLauncher(threads=arguments.threads, memory=arguments.memory))
    return LateLauncher(lambda: SparkLauncher(_spark_context(), arguments.memory))


def _spark_context():
    prefer_unpacked()
    try:
        from pyspark import SparkConf, SparkContext
    except ImportError:
        raise JobError("there is no pyspark; install it, or give --launcher local") from None
    SparkContext._ensure_initialized()  # or SparkConf would not know what spark-submit was told
    conf = SparkConf()
    if not any(conf.contains(f"spark.executor.{name}JavaOptions") for name in ("extra", "default")):
        # Executors only start tasks: with the quick compiler alone they are there 1.5 s earlier (docs/spark.md).
        conf.set("spark.executor.extraJavaOptions", "-XX:TieredStopAtLevel=1")
    if not conf.get("spark.submit.pyFiles", ""):  # those are on the path of workers, but not on that of their daemon
        conf.setIfMissing("spark.python.daemon.module", "spillway.spark.daemon")
    return SparkContext.getOrCreate(conf)


def main(words: list[str]) -> int:
    """Returns the exit code: 0, or that of the program that failed, or 2."""
    arguments = _arguments(words)
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, lambda number, _: sys.exit(128 + number))
    try:
        report = run_index_job(
            arguments.inputs,
            arguments.output,
            _launcher(arguments),
            options=arguments.options,
            parts=arguments.parts,
            one_index=arguments.one_index,
            force=arguments.force,
            stage=arguments.stage,
            program=arguments.program,
            max_error_rate=arguments.max_error_rate,
            skipped=arguments.skipped,
        )
    except ProgramError as error:
        print(f"spillway.spark: {error}", file=sys.stderr)
        return error.exit_code if error.exit_code > 0 else 2
    except (JobError, OSError) as error:
        print(f"spillway.spark: {error}", file=sys.stderr)
        return 2
    skipped = ", ".join(f"{count} {reason}" for reason, count in sorted(report.skipped.items())) or "none"
    print(f"{report.documents} documents of {report.records_in} records in {report.parts} parts "
          f"({report.earlier_parts} done before); skipped: {skipped}; {report.output}")  # fmt: skip
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
