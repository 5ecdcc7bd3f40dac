#!/usr/bin/env python3
"""Indexes a JSONL file with SQLite's FTS5 in one transaction, and queries such an index.

detail=none and detail=column keep no frequencies, so such an index holds less than those of the other tools. The page
cache and the hash table of pending terms get a quarter of the memory each. The index is not optimized after the
inserts.
"""
import argparse
import json
import sqlite3
from collections.abc import Iterator
from pathlib import Path

DATABASE = "index.sqlite"
TABLES = """
CREATE TABLE document (number INTEGER PRIMARY KEY, id TEXT, title TEXT{text_column});
CREATE VIRTUAL TABLE words USING fts5(title, text, content='', detail={detail},
                                      tokenize="unicode61 remove_diacritics 0");
"""


def records(source: str) -> Iterator[dict]:
    with open(source, encoding="utf-8", newline="\n") as lines:
        for number, line in enumerate(lines, 1):
            yield {"number": number, "title": "", **json.loads(line)}


def build(arguments: argparse.Namespace) -> None:
    Path(arguments.output).mkdir()
    database = sqlite3.connect(Path(arguments.output) / DATABASE, isolation_level=None)
    database.execute("PRAGMA synchronous=FULL")
    database.execute(f"PRAGMA cache_size=-{arguments.memory // 4 // 1024}")
    text_column = ", text TEXT" if arguments.store_text else ""
    database.executescript(TABLES.format(text_column=text_column, detail=arguments.detail))
    database.execute("INSERT INTO words(words, rank) VALUES ('hashsize', ?)", (arguments.memory // 4,))
    text_value = ", :text" if arguments.store_text else ""
    database.execute("BEGIN")
    for record in records(arguments.source):
        database.execute(f"INSERT INTO document VALUES (:number, :id, :title{text_value})", record)
        database.execute("INSERT INTO words(rowid, title, text) VALUES (:number, :title, :text)", record)
    database.execute("COMMIT")
    database.close()


def probe(arguments: argparse.Namespace) -> None:
    database = sqlite3.connect(f"file:{Path(arguments.output) / DATABASE}?mode=ro", uri=True)
    documents, = database.execute("SELECT count(*) FROM document").fetchone()
    with_word, = database.execute("SELECT count(*) FROM words WHERE words MATCH ?", (arguments.word,)).fetchone()
    print(json.dumps({"documents": documents, "with_word": with_word}))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(required=True)
    builder = commands.add_parser("build")
    builder.add_argument("source")
    builder.add_argument("output")
    builder.add_argument("--detail", choices=["none", "column", "full"], required=True)
    builder.add_argument("--memory", type=int, required=True)
    builder.add_argument("--store-text", action="store_true")
    builder.set_defaults(run=build)
    prober = commands.add_parser("probe")
    prober.add_argument("output")
    prober.add_argument("word")
    prober.set_defaults(run=probe)
    arguments = parser.parse_args()
    arguments.run(arguments)


if __name__ == "__main__":
    main()
