#!/usr/bin/env python3
"""Latency of Spillway's search and of tantivy's, one thread, on the same queries in interleaved rounds.

usage: build/compare/venv/bin/python bench/search_vs_tantivy.py LINES [--scratch DIR] [--rounds 5] [--queries 1000]

Indexes LINES (UTF-8 text, one document a line) with both programs, draws queries of 2 to 5 words from random lines (the
seed is fixed), and runs rounds of all queries, Spillway and tantivy in turn. Spillway's latencies are those of
`search --stats`, from the text of a query to its ranking; tantivy's are taken around parse_query and search in this
process. Both rank the ten best documents by BM25, and neither reads stored documents. The latency of a query is the
median over the rounds; percentiles are over the queries. Runs in the environment that bench/compare/setup makes.
"""
import argparse
import tempfile
import time
from pathlib import Path

import tantivy

from measure import machine, report, spillway
from measure.process import warm_page_cache
from measure.searches import Spillway, draw_queries, medians, summary


def make_tantivy_index(lines: Path, directory: Path) -> tantivy.Index:
    builder = tantivy.SchemaBuilder()
    builder.add_text_field("text", stored=False, tokenizer_name="default", index_option="freq")
    directory.mkdir()
    index = tantivy.Index(builder.build(), path=str(directory))
    writer = index.writer(heap_size=2_000_000_000, num_threads=1)
    with open(lines, encoding="utf-8", errors="replace", newline="\n") as file:
        for line in file:
            writer.add_document(tantivy.Document(text=line))
    writer.commit()
    writer.wait_merging_threads()
    index.reload()
    return index


def run_tantivy(index: tantivy.Index, queries: list[str], k: int) -> list[float]:
    """Milliseconds of each query."""
    searcher = index.searcher()
    latencies = []
    for text in queries:
        begin = time.perf_counter()
        searcher.search(index.parse_query(text.lower(), ["text"]), k, count=False)
        latencies.append((time.perf_counter() - begin) * 1000)
    return latencies


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("lines", metavar="LINES", type=Path, help="UTF-8 text, one document a line")
    parser.add_argument("--program", type=Path, default=spillway.PROGRAM)
    parser.add_argument("--scratch", type=Path, help="where indexes are made (default: beside LINES)")
    parser.add_argument("--queries", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=12345)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("-k", type=int, default=10)
    parser.add_argument("--output", type=Path, default=report.default_directory(), help="directory of the report")
    parser.add_argument("--name", default="search", help="name of the report's files")
    return parser.parse_args()


def main() -> None:
    arguments = parse_arguments()
    queries = draw_queries(arguments.lines, arguments.queries, arguments.seed)
    warm_page_cache(arguments.lines)
    with tempfile.TemporaryDirectory(dir=arguments.scratch or arguments.lines.parent, prefix="search-") as directory:
        index = Path(directory) / "spillway"
        spillway.make_index(arguments.program, arguments.lines, index, ["--format", "lines"])
        ours = Spillway(arguments.program, index, queries, arguments.k)
        theirs = make_tantivy_index(arguments.lines, Path(directory) / "tantivy")
        run_tantivy(theirs, queries, arguments.k)  # the warm-up round
        ours.run()
        rounds = []
        for _ in range(arguments.rounds):
            stats = ours.run()
            rounds.append({"spillway": stats["latency_ms"].pop("of_each_query"),
                           "tantivy": run_tantivy(theirs, queries, arguments.k)})
        exhaustive = ours.run("--exhaustive")
        exhaustive["latency_ms"]["of_each_query"] = [round(x, 3) for x in exhaustive["latency_ms"]["of_each_query"]]
        result = report.Report("Searches: Spillway and tantivy", machine.describe(Path(directory)))
    result.data |= {"input": arguments.lines.name, "documents": theirs.searcher().num_docs, "queries": queries,
                    "seed": arguments.seed, "k": arguments.k, "tantivy": tantivy.__version__,
                    "tantivy_segments": theirs.searcher().num_segments, "spillway_work": stats, "exhaustive": exhaustive}
    write_report(arguments, result, rounds)


def write_report(arguments: argparse.Namespace, result: report.Report, rounds: list[dict]) -> None:
    data = result.data
    ours, theirs = medians(rounds, "spillway"), medians(rounds, "tantivy")
    slower = [mine / other for mine, other in zip(ours, theirs) if mine > other]
    data |= {"spillway_ms": summary(ours), "tantivy_ms": summary(theirs), "queries_slower": len(slower),
             "slowest_ratio": max(slower, default=0.0), "exhaustive_ms": summary(
                 data["exhaustive"]["latency_ms"]["of_each_query"]),
             "rounds": [{program: [round(x, 3) for x in latencies] for program, latencies in one.items()}
                        for one in rounds]}
    rows = [[name, f"{data['spillway_ms'][name]:.2f}", f"{data['tantivy_ms'][name]:.2f}",
             f"{data['tantivy_ms'][name] / data['spillway_ms'][name]:.2f}", f"{data['exhaustive_ms'][name]:.2f}"]
            for name in data["spillway_ms"]]
    result.add("Latency of a query", f"{data['documents']:,} documents ({data['input']}), {len(ours)} queries of 2 to 5 "
               f"words (seed {data['seed']}), k = {data['k']}, one thread; {data['tantivy']}, "
               f"{data['tantivy_segments']} segments; {len(rounds)} interleaved rounds. The last column is "
               "`--exhaustive`, one round.\n\n" +
               report.table(["ms", "spillway", "tantivy", "tantivy / spillway", "spillway --exhaustive"], rows) +
               f"\nSpillway is slower than tantivy on {len(slower)} of {len(ours)} queries, at worst "
               f"{data['slowest_ratio']:.1f} times as slow.\n")
    work = data["spillway_work"]
    share = 100 * work["scored_postings"] / work["query_postings"]
    result.add("Work of Spillway", report.table(
        ["all queries", "count"],
        [["postings that an exhaustive scan scores", f"{work['query_postings']:,}"],
         ["postings scored", f"{work['scored_postings']:,} ({share:.2f} %)"],
         ["lengths read", f"{work['read_lengths']:,}"],
         ["blocks of 128 documents decoded", f"{work['decoded_blocks']:,}"],
         ["blocks of 128 frequencies decoded", f"{work['frequency_blocks']:,}"]]))
    result.write(arguments.output, arguments.name)


if __name__ == "__main__":
    main()
