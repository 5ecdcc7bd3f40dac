#!/usr/bin/env python3
"""Indexes retrieval collections, ranks their topics, and compares the quality measures with those of a reference.

usage: bench/retrieval_quality.py COLLECTIONS [--output DIR]

COLLECTIONS holds a directory for each collection, with docs.jsonl or docs.jsonl.zst, queries.tsv and qrels.txt; and
reference_scores.txt, with a line "NAME TOKENIZER k1=.. b=.. ... {measures}" for each collection, tokenizer and pair of
parameters. Ends with 1 if a measure differs from the reference in its four decimals.
"""
import argparse
import ast
import re
import sys
import tempfile
from pathlib import Path

import evaluate
from measure import machine, report, spillway
from measure.process import answer

OPTIONS = {"plain": ["--tokenizer", "ascii"],
           "ascii+stop+porter": ["--tokenizer", "ascii", "--stop", "english", "--stem", "porter"]}
LINE = re.compile(r"(\S+)\s+(\S+)\s+k1=(\S+) b=(\S+) .*?(\{.*\})")


def references(path: Path) -> list[tuple[str, str, float, float, dict[str, float]]]:
    """The lines that Spillway can repeat: collection, tokenizer, k1, b, measures."""
    found = []
    for line in path.read_text().splitlines():
        name, tokenizer, k1, b, measures = LINE.match(line).groups()
        if tokenizer in OPTIONS:
            found.append((name, tokenizer, float(k1), float(b), ast.literal_eval(measures)))
    return found


def documents_of(collection: Path) -> Path:
    plain = collection / "docs.jsonl"
    return plain if plain.exists() else collection / "docs.jsonl.zst"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("collections", type=Path)
    parser.add_argument("--program", type=Path, default=spillway.PROGRAM)
    parser.add_argument("--output", type=Path, default=report.default_directory(), help="directory of the report")
    parser.add_argument("--name", default="retrieval_quality", help="name of the report's files")
    arguments = parser.parse_args()
    rows, results, different = [], [], 0
    with tempfile.TemporaryDirectory(prefix="quality-") as directory:
        for name, tokenizer, k1, b, expected in references(arguments.collections / "reference_scores.txt"):
            collection = arguments.collections / name
            if not documents_of(collection).exists():
                print(f"{name} is left out: there are no documents in {collection}", file=sys.stderr)
                continue
            index = Path(directory) / f"{name}.{tokenizer}.index"
            if not index.exists():
                answer(spillway.index_command(arguments.program, documents_of(collection), index, OPTIONS[tokenizer]))
            run = evaluate.search(arguments.program, index, collection / "queries.tsv", k1, b, 1000)
            topics, means = evaluate.evaluate(evaluate.read_judgements(collection / "qrels.txt"), run)
            equal = all(abs(means[measure] - value) < 0.00005 + 1e-9 for measure, value in expected.items())
            different += not equal
            rows.append([name, tokenizer, str(k1), str(b), str(topics),
                         *(f"{means[measure]:.4f}" for measure in evaluate.MEASURES), "equal" if equal else "DIFFERS"])
            results.append({"collection": name, "tokenizer": tokenizer, "k1": k1, "b": b, "topics": topics,
                            "measured": means, "reference": expected})
        result = report.Report("Retrieval quality", machine.describe(Path(directory)))
    result.data["results"] = results
    head = ["collection", "analysis", "k1", "b", "topics", *evaluate.MEASURES, "reference"]
    result.add("BM25", report.table(head, rows, 2))
    result.write(arguments.output, arguments.name)
    sys.exit(1 if different else 0)


if __name__ == "__main__":
    main()
