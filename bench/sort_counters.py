#!/usr/bin/env python3
"""Counts memory transactions, bank conflicts and divergent branches of the GPU's record sorters, and what the K-model
predicts: table 1 and figure 6 of Capannini, Silvestri and Baraglia (2012).

usage: bench/sort_counters.py [--program PROGRAM] [--powers 20,22,24,26] [--sorters NAMES] [--output DIR]

Runs `spillway bench sort records` (uniform keys of 64 bits, checked by the program) under NVIDIA's profiler `ncu`, whose
counters need permission on some machines; the script then ends with its message. Writes DIR/sort_counters.json: the
commit that the program reports of itself, and for each sorter and size the sums over all kernels of one sort. Needs
Python 3.11, ncu, a built program and a GPU.

Transactions are sectors of 32 bytes between the multiprocessors and the L2 cache. The K-model counts transactions of k
elements (section 6.1 of the paper):
  bitonic    2 (n / k) (1 + sum over s in (log sigma, log n] of (ceil((s - log sigma) / log(sigma / k)) + 1))
  quicksort  log n (n / k + 2 + 4 n / k^2 + n / k + n)
with sigma = 2^13 keys of a tile and rows of k = 32 keys of 64 bits here; they are converted to sectors of 4 keys, and the
single keys that kernel 3 of the quicksort writes are a sector each.
"""
import argparse
import csv
import io
import json
import math
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from measure import machine

LOADS = "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum"
STORES = "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum"
CONFLICTS = "l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum"
DIVERGENT = "smsp__sass_branch_targets_threads_divergent.sum"
TIME = "gpu__time_duration.sum"
METRICS = [LOADS, STORES, CONFLICTS, DIVERGENT, TIME]
SORTERS = ["gpu-bitonic", "gpu-quick", "gpu-radix:satish", "gpu-radix"]
SECTOR_KEYS = 4
LOG_TILE, ROW_KEYS = 13, 32


def bitonic_partitions(log_n: int) -> int:
    """Returns how often the K-model's bitonic sort of 2^log_n keys reads and writes all keys."""
    log_row = int(math.log2(ROW_KEYS))
    return 1 + sum(-(-(s - LOG_TILE) // (LOG_TILE - log_row)) + 1 for s in range(LOG_TILE + 1, log_n + 1))


def predicted_sectors(sorter: str, log_n: int) -> int | None:
    """Returns the K-model's transactions in sectors; None for sorters that the paper's figure 6 does not have."""
    n = 1 << log_n
    if sorter == "gpu-bitonic":
        return 2 * n // SECTOR_KEYS * bitonic_partitions(log_n)
    if sorter == "gpu-quick":
        counters = 2 + 4 * n // ROW_KEYS**2
        return log_n * (2 * n // SECTOR_KEYS + counters + n)
    return None


def number(text: str) -> float:
    return float(text.replace(",", ""))


def sums(raw: str) -> dict[str, float]:
    """Sums the metrics over the kernels of ncu's page `raw` in CSV; the first row after the head holds units."""
    lines = [line for line in raw.splitlines() if line.startswith('"')]
    rows = list(csv.DictReader(io.StringIO("\n".join(lines))))
    if len(rows) < 2:
        raise ValueError(raw[-2000:])
    total = {metric: sum(number(row[metric]) for row in rows[1:]) for metric in METRICS}
    total["kernels"] = len(rows) - 1
    if rows[0][TIME] not in ("ns", "nsecond"):
        raise ValueError(f"expected nanoseconds, found {rows[0][TIME]!r}")
    return total


def profiled(program: Path, sorter: str, log_n: int, own_report: Path) -> dict[str, float]:
    """Returns the counters of one sort, which `--profile` marks. The program writes its report to `own_report`."""
    command = ["ncu", "--profile-from-start", "off", "--clock-control", "none", "--csv", "--page", "raw",
               "--print-units", "base", "--metrics", ",".join(METRICS), program, "bench", "sort", "records",
               "--sorter", sorter, "--count", f"2^{log_n}", "--bits", "64", "--skip-transfers", "--profile",
               "--json", own_report, "--force"]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0 or "ERR_NVGPUCTRPERM" in done.stdout + done.stderr:
        sys.exit(f"sort_counters.py: ncu could not read counters: {(done.stdout + done.stderr).strip()[-600:]}")
    return sums(done.stdout)


def case(sorter: str, log_n: int, counted: dict[str, float]) -> dict:
    return {"sorter": sorter, "count": 1 << log_n, "kernels": counted["kernels"],
            "sectors": counted[LOADS] + counted[STORES], "predicted_sectors": predicted_sectors(sorter, log_n),
            "bank_conflicts": counted[CONFLICTS], "divergent_branches": counted[DIVERGENT],
            "kernel_seconds": counted[TIME] / 1e9}


def described(own_report: Path) -> dict:
    """Returns the build and the machine as the program reports them, and the command of this script."""
    head = json.loads(own_report.read_text())
    kept = ("program", "version", "commit", "compiler", "flags", "date", "machine")
    return {name: head[name] for name in kept} | {"command": machine.shown_command()}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", type=Path,
                        default=Path(os.environ.get("SPILLWAY_PROGRAM", "build/release/bin/spillway")))
    parser.add_argument("--powers", default="20,22,24,26", help="logarithms of the numbers of keys")
    parser.add_argument("--sorters", default=",".join(SORTERS))
    parser.add_argument("--output", type=Path, default=Path("build/bench"))
    arguments = parser.parse_args()
    if shutil.which("ncu") is None:
        sys.exit("sort_counters.py: ncu (NVIDIA Nsight Compute) is not on the PATH")
    arguments.output.mkdir(parents=True, exist_ok=True)
    cases: list[dict] = []
    with tempfile.TemporaryDirectory() as directory:
        own_report = Path(directory) / "sort.json"
        for power in arguments.powers.split(","):
            for sorter in arguments.sorters.split(","):
                cases.append(case(sorter, int(power), profiled(arguments.program, sorter, int(power), own_report)))
                last = cases[-1]
                print(f"{sorter:18} 2^{power}  {last['sectors']:14,.0f} sectors  {last['bank_conflicts']:12,.0f} "
                      f"conflicts  {last['divergent_branches']:12,.0f} divergent", flush=True)
                # After each case: a run under the profiler may end before its last one.
                (arguments.output / "sort_counters.json").write_text(
                    json.dumps(described(own_report) | {"cases": cases}, indent=1) + "\n")


if __name__ == "__main__":
    main()
