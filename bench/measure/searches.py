"""Queries drawn from a collection, `spillway search` over them, and latencies of queries over rounds."""
import json
import random
import re
import statistics
import subprocess
from pathlib import Path

WORD = re.compile(r"[A-Za-z0-9]+")
PERCENTILES = {"p50": 50, "p95": 95, "p99": 99}


def _texts(line: str, is_json: bool) -> str:
    return " ".join(text for text in json.loads(line).values() if isinstance(text, str)) if is_json else line


def draw_queries(path: Path, count: int, seed: int) -> list[str]:
    """Queries of 2 to 5 words. Each word is drawn from a random line, so frequent words are drawn more often.

    A line of a `.jsonl` file is an object, whose strings have the words."""
    draw = random.Random(seed)
    size, is_json = path.stat().st_size, path.suffix == ".jsonl"

    def word(file) -> str:
        while True:
            file.seek(draw.randrange(size))
            file.readline()  # the rest of a line
            line = file.readline().decode("utf-8", "replace")
            found = WORD.findall(_texts(line, is_json)) if line else []
            if found:
                return draw.choice(found)

    with open(path, "rb") as file:
        return [" ".join(word(file) for _ in range(draw.randint(2, 5))) for _ in range(count)]


class Spillway:
    """`spillway search` with one thread over an index. The queries and statistics are written beside the index."""

    def __init__(self, program: Path, index: Path, queries: list[str], k: int):
        self.program, self.index, self.k = str(program), index, str(k)
        self.answers: bytes | None = None
        self.queries, self.stats = index.parent / "queries.tsv", index.parent / "stats.json"
        self.queries.write_text("".join(f"{number}\t{text}\n" for number, text in enumerate(queries, 1)))

    def run(self, *extra: str) -> dict:
        """The program's statistics: milliseconds of each query, and its work. Every run must give the same answers."""
        done = subprocess.run([self.program, "search", str(self.index), "--queries", str(self.queries), "-k", self.k,
                               "--threads", "1", "--format", "trec", "--stats-json", str(self.stats), "--force", *extra],
                              check=True, stdout=subprocess.PIPE)
        if self.answers not in (None, done.stdout):
            raise SystemExit("spillway search: two runs gave different answers: " + " ".join(extra))
        self.answers = done.stdout
        return json.loads(self.stats.read_text())


def percentile(values: list[float], percent: int) -> float:
    """The smallest value that is at least as large as `percent` % of all."""
    return sorted(values)[(len(values) * percent + 99) // 100 - 1]


def summary(latencies: list[float]) -> dict[str, float]:
    return {name: percentile(latencies, percent) for name, percent in PERCENTILES.items()} | {
        "mean": statistics.mean(latencies), "max": max(latencies)}


def medians(rounds: list[dict], program: str) -> list[float]:
    """The median over the rounds for each query."""
    return [statistics.median(values) for values in zip(*(one[program] for one in rounds))]
