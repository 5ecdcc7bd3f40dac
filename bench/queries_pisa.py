#!/usr/bin/env python3
"""Latency of Spillway's search and of PISA's block-max algorithms: the same documents, one thread, interleaved rounds.

usage: PYTHON bench/queries_pisa.py INPUT... [--scratch DIR] [--rounds 5] [--queries 1000] [-k 10]

INPUT is UTF-8 text with one document a line, or JSON lines (`.jsonl`). Each is indexed with Spillway and handed to PISA
by `spillway export --to pisa`, so that both have the same terms, frequencies and lengths; PISA makes its own index of
that (block_simdbp, the upper bounds of blocks of 64). Queries of 2 to 5 words are drawn from the input (the seed is
fixed). A round runs all queries in Spillway and in each of PISA's algorithms. Latencies of Spillway are those of
`search --stats`, from the text of a query to its ranking; those of PISA are taken around its retrieve(), which gets the
terms of a query and returns names of documents. Both rank by BM25 with k1 = 0.9 and b = 0.4. The latency of a query is
the median over the rounds; percentiles are over the queries. PYTHON has pyterrier-pisa (PyPI), which has PISA itself;
bench/compare/setup makes such an environment.
"""
import argparse
import contextlib
import importlib.metadata
import os
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import numpy
from pyterrier_pisa import _pisathon

from measure import machine, report, spillway
from measure.process import answer, bytes_below, warm_page_cache
from measure.searches import WORD, Spillway, draw_queries, medians, summary

ALGORITHMS = ["block_max_wand", "block_max_maxscore"]
K1, B, ENCODING, BLOCK = 0.9, 0.4, "block_simdbp", 64


@contextlib.contextmanager
def quiet() -> Iterator[None]:
    """PISA logs its progress to standard output and standard error."""
    kept = [os.dup(1), os.dup(2)]
    with open(os.devnull, "wb") as nothing:
        os.dup2(nothing.fileno(), 1)
        os.dup2(nothing.fileno(), 2)
    try:
        yield
    finally:
        for number, descriptor in enumerate(kept, 1):
            os.dup2(descriptor, number)
            os.close(descriptor)


class Pisa:
    """PISA's index of an exported collection."""

    def __init__(self, exported: Path, k: int):
        self.k = k
        self.queries_at = numpy.empty(k, dtype=numpy.int32)
        self.names = numpy.empty(k, dtype=object)
        self.ranks = numpy.empty(k, dtype=numpy.int32)
        self.scores = numpy.empty(k, dtype=numpy.float32)
        before = set(exported.iterdir())
        self.context = _pisathon.RetrievalContext()
        with quiet():
            _pisathon.prepare_index(self.context, str(exported), ENCODING, "bm25", "", block_size=BLOCK, bm25_k1=K1,
                                    bm25_b=B)
        made = set(exported.iterdir()) - before
        self.index_bytes = sum(file.stat().st_size for file in made)
        for file in made:
            warm_page_cache(file)

    def search(self, algorithm: str, terms: dict[str, float]) -> int:
        """The number of documents found; their names and scores are in self.names and self.scores."""
        return _pisathon.retrieve(self.context, algorithm, [(0, terms)], k=self.k, threads=1, pretokenised=1,
                                  query_weighted=0, result_qidxs=self.queries_at, result_docnos=self.names,
                                  result_ranks=self.ranks, result_scores=self.scores)

    def run(self, algorithm: str, queries: list[dict[str, float]]) -> list[float]:
        """Milliseconds of each query."""
        latencies = []
        for terms in queries:
            begin = time.perf_counter()
            self.search(algorithm, terms)
            latencies.append((time.perf_counter() - begin) * 1000)
        return latencies

    def best(self, algorithm: str, queries: list[dict[str, float]]) -> Iterator[tuple[list[str], list[float]]]:
        for terms in queries:
            count = self.search(algorithm, terms)
            yield list(self.names[:count]), [float(score) for score in self.scores[:count]]


def terms_of(query: str) -> dict[str, float]:
    return dict.fromkeys((word.lower() for word in WORD.findall(query)), 1.0)


def check_algorithms(pisa: Pisa, queries: list[dict[str, float]]) -> list[list[str]]:
    """PISA's algorithms must find the same scores. Returns the names that the first of them finds."""
    found = {algorithm: list(pisa.best(algorithm, queries)) for algorithm in ALGORITHMS}
    for algorithm in ALGORITHMS[1:]:
        for (_, expected), (_, scores) in zip(found[ALGORITHMS[0]], found[algorithm], strict=True):
            if len(scores) != len(expected) or not numpy.allclose(scores, expected, rtol=1e-4):
                raise SystemExit(f"queries_pisa.py: {algorithm} and {ALGORITHMS[0]} found different scores")
    return [names for names, _ in found[ALGORITHMS[0]]]


def names_by_query(run: bytes, queries: int) -> list[list[str]]:
    """The documents of each query in a TREC run whose queries are numbered from 1."""
    names: list[list[str]] = [[] for _ in range(queries)]
    for line in run.decode().splitlines():
        columns = line.split(" ")
        names[int(columns[0]) - 1].append(columns[2])
    return names


def measure(arguments: argparse.Namespace, source: Path, directory: Path) -> dict:
    index, exported = directory / "spillway", directory / "pisa"
    queries = draw_queries(source, arguments.queries, arguments.seed)
    spillway.make_index(arguments.program, source, index, [] if source.suffix == ".jsonl" else ["--format", "lines"])
    answer([str(arguments.program), "export", str(index), "--to", "pisa", "-o", str(exported), "--quiet"])
    ours, theirs = Spillway(arguments.program, index, queries, arguments.k), Pisa(exported, arguments.k)
    terms = [terms_of(query) for query in queries]
    ours.run("--k1", str(K1), "--b", str(B))  # the warm-up round; PISA's is the check
    pisa_names = check_algorithms(theirs, terms)
    rounds = []
    for _ in range(arguments.rounds):
        stats = ours.run("--k1", str(K1), "--b", str(B))
        one = {"spillway": stats["latency_ms"].pop("of_each_query")}
        rounds.append(one | {algorithm: theirs.run(algorithm, terms) for algorithm in ALGORITHMS})
    our_names = names_by_query(ours.answers, len(queries))
    agreeing = sum(set(mine) == set(other) for mine, other in zip(our_names, pisa_names))
    return {"documents": spillway.stats(arguments.program, index)["documents"], "queries": queries,
            "same_documents": agreeing, "spillway_bytes": bytes_below(index), "pisa_bytes": theirs.index_bytes,
            "spillway_work": stats, "latency_ms": {name: summary(medians(rounds, name)) for name in rounds[0]},
            "rounds": [{name: [round(x, 3) for x in latencies] for name, latencies in one.items()} for one in rounds]}


def section(data: dict) -> str:
    latency = data["latency_ms"]
    best = min(ALGORITHMS, key=lambda name: latency[name]["mean"])
    rows = [[f"PISA {name}" if name in ALGORITHMS else name, *(f"{value:.3f}" for value in values.values())]
            for name, values in latency.items()]
    return (f"{data['documents']:,} documents, {len(data['queries'])} queries, {len(data['rounds'])} interleaved "
            "rounds.\n\n" + report.table(["ms", *latency["spillway"]], rows) +
            f"\nMean of PISA's fastest ({best}) / Spillway's: "
            f"{latency[best]['mean'] / latency['spillway']['mean']:.2f}. Both find the same documents for "
            f"{data['same_documents']} of {len(data['queries'])} queries. Indexes: "
            f"{report.megabytes(data['spillway_bytes'])} MB with Spillway, {report.megabytes(data['pisa_bytes'])} MB of "
            "lists and upper bounds with PISA.\n")


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("inputs", metavar="INPUT", type=Path, nargs="+", help="one document a line, or JSON lines")
    parser.add_argument("--program", type=Path, default=spillway.PROGRAM)
    parser.add_argument("--scratch", type=Path, help="where indexes are made")
    parser.add_argument("--queries", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=12345)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("-k", type=int, default=10)
    parser.add_argument("--output", type=Path, default=report.default_directory(), help="directory of the report")
    parser.add_argument("--name", default="queries_pisa", help="name of the report's files")
    return parser.parse_args()


def main() -> None:
    arguments = parse_arguments()
    result = None
    for source in arguments.inputs:
        warm_page_cache(source)
        with tempfile.TemporaryDirectory(dir=arguments.scratch, prefix="queries-pisa-") as directory:
            result = result or report.Report("Queries: Spillway and PISA", machine.describe(Path(directory)))
            data = measure(arguments, source, Path(directory))
        result.data[source.name] = data
        result.add(source.name, section(data))
    result.data |= {"pyterrier_pisa": importlib.metadata.version("pyterrier-pisa"), "seed": arguments.seed,
                    "k": arguments.k, "encoding": ENCODING, "block": BLOCK}
    result.add("Setting", f"pyterrier-pisa {result.data['pyterrier_pisa']}, {ENCODING}, blocks of {BLOCK}; k = "
               f"{arguments.k}, one thread, queries of 2 to 5 words (seed {arguments.seed}). PISA gives a word in more "
               "than half of the documents almost no weight; Spillway, like Lucene, gives it a positive one, so rankings "
               "differ where a query has such a word. They also differ where several documents share the last score. "
               "PISA's latencies leave out the division of a query into words.\n")
    result.write(arguments.output, arguments.name)


if __name__ == "__main__":
    main()
