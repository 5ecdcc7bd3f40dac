#!/usr/bin/env python3
"""Latency of Spillway's search against tantivy's (PyPI: tantivy), one thread, on the same queries in the same run.

    bench/search_vs_tantivy.py --spillway build/release/bin/spillway --lines FILE --work DIRECTORY

indexes FILE (a document a line) with both into DIRECTORY, unless they are there; draws queries of 2 to 5 words from
random lines (fixed seed); and runs rounds of all queries, Spillway and tantivy in turn. Spillway's latencies are those
of `search --stats`, from the query's text to its ranking; tantivy's are taken around parse_query and search, in this
process. Both rank by BM25, the ten best, and neither reads stored documents. Reports the medians over the rounds.
"""
import argparse
import json
import os
import random
import re
import statistics
import subprocess
import time
from pathlib import Path

import tantivy

from measure import machine, report

WORD = re.compile(r"[A-Za-z0-9]+")


def draw_queries(path, count, seed):
    """Words of random lines; longer words are not likelier than shorter ones, frequent ones are."""
    draw = random.Random(seed)
    size = os.path.getsize(path)

    def word(file):
        while True:
            file.seek(draw.randrange(size))
            file.readline()  # the rest of a line
            found = WORD.findall(file.readline().decode("utf-8", "replace"))
            if found:
                return draw.choice(found)

    with open(path, "rb") as file:
        return [" ".join(word(file) for _ in range(draw.randint(2, 5))) for _ in range(count)]


def open_tantivy(lines, directory):
    builder = tantivy.SchemaBuilder()
    builder.add_text_field("text", stored=False, tokenizer_name="default", index_option="freq")
    schema = builder.build()
    if os.path.exists(directory):
        return tantivy.Index(schema, path=directory)
    os.makedirs(directory)
    index = tantivy.Index(schema, path=directory)
    writer = index.writer(heap_size=2_000_000_000, num_threads=1)
    with open(lines, encoding="utf-8", errors="replace", newline="\n") as file:
        for line in file:
            writer.add_document(tantivy.Document(text=line))
    writer.commit()
    writer.wait_merging_threads()
    index.reload()
    return index


def run_tantivy(index, queries, k):
    searcher = index.searcher()
    latencies = []
    for text in queries:
        begin = time.perf_counter()
        searcher.search(index.parse_query(text.lower(), ["text"]), k, count=False)
        latencies.append((time.perf_counter() - begin) * 1000)
    return latencies


def run_spillway(arguments, index, query_file, extra=()):
    stats = os.path.join(arguments.work, "stats.json")
    command = [arguments.spillway, "search", index, "--queries", query_file, "-k", str(arguments.k), "--threads", "1",
               "--format", "trec", "--stats-json", stats, "--force", *extra]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    with open(stats, encoding="utf-8") as file:
        return json.load(file)


def percentile(values, share):
    return sorted(values)[min(len(values) - 1, int(len(values) * share))]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--spillway", required=True, help="the spillway program")
    parser.add_argument("--lines", required=True, help="UTF-8 text, a document a line")
    parser.add_argument("--work", required=True, help="directory for the indexes and the queries")
    parser.add_argument("--queries", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=12345)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("-k", type=int, default=10)
    parser.add_argument("--output", type=Path, default=report.default_directory(), help="of the report")
    parser.add_argument("--name", default="search_vs_tantivy", help="of the report's files")
    arguments = parser.parse_args()
    os.makedirs(arguments.work, exist_ok=True)

    queries = draw_queries(arguments.lines, arguments.queries, arguments.seed)
    query_file = os.path.join(arguments.work, "queries.tsv")
    with open(query_file, "w", encoding="utf-8") as file:
        file.writelines(f"{number}\t{text}\n" for number, text in enumerate(queries, 1))
    index = os.path.join(arguments.work, "lines.spillway")
    if not os.path.exists(index):
        subprocess.run([arguments.spillway, "index", arguments.lines, "--format", "lines", "-o", index], check=True)
    theirs = open_tantivy(arguments.lines, os.path.join(arguments.work, "lines.tantivy"))
    facts = (f"{theirs.searcher().num_docs:,} documents, {len(queries)} queries of 2 to 5 words (seed {arguments.seed}), "
             f"k = {arguments.k}, one thread; {tantivy.__version__}, {theirs.searcher().num_segments} segments")

    run_tantivy(theirs, queries, arguments.k)  # both warm
    run_spillway(arguments, index, query_file)
    rounds = []
    for _ in range(arguments.rounds):
        ours = run_spillway(arguments, index, query_file)
        latencies = run_tantivy(theirs, queries, arguments.k)
        rounds.append({"spillway": ours["latency_ms"],
                       "tantivy": {"mean": statistics.mean(latencies), "p50": percentile(latencies, .5),
                                   "p90": percentile(latencies, .9), "p99": percentile(latencies, .99),
                                   "max": max(latencies)}})
    exhaustive = run_spillway(arguments, index, query_file, ["--exhaustive"])
    write_report(arguments, facts, rounds, ours, exhaustive)


def write_report(arguments, facts, rounds, ours, exhaustive):
    rows = []
    for figure in ("p50", "p90", "p99", "mean"):
        mine, other = (statistics.median(one[program][figure] for one in rounds) for program in ("spillway", "tantivy"))
        rows.append([figure, f"{mine:.3f}", f"{other:.3f}", f"{other / mine:.2f}",
                     f"{exhaustive['latency_ms'][figure]:.3f}"])
    result = report.Report("Searches: Spillway and tantivy", machine.describe(Path(arguments.work)))
    result.data.update({"facts": facts, "rounds": rounds, "spillway": ours, "exhaustive": exhaustive})
    result.add("Latency of a query", facts + f"; medians of {len(rounds)} rounds, both programs in turn. The last "
               "column is `--exhaustive`, one round.\n\n" +
               report.table(["ms", "spillway", "tantivy", "tantivy / spillway", "spillway, exhaustive"], rows))
    share = 100 * ours["scored_postings"] / ours["query_postings"]
    result.add("Work of Spillway", report.table(
        ["all queries", "count"],
        [["postings that an exhaustive scan scores", f"{ours['query_postings']:,}"],
         ["postings scored", f"{ours['scored_postings']:,} ({share:.2f} %)"],
         ["lengths read", f"{ours['read_lengths']:,}"],
         ["blocks of 128 documents decoded", f"{ours['decoded_blocks']:,}"],
         ["blocks of 128 frequencies decoded", f"{ours['frequency_blocks']:,}"]]))
    result.write(arguments.output, arguments.name)


if __name__ == "__main__":
    main()
