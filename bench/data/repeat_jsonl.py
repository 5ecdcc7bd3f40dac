#!/usr/bin/env python3
"""Repeats a JSONL set up to a given size, with distinct ids.

usage: repeat_jsonl.py IN OUT --bytes SIZE     (500M, 1.5G: powers of 1000; IN may be packed: .zst, .xz, .gz)

The first copy equals IN; copy N (N > 1) has "-N" appended to every id. OUT holds whole records, in order, and at most
SIZE bytes. Where the id is the first member of a record, the rest of the record keeps its bytes.
"""
import argparse
import gzip
import itertools
import json
import lzma
import re
import subprocess
import sys

UNITS = {"": 1, "K": 10**3, "M": 10**6, "G": 10**9}


def parse_size(text: str) -> int:
    match = re.fullmatch(r"(\d+(?:\.\d+)?)([KMG]?)B?", text)
    if not match:
        raise argparse.ArgumentTypeError(f"'{text}': expected a size such as 500M")
    return int(float(match[1]) * UNITS[match[2]])


def read_all(source: str) -> list[bytes]:
    """The non-blank lines of a file, unpacked, each with its line feed. Needs the zstd program for .zst."""
    if source.endswith(".zst"):
        text = subprocess.run(["zstd", "-dcq", source], stdout=subprocess.PIPE, check=True).stdout
    else:
        opened = lzma.open if source.endswith(".xz") else gzip.open if source.endswith(".gz") else open
        with opened(source, "rb") as file:
            text = file.read()
    return [line + b"\n" for line in text.split(b"\n") if line.strip()]


def id_end(line: bytes, id_field: str) -> int | None:
    """The offset of the closing quote of the id, where the id is the first member."""
    found = re.match(rb'\s*\{\s*"' + re.escape(id_field.encode()) + rb'"\s*:\s*"(?:[^"\\]|\\.)*', line)
    return found.end() if found else None


def with_suffix(line: bytes, end: int | None, suffix: str, id_field: str) -> bytes:
    if end is not None:
        return line[:end] + suffix.encode() + line[end:]
    record = json.loads(line)
    record[id_field] = str(record[id_field]) + suffix
    return json.dumps(record, ensure_ascii=False).encode() + b"\n"


def repeat(source: str, target: str, size: int, id_field: str) -> tuple[int, int]:
    """Returns the numbers of records and of bytes written. Holds one copy of the set in memory."""
    records = written = 0
    lines = [(line, id_end(line, id_field)) for line in read_all(source)]
    if not lines:
        raise SystemExit(f"repeat_jsonl.py: {source} holds no record")
    with open(target, "wb", buffering=1 << 20) as out:
        for copy in itertools.count(1):
            for line, end in lines:
                if copy > 1:
                    line = with_suffix(line, end, f"-{copy}", id_field)
                if written + len(line) > size:
                    return records, written
                out.write(line)
                records += 1
                written += len(line)


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
