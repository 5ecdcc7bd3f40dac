#!/usr/bin/env python3
"""Indexes a JSONL file with tantivy, and queries such an index. Runs in the environment that bench/compare/setup makes.

Records go to add_json unchanged, so that tantivy parses them: faster than building documents in Python. The index is
not merged further after commit() and the merges that it starts; it has a few segments.
"""
import argparse
import json
from pathlib import Path

import tantivy

INDEX_OPTION = {"frequencies": "freq", "text": "freq", "positions": "position"}


def schema(contents: str) -> tantivy.Schema:
    builder = tantivy.SchemaBuilder()
    builder.add_text_field("id", stored=True, tokenizer_name="raw", index_option="basic")
    builder.add_text_field("title", stored=True, index_option=INDEX_OPTION[contents])
    builder.add_text_field("text", stored=contents == "text", index_option=INDEX_OPTION[contents])
    return builder.build()


def build(arguments: argparse.Namespace) -> None:
    Path(arguments.output).mkdir()
    index = tantivy.Index(schema(arguments.contents), path=arguments.output)
    writer = index.writer(heap_size=arguments.heap, num_threads=arguments.threads)
    with open(arguments.source, encoding="utf-8", newline="\n") as lines:
        for line in lines:
            writer.add_json(line)
    writer.commit()
    writer.wait_merging_threads()


def probe(arguments: argparse.Namespace) -> None:
    index = tantivy.Index.open(arguments.output)
    searcher = index.searcher()
    found = searcher.search(index.parse_query(arguments.word, ["title", "text"]), limit=1)
    print(json.dumps({"documents": searcher.num_docs, "with_word": found.count, "segments": searcher.num_segments}))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    commands = parser.add_subparsers(required=True)
    builder = commands.add_parser("build")
    builder.add_argument("source")
    builder.add_argument("output")
    builder.add_argument("--heap", type=int, required=True)
    builder.add_argument("--threads", type=int, required=True)
    builder.add_argument("--contents", choices=INDEX_OPTION, required=True)
    builder.set_defaults(run=build)
    prober = commands.add_parser("probe")
    prober.add_argument("output")
    prober.add_argument("word")
    prober.set_defaults(run=probe)
    arguments = parser.parse_args()
    arguments.run(arguments)


if __name__ == "__main__":
    main()
