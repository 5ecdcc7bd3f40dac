#!/usr/bin/env python3
"""Repeats a JSONL set until it has a wanted size, with ids that stay distinct.

usage: repeat_jsonl.py IN OUT --bytes SIZE     (sizes: 500M, 1.5G, ... are decimal)

The first copy is as in IN; copy N (from 2 on) has "-N" behind every id. OUT holds whole records, in order, and is never
longer than SIZE. A record's other members are kept; its bytes may change only as JSON allows.
"""
import argparse
import itertools
import json
import re
import sys

UNITS = {"": 1, "K": 10**3, "M": 10**6, "G": 10**9}


def parse_size(text: str) -> int:
    match = re.fullmatch(r"(\d+(?:\.\d+)?)([KMG]?)B?", text)
    if not match:
        raise argparse.ArgumentTypeError(f"'{text}': expected a size such as 500M")
    return int(float(match[1]) * UNITS[match[2]])


def with_suffix(line: bytes, suffix: str, id_field: str) -> bytes:
    record = json.loads(line)
    record[id_field] = str(record[id_field]) + suffix
    return json.dumps(record, ensure_ascii=False).encode() + b"\n"


def repeat(source: str, target: str, size: int, id_field: str) -> tuple[int, int]:
    """Returns how many records and bytes were written."""
    records = written = 0
    with open(target, "wb") as out:
        for copy in itertools.count(1):
            before = records
            with open(source, "rb") as lines:
                for line in lines:
                    if not line.strip():
                        continue
                    if not line.endswith(b"\n"):
                        line += b"\n"
                    if copy > 1:
                        line = with_suffix(line, f"-{copy}", id_field)
                    if written + len(line) > size:
                        return records, written
                    out.write(line)
                    records += 1
                    written += len(line)
            if records == before:
                raise SystemExit(f"repeat_jsonl.py: {source} holds no record")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("source", metavar="IN")
    parser.add_argument("target", metavar="OUT")
    parser.add_argument("--bytes", type=parse_size, required=True, dest="size")
    parser.add_argument("--id-field", default="id")
    arguments = parser.parse_args()
    records, written = repeat(arguments.source, arguments.target, arguments.size, arguments.id_field)
    print(f"{arguments.target}: {records} records, {written} bytes", file=sys.stderr)


if __name__ == "__main__":
    main()
