#!/usr/bin/env python3
"""Retrieval quality of an index, or of a run file, against relevance judgements.

usage: bench/evaluate.py INDEX TOPICS QRELS [--k1 NUMBER] [--b NUMBER] [-k 1000]
       bench/evaluate.py --run RUN QRELS

TOPICS has lines id<TAB>text. QRELS has lines "topic iteration document grade"; a grade above 0 is relevant. RUN has lines
"topic Q0 document rank score name", as `spillway search --format trec` writes them; they are ordered here by score, and
equal scores by document, descending, as trec_eval does.

Means are over all topics that have a relevant document, including those without an answer. MAP: mean of the average
precision over all answers. nDCG@10: gains are the grades. P@10, P@30: share of relevant documents among the first.
R@100, R@1000: share of the relevant documents found.
"""
import argparse
import collections
import math
import subprocess
import sys
import tempfile
from pathlib import Path

from measure import spillway

Judgements = dict[str, dict[str, int]]  # topic -> document -> grade
Run = dict[str, list[str]]  # topic -> documents, best first
MEASURES = ["MAP", "nDCG10", "P10", "P30", "R100", "R1000"]


def lines_of(path: Path, columns: int) -> list[list[str]]:
    rows = []
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        row = line.split()
        if not row:
            continue
        if len(row) != columns:
            raise SystemExit(f"evaluate.py: {path.name}, line {number}: expected {columns} columns, found {len(row)}")
        rows.append(row)
    return rows


def read_judgements(path: Path) -> Judgements:
    judgements: Judgements = collections.defaultdict(dict)
    for topic, _, document, grade in lines_of(path, 4):
        judgements[topic][document] = int(grade)
    return judgements


def read_run(path: Path) -> Run:
    scored = collections.defaultdict(list)
    for topic, _, document, _, score, _ in lines_of(path, 6):
        scored[topic].append((float(score), document))
    return {topic: [document for _, document in sorted(answers, reverse=True)] for topic, answers in scored.items()}


def discounted(grades: list[int]) -> float:
    return sum(grade / math.log2(rank + 1) for rank, grade in enumerate(grades, 1))


def measure_topic(grades: dict[str, int], ranking: list[str]) -> list[float]:
    """The values of MEASURES. Requires a relevant document."""
    relevant = sorted((grade for grade in grades.values() if grade > 0), reverse=True)
    gains = [max(0, grades.get(document, 0)) for document in ranking]
    hit_ranks = [rank for rank, gain in enumerate(gains, 1) if gain > 0]

    def hits(depth: int) -> int:
        return sum(rank <= depth for rank in hit_ranks)

    average_precision = sum(found / rank for found, rank in enumerate(hit_ranks, 1)) / len(relevant)
    return [average_precision, discounted(gains[:10]) / discounted(relevant[:10]), hits(10) / 10, hits(30) / 30,
            hits(100) / len(relevant), hits(1000) / len(relevant)]


def evaluate(judgements: Judgements, run: Run) -> tuple[int, dict[str, float]]:
    """The number of topics that count, and the means over them."""
    counted = [topic for topic, grades in judgements.items() if any(grade > 0 for grade in grades.values())]
    if not counted:
        raise SystemExit("evaluate.py: no topic has a relevant document")
    measured = [measure_topic(judgements[topic], run.get(topic, [])) for topic in counted]
    return len(counted), {name: sum(column) / len(counted) for name, column in zip(MEASURES, zip(*measured))}


def search(program: Path, index: Path, topics: Path, k1: float, b: float, depth: int) -> Run:
    command = [str(program), "search", str(index), "--queries", str(topics), "-k", str(depth), "--k1", str(k1),
               "--b", str(b), "--format", "trec"]
    with tempfile.NamedTemporaryFile(suffix=".run") as out:
        subprocess.run(command, stdout=out, check=True)
        return read_run(Path(out.name))


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("paths", nargs="+", type=Path, metavar="INDEX TOPICS QRELS", help="or QRELS with --run")
    parser.add_argument("--run", type=Path)
    parser.add_argument("--k1", type=float, default=0.9)
    parser.add_argument("--b", type=float, default=0.4)
    parser.add_argument("-k", "--count", type=int, default=1000, help="answers per topic (default 1000)")
    parser.add_argument("--program", type=Path, default=spillway.PROGRAM)
    arguments = parser.parse_args()
    if len(arguments.paths) != (1 if arguments.run else 3):
        parser.error("expected INDEX TOPICS QRELS, or --run RUN QRELS")
    return arguments


def main() -> None:
    arguments = parse_arguments()
    judgements = read_judgements(arguments.paths[-1])
    if arguments.run:
        run = read_run(arguments.run)
    else:
        index, topics, _ = arguments.paths
        run = search(arguments.program, index, topics, arguments.k1, arguments.b, arguments.count)
    topics_counted, means = evaluate(judgements, run)
    if not any(topic in run for topic in judgements):
        print("evaluate.py: no judged topic has an answer; are the topics those of the judgements?", file=sys.stderr)
    print(f"topics\t{topics_counted}")
    for name, value in means.items():
        print(f"{name}\t{value:.4f}")


if __name__ == "__main__":
    main()
