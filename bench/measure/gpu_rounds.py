"""The rounds that bench/gpu.py leaves (gpu_modes*.jsonl), as configurations with medians, and the page gpu.md made of them."""
import dataclasses
import json
import statistics
from pathlib import Path

from measure import report

MODES = ["cpu+", "gpu+", "auto"]


@dataclasses.dataclass
class Configuration:
    group: str
    text: str
    size: int
    options: str
    rounds: dict[str, list[dict]]  # by mode

    def wall(self, mode: str) -> float:
        return statistics.median(line["wall_seconds"] for line in self.rounds[mode])

    def spread(self, mode: str) -> float:
        walls = [line["wall_seconds"] for line in self.rounds[mode]]
        return (max(walls) - min(walls)) / statistics.median(walls)

    def peak(self, mode: str) -> int:
        return max(line["peak_bytes"] for line in self.rounds[mode])

    def auto_ratio(self) -> float:
        """The time of `auto` by that of the faster mode."""
        return self.wall("auto") / min(self.wall(mode) for mode in self.rounds if mode != "auto")

    def taken(self) -> str:
        return self.rounds["auto"][0]["mode_taken"]

    def is_complete(self) -> bool:
        return all(mode in self.rounds for mode in MODES)


def load(results: Path) -> tuple[dict, list[Configuration]]:
    """The machine, and the configurations of all files that have a round of every mode."""
    machines, found = [], {}
    for path in sorted(results.glob("gpu_modes*.jsonl")):
        for line in map(json.loads, path.read_text().splitlines()):
            if "machine" in line:
                machines.append(line["machine"])
            elif line["round"] > 0:
                key = line["group"], line["text"], line["size"], " ".join(line["options"])
                found.setdefault(key, Configuration(*key, {})).rounds.setdefault(line["mode"], []).append(line)
    if len({(machine["commit"], machine["gpu"]) for machine in machines}) > 1:
        raise SystemExit(f"{results}: the files gpu_modes*.jsonl are of different commits or GPUs")
    return machines[0], [one for one in found.values() if one.is_complete()]


def page(results: Path) -> str:
    facts, configurations = load(results)
    rows = []
    for one in configurations:
        rows.append([one.text, f"{one.size / 1e6:,.0f}", one.options and f"`{one.options}`",
                     *(f"{one.wall(mode):.3f} ({one.spread(mode):.0%})" for mode in MODES),
                     f"`{one.taken()}`", f"{one.auto_ratio():.2f}",
                     *(f"{one.peak(mode) / 2**20:,.0f}" for mode in ("cpu+", "gpu+"))])
    head = ["text", "MB", "options", "`cpu+` s", "`gpu+` s", "`auto` s", "`auto` takes", "by the faster",
            "`cpu+` MiB", "`gpu+` MiB"]
    worst = max(configurations, key=Configuration.auto_ratio)
    return ("# Modes on a machine with a GPU\n\n" + "".join(f"- {key}: {value}\n" for key, value in facts.items()) +
            "\nEvery round is in the files `gpu_modes*.jsonl` beside this page. Seconds are medians of interleaved rounds, the "
            "spread (slowest - fastest) / median in parentheses, of the whole process: start of the GPU, reading, "
            "indexing, and a sync of the index. All modes made the same index, byte for byte. MiB is peak resident memory. "
            f"`auto` is at worst {worst.auto_ratio():.2f} times as slow as the faster mode ({worst.text}, "
            f"{worst.size / 1e6:,.0f} MB{', ' if worst.options else ''}{worst.options}).\n\n" + report.table(head, rows, 3))
