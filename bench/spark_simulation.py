#!/usr/bin/env python3
"""Reckons how jobs of spillway.spark use larger clusters, from the times of tasks that bench/spark.py measured: prints the
efficiency (time of one core that does everything alone, without parts, / (cores * time of the job)) of shards, of one index by the
merges of today, and of one index whose last merge is cut into ranges of terms (docs/spark.md).

usage: bench/spark_simulation.py spark.json [--cores 8,16,64] [--sizes 64G,256G,1T] [--disk 2G] [--fixed SECONDS]

Model. A task that indexes b bytes takes a + c * b seconds, fitted to the measured tasks; a merge takes e + f * b for indexes of
b bytes. Tasks start in order as soon as a core is free. An index has the measured share of its text's bytes. --disk is what a
shared disk takes a second from all writers of one file: the pass that lays out a last merge in one order.
"""

import argparse
import dataclasses
import heapq
import json
import sys
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "python"))

from spillway.spark.driver import _groups as groups_of_merge  # noqa: E402
from spillway.spark.driver import count_of_parts  # noqa: E402

UNITS = {"M": 10**6, "G": 10**9, "T": 10**12}
RANGES_PER_CORE = 4


@dataclass(frozen=True)
class Line:
    """seconds = fixed + slope * bytes."""

    fixed: float
    slope: float

    def of(self, size: float) -> float:
        return self.fixed + self.slope * size


def fit(points: list[tuple[float, float]]) -> Line:
    """Least squares of the relative errors, so that small tasks count too; a fixed part below 0 is none."""
    weights = [1 / seconds**2 for _, seconds in points]
    total = sum(weights)
    mean_x = sum(w * x for w, (x, _) in zip(weights, points)) / total
    mean_y = sum(w * y for w, (_, y) in zip(weights, points)) / total
    spread = sum(w * (x - mean_x) ** 2 for w, (x, _) in zip(weights, points))
    slope = sum(w * (x - mean_x) * (y - mean_y) for w, (x, y) in zip(weights, points)) / spread if spread else mean_y / mean_x
    fixed = mean_y - slope * mean_x
    return Line(fixed, slope) if fixed >= 0 else Line(0, mean_y / mean_x)


def makespan(tasks: list[float], cores: int) -> float:
    free = [0.0] * cores
    for seconds in tasks:
        heapq.heappush(free, heapq.heappop(free) + seconds)
    return max(free)


@dataclass(frozen=True)
class Measured:
    index: Line
    merge: Line
    alone: float  # seconds of one core for a byte, in one process
    index_share: float  # bytes of an index for a byte of text
    fixed: float  # of an application


def read(path: Path) -> Measured:
    found = json.loads(path.read_text())
    size = found["input_bytes"]
    index_bytes = found["process"][0]["index_bytes"]
    indexing, merging = [], []
    for parts, runs in found["jobs"].items():
        for run in runs:
            indexing += [(size / int(parts), seconds) for seconds in run["steps"][0]["tasks"]]
            for step in run["steps"][1:]:
                merging += [(index_bytes / len(step["tasks"]), seconds) for seconds in step["tasks"]]
    alone = sorted(run["seconds"] for run in found["process"])[len(found["process"]) // 2]
    return Measured(fit(indexing), fit(merging), 2 * alone / size, index_bytes / size, found["fixed_seconds"])


def tree(measured: Measured, index_bytes: float, parts: int, cores: int) -> tuple[float, int]:
    """Seconds of all levels but the last, and how many indexes are left for that one."""
    seconds, indexes = 0.0, parts
    while len(groups := groups_of_merge([None] * indexes)) > 1:  # type: ignore[list-item]
        seconds += makespan([measured.merge.of(index_bytes * len(group) / indexes) for group in groups], cores)
        indexes = len(groups)
    return seconds, indexes


def simulate(measured: Measured, size: float, cores: int, disk: float) -> dict[str, float]:
    parts = count_of_parts(int(size), cores, 1)
    index_bytes = size * measured.index_share
    alone = measured.alone * size
    shards = measured.fixed + makespan([measured.index.of(size / parts)] * parts, cores)
    before, left = tree(measured, index_bytes, parts, cores)
    last = measured.merge.of(index_bytes) if left > 1 else 0.0
    ranges = RANGES_PER_CORE * cores
    # Each range reads its terms of all indexes at once: no tree. Then one writer lays out what depends on the order.
    by_ranges = makespan([measured.merge.of(index_bytes / ranges)] * ranges, cores) + index_bytes / disk
    totals = {"shards": shards, "one index": shards + before + last, "one index, by ranges": shards + by_ranges}
    return {name: alone / (cores * seconds) for name, seconds in totals.items()}


def numbers(text: str) -> list[float]:
    return [float(one[:-1]) * UNITS[one[-1]] if one[-1] in UNITS else float(one) for one in text.split(",")]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("measured", type=Path)
    parser.add_argument("--cores", type=numbers, default=[8, 16, 64])
    parser.add_argument("--sizes", type=numbers, default=numbers("64G,256G,1T"))
    parser.add_argument("--fixed", type=float, help="seconds of an application, instead of the measured ones")
    parser.add_argument("--disk", type=lambda text: numbers(text)[0], default=2e9)
    arguments = parser.parse_args()
    measured = read(arguments.measured)
    if arguments.fixed is not None:
        measured = dataclasses.replace(measured, fixed=arguments.fixed)
    print(f"index: {measured.index.fixed:.2f} s + {1e9 * measured.index.slope:.2f} s/GB of a core; merge: {measured.merge.fixed:.2f} s "
          f"+ {1e9 * measured.merge.slope:.1f} s/GB of indexes; alone: {1e9 * measured.alone:.2f} s/GB; an index is "
          f"{measured.index_share:.1%} of its text; fixed: {measured.fixed:.0f} s\n")  # fmt: skip
    print("| cores | text | shards | one index | one index, by ranges |\n| ---: | ---: | ---: | ---: | ---: |")
    for cores in map(int, arguments.cores):
        for size in arguments.sizes:
            shares = simulate(measured, size, cores, arguments.disk)
            print(f"| {cores} | {size / 1e9:,.0f} GB | " + " | ".join(f"{share:.2f}" for share in shares.values()) + " |")


if __name__ == "__main__":
    main()
