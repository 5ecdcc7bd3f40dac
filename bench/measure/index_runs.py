"""Measured runs of `spillway index`. The warm-up run is checked with `spillway verify`; the time of a later run counts only
if it makes the same index."""
import argparse
import dataclasses
import functools
import json
import shlex
from collections.abc import Callable
from pathlib import Path

from measure import report, spillway
from measure.process import Cost, FailedRun, answer, remove, run_measured, warm_page_cache
from measure.series import Series, interleave


@dataclasses.dataclass
class IndexRuns:
    series: Series
    report: dict  # the program's --json report of the warm-up run

    @property
    def wall_seconds(self) -> float:
        return self.series.median("wall_seconds")

    @property
    def input_bytes(self) -> int:
        return self.report["input_bytes"]

    def as_json(self) -> dict:
        said_elsewhere = {"inputs", "output"}  # paths of this machine
        return self.series.as_json() | {"report": {k: v for k, v in self.report.items() if k not in said_elsewhere}}


def manifest(index: Path) -> bytes:
    """The manifest holds a hash of every file of the index."""
    return (index / "manifest").read_bytes()


def run_again(command: list[str], index: Path, expected: bytes) -> Cost:
    """Raises FailedRun also if the manifest of the new index differs from `expected`."""
    cost = run_measured(command, index)
    if manifest(index) != expected:
        raise FailedRun(f"{' '.join(command)}\nmade a different index than before")
    return cost


def measure(program: Path, jobs: dict[str, tuple[Path, list[str]]], scratch: Path, rounds: int) -> dict[str, IndexRuns]:
    """`jobs` maps names to input and options of `spillway index`. Runs a warm-up round, then interleaved rounds."""
    index, report_file = scratch / "measured.index", scratch / "report.json"
    reports: dict[str, dict] = {}
    contestants: dict[str, Callable[[], Cost]] = {}
    for name, (source, options) in jobs.items():
        warm_page_cache(source)
        command = spillway.index_command(program, source, index, options)
        run_measured([*command, "--json", str(report_file), "--force"], index)
        answer([str(program), "verify", str(index)])
        reports[name] = json.loads(report_file.read_text())
        contestants[name] = functools.partial(run_again, command, index, manifest(index))
    series = interleave(contestants, rounds)
    remove(index)
    return {name: IndexRuns(series[name], reports[name]) for name in jobs}


def add_arguments(parser: argparse.ArgumentParser, name: str) -> None:
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--program", type=Path, default=spillway.PROGRAM)
    parser.add_argument("--options", type=shlex.split, default=[], metavar="'WORDS'",
                        help="more options of spillway index: --options='--memory 1G --positions'")
    parser.add_argument("--scratch", type=Path, default=Path("."), help="where indexes are made (default: here)")
    parser.add_argument("--output", type=Path, default=report.default_directory(), help="directory of the report")
    parser.add_argument("--name", default=name, help="name of the report's files")
