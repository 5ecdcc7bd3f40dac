#!/usr/bin/env python3
"""Compares `--mode auto`, `cpu+` and `gpu+` of `spillway index` on a machine with a GPU.

usage: bench/gpu.py TEXTS [--groups size,positions,threads,memory] [--output DIR] [--program PROGRAM] [--scratch DIR]

TEXTS holds NAME.jsonl, packed (.xz, .zst, .gz) or not. Each set is repeated with new ids up to the sizes of --sizes;
`generated` is text that `spillway corpus generate text` makes. Needs Python 3.11 and a built program, no network (for .zst
also zstd).

For each configuration all modes first run once, which warms them up. Their indexes must be equal byte for byte (the
manifests, which hold a hash of every file), and `spillway verify` checks one of them. Then the modes run in interleaved
rounds, and every index must equal the first. Wall time is that of the whole process, start of the GPU included. Each
round is a line of OUTPUT/gpu_modes.jsonl; the first line describes the machine, the build and the command.

Groups: `size` (all sizes, all threads), `positions` (the same with --positions), `threads` (1, 2, 4 ... at the third
largest size; with --threads those, at all sizes), `memory` (--memory 2G and 512M at the third largest size, with and
without positions); and `sorters`, which is not among the default groups and runs `spillway bench sort`
(sorters_*.json). A run may take some of the groups, with another --name each; bench/table.py reads all files
gpu_modes*.jsonl of a directory. Where the checkout has no history, $SPILLWAY_COMMIT names the commit. Example:

    SPILLWAY_COMMIT=$COMMIT bench/gpu.py texts --program build/h200/bin/spillway --groups size --output $OUT
"""
import argparse
import dataclasses
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from data.repeat_jsonl import parse_size
from measure import machine, report, spillway
from measure.index_runs import manifest
from measure.process import Cost, answer, remove, run_measured

GROUPS = ["size", "positions", "threads", "memory"]
SORTERS = {  # name of the report: words of `spillway bench sort`
    "sorters_records": ["records", "--count", "2^16,2^20,2^24,2^28", "--bits", "16,32,64", "--baselines",
                        "--skip-transfers", "--require-gpu"],
    "sorters_distributions": ["records", "--distribution", "all", "--count", "2^24", "--skip-transfers"],
    "sorters_strings": ["strings", "--set", "all", "--sorter", "gpu-string-radix,gpu-string-merge,gpu-string-thrust",
                        "--baselines"],
}
PACKED = (".jsonl", ".jsonl.xz", ".jsonl.zst", ".jsonl.gz")
# A configuration whose round would take longer gets fewer rounds, at least two; the file has the number.
MOST_SECONDS = 60.0
REPEAT = Path(__file__).parent / "data" / "repeat_jsonl.py"


@dataclasses.dataclass(frozen=True)
class Setting:
    """One configuration: a text of a size, and options that all modes get."""
    group: str
    text: str
    size: int
    options: tuple[str, ...]

    def name(self) -> str:
        return " ".join([self.text, size_text(self.size), *self.options])


def size_text(size: int) -> str:
    return f"{size / 1e9:g}G" if size >= 10**9 else f"{size / 1e6:g}M"


def thread_counts() -> list[int]:
    """Powers of two up to the number of usable processors."""
    count = len(os.sched_getaffinity(0))
    return [1 << i for i in range(count.bit_length()) if 1 << i <= count]


def settings(arguments: argparse.Namespace, texts: list[str]) -> list[Setting]:
    """Returns the configurations in an order in which each input is made only once."""
    sizes = sorted(arguments.sizes)
    middle = sizes[max(0, len(sizes) - 3)]
    found = []
    for text in texts:
        for size in sizes:
            if "size" in arguments.groups:
                found.append(Setting("size", text, size, ()))
            if "positions" in arguments.groups:
                found.append(Setting("positions", text, size, ("--positions",)))
            if "threads" in arguments.groups and arguments.threads:
                found += [Setting("threads", text, size, ("--threads", count)) for count in arguments.threads]
            if size != middle:
                continue
            if "threads" in arguments.groups and not arguments.threads:
                found += [Setting("threads", text, size, ("--threads", str(count))) for count in thread_counts()[:-1]]
            if "memory" in arguments.groups:
                found += [Setting("memory", text, size, ("--memory", memory, *more))
                          for memory in ("2G", "512M") for more in ((), ("--positions",))]
    return found


class Bench:
    def __init__(self, arguments: argparse.Namespace, scratch: Path):
        self.arguments = arguments
        self.program: Path = arguments.program
        self.index, self.report, self.input = scratch / "index", scratch / "report.json", scratch / "input.jsonl"
        self.sources = {path.name.split(".")[0]: path for path in sorted(arguments.texts.iterdir())
                        if path.name.endswith(PACKED)}
        self.made: tuple[str, int] | None = None
        arguments.output.mkdir(parents=True, exist_ok=True)
        self.out = open(arguments.output / f"{arguments.name}.jsonl", "w", encoding="utf-8")

    def write(self, line: dict) -> None:
        self.out.write(json.dumps(line) + "\n")
        self.out.flush()

    def make_input(self, text: str, size: int) -> None:
        """Leaves the input in the page cache, since it was just written."""
        if self.made == (text, size):
            return
        remove(self.input)
        if text == "generated":
            answer([str(self.program), "corpus", "generate", "text", "--bytes", str(size), "-o", str(self.input)])
        else:
            # As a program: Linux counts the memory of the process that starts another to the peak of the other.
            answer([sys.executable, str(REPEAT), str(self.sources[text]), str(self.input), "--bytes", str(size)])
        self.made = (text, size)

    def command(self, setting: Setting, mode: str) -> list[str]:
        options = ["--mode", mode, *setting.options, "--json", str(self.report), "--force"]
        if mode == "gpu+" and self.arguments.require_gpu:
            options.append("--require-gpu")
        return spillway.index_command(self.program, self.input, self.index, options)

    def run(self, setting: Setting, mode: str, round_number: int) -> tuple[Cost, dict]:
        """Round 0 is the warm-up round."""
        cost = run_measured(self.command(setting, mode), self.index)
        own = json.loads(self.report.read_text())
        self.write({"group": setting.group, "text": setting.text, "bytes": own["input_bytes"],
                    "size": setting.size, "options": list(setting.options), "mode": mode, "round": round_number,
                    **dataclasses.asdict(cost), "program_seconds": own["seconds"], "mode_taken": own["mode"],
                    "blocks_on_gpu": own["blocks_on_gpu"], "blocks_on_cpu_instead": own["blocks_on_cpu_instead"],
                    "gpu_failure": own["gpu_failure"], "runs": own["runs"], "runs_spilled": own["runs_spilled"],
                    "threads": own["threads"], "memory_bytes": own["memory_bytes"],
                    "index_bytes": own["index_bytes"], "postings": own["postings"],
                    "stages": {stage["name"]: round(stage["wall_seconds"], 4) for stage in own["stages"]},
                    "plan": own["plan"] if round_number == 0 else None})
        return cost, own

    def measure(self, setting: Setting) -> None:
        self.make_input(setting.text, setting.size)
        modes = self.arguments.modes
        expected, warm_seconds, taken = None, 0.0, {}
        for mode in modes:
            cost, own = self.run(setting, mode, 0)
            warm_seconds += cost.wall_seconds
            taken[mode] = own["mode"]
            if expected is None:
                expected = manifest(self.index)
                answer([str(self.program), "verify", str(self.index)])
            elif manifest(self.index) != expected:
                raise SystemExit(f"gpu.py: {setting.name()}: the index of {mode} differs from that of {modes[0]}")
        rounds = max(2, min(self.arguments.rounds, int(MOST_SECONDS / warm_seconds)))
        costs: dict[str, list[Cost]] = {mode: [] for mode in modes}
        for number in range(1, rounds + 1):
            # The order alternates, so that no mode always runs after the same other one.
            for mode in modes if number % 2 else reversed(modes):
                costs[mode].append(self.run(setting, mode, number)[0])
                if manifest(self.index) != expected:
                    raise SystemExit(f"gpu.py: {setting.name()}: {mode} made another index in round {number}")
        self.print_line(setting, costs, taken)

    def measure_sorters(self) -> None:
        for name, words in SORTERS.items():
            path = self.arguments.output / f"{name}.json"
            answer([str(self.program), "bench", "sort", *words, "--json", str(path), "--force"])
            print(f"{name}: written", flush=True)

    def print_line(self, setting: Setting, costs: dict[str, list[Cost]], taken: dict[str, str]) -> None:
        walls = {mode: statistics.median(cost.wall_seconds for cost in of) for mode, of in costs.items()}
        peaks = {mode: max(cost.peak_bytes for cost in of) for mode, of in costs.items()}
        words = [f"{mode} {walls[mode]:.3f} s {peaks[mode] / 2**20:.0f} MiB" for mode in walls]
        if "auto" in walls and len(walls) > 1:
            better = min(wall for mode, wall in walls.items() if mode != "auto")
            words.append(f"auto takes {taken['auto']}: {walls['auto'] / better:.2f} of the better")
        print(f"{setting.name()}: " + ", ".join(words), flush=True)


def gpu_name() -> str:
    try:
        return subprocess.run(["nvidia-smi", "--query-gpu=name,driver_version", "--format=csv,noheader"],
                              capture_output=True, text=True, check=True).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        return "none"


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    words = lambda text: text.split(",")
    parser.add_argument("texts", metavar="TEXTS", type=Path)
    parser.add_argument("--program", type=Path, default=spillway.PROGRAM)
    parser.add_argument("--scratch", type=Path, help="where inputs and indexes are made (default: the system's)")
    parser.add_argument("--output", type=Path, default=report.default_directory(), help="directory of the rounds")
    parser.add_argument("--name", default="gpu_modes", help="name of the file with the rounds")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--groups", type=words, default=GROUPS, help=f"default {','.join(GROUPS)}")
    parser.add_argument("--modes", type=words, default=["auto", "cpu+", "gpu+"], help="default auto,cpu+,gpu+")
    parser.add_argument("--only", type=words, help="only these texts (default: all of TEXTS, and generated)")
    parser.add_argument("--sizes", type=lambda text: [*map(parse_size, text.split(","))],
                        default=[*map(parse_size, ["1M", "10M", "100M", "300M", "1G", "3G"])],
                        help="of the inputs, decimal (default 1M,10M,100M,300M,1G,3G)")
    parser.add_argument("--threads", type=words, help="thread counts of the group `threads`, such as 4,1")
    parser.add_argument("--minutes", type=float, help="start no further configuration after this time")
    parser.add_argument("--allow-cpu", dest="require_gpu", action="store_false",
                        help="let gpu+ run where there is no GPU, to try this script")
    arguments = parser.parse_args()
    if unknown := set(arguments.groups) - {*GROUPS, "sorters"}:
        parser.error(f"no such group: {', '.join(sorted(unknown))}")
    return arguments


def main() -> None:
    arguments = parse_arguments()
    begin = time.monotonic()
    with tempfile.TemporaryDirectory(dir=arguments.scratch, prefix="gpu-") as directory:
        bench = Bench(arguments, Path(directory))
        texts = arguments.only or [*bench.sources, "generated"]
        if unknown := set(texts) - {*bench.sources, "generated"}:
            raise SystemExit(f"gpu.py: no such text: {', '.join(sorted(unknown))}")
        version = answer([str(arguments.program), "--version"]).strip()
        bench.write({"machine": machine.describe(Path(directory)) | {"gpu": gpu_name(), "program": version}})
        for setting in settings(arguments, texts):
            if arguments.minutes and time.monotonic() - begin > 60 * arguments.minutes:
                print(f"gpu.py: out of time before {setting.name()}", file=sys.stderr)
                break
            bench.measure(setting)
        if "sorters" in arguments.groups:
            bench.measure_sorters()
    bench.out.close()


if __name__ == "__main__":
    main()
