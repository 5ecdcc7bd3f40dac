#!/usr/bin/env python3
"""Makes crawls of a directory of HTML pages: pages.warc, pages.warc.gz and pages.warc.zst (a member or frame a record),
and, of the texts that Spillway stored for them, pages.wet, pages.wet.gz and pages.jsonl. Files that exist stay.

usage: bench/data/crawl_of_pages.py PAGES OUTPUT [--program build/release/bin/spillway]
"""
import argparse
import gzip
import json
import os
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

PROGRAM = Path(__file__).resolve().parent.parent.parent / "build/release/bin/spillway"
NAMES = ["warc", "warc.gz", "warc.zst", "wet", "wet.gz", "jsonl"]


def record(kind: str, number: int, uri: str, content_type: str, block: bytes) -> bytes:
    head = (f"WARC/1.0\r\nWARC-Type: {kind}\r\nWARC-Record-ID: <urn:uuid:00000000-0000-0000-0000-{number:012d}>\r\n"
            f"WARC-Target-URI: {uri}\r\nWARC-Date: 2024-01-02T03:04:05Z\r\nContent-Type: {content_type}\r\n"
            f"Content-Length: {len(block)}\r\n\r\n")
    return head.encode() + block + b"\r\n\r\n"


def responses(pages: Path) -> Iterator[bytes]:
    files = sorted(path for path in pages.rglob("*") if path.suffix in (".html", ".htm") and path.is_file())
    for number, path in enumerate(files, 1):
        html = path.read_bytes()
        head = f"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: {len(html)}\r\n\r\n".encode()
        uri = f"http://example.com/{path.relative_to(pages).as_posix().replace(' ', '%20')}"
        yield record("response", number, uri, "application/http; msgtype=response", head + html)


def conversions(texts: Path) -> Iterator[bytes]:
    with texts.open(encoding="utf-8") as lines:
        for number, line in enumerate(lines, 1):
            document = json.loads(line)
            yield record("conversion", number, document["url"], "text/plain", document["text"].encode())


def write_plain(records: Iterator[bytes], path: Path) -> None:
    with path.open("wb") as out:
        out.writelines(records)


def write_gzip(records: Iterator[bytes], path: Path) -> None:
    with path.open("wb") as out:
        out.writelines(gzip.compress(one, 6, mtime=0) for one in records)


def write_zstd(records: Iterator[bytes], path: Path) -> None:
    """A frame a record: the tool zstd compresses a directory of them."""
    with tempfile.TemporaryDirectory(dir=path.parent) as directory, path.open("wb") as out:
        names = []
        for number, one in enumerate(records):
            names.append(f"{directory}/{number:09d}")
            Path(names[-1]).write_bytes(one)
        for begin in range(0, len(names), 1000):
            out.flush()
            subprocess.run(["zstd", "-q", "-3", "-c", *names[begin:begin + 1000]], stdout=out, check=True)


def write_texts(program: Path, warc: Path, path: Path) -> None:
    with tempfile.TemporaryDirectory(dir=path.parent) as directory:
        index = f"{directory}/pages.index"
        subprocess.run([program, "index", warc, "-o", index, "--store", "text", "-q"], check=True)
        subprocess.run([program, "export", index, "--to", "jsonl", "-o", path, "-q"], check=True)


def make(pages: Path, output: Path, program: Path) -> dict[str, Path]:
    """The crawls by ending."""
    paths = {name: output / f"pages.{name}" for name in NAMES}
    makers = {
        "warc": lambda path: write_plain(responses(pages), path),
        "warc.gz": lambda path: write_gzip(responses(pages), path),
        "warc.zst": lambda path: write_zstd(responses(pages), path),
        "jsonl": lambda path: write_texts(program, paths["warc"], path),
        "wet": lambda path: write_plain(conversions(paths["jsonl"]), path),
        "wet.gz": lambda path: write_gzip(conversions(paths["jsonl"]), path),
    }
    output.mkdir(parents=True, exist_ok=True)
    for name, maker in makers.items():
        if not paths[name].exists():
            part = paths[name].with_suffix(".part")
            maker(part)
            os.rename(part, paths[name])
    return paths


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("pages", metavar="PAGES", type=Path)
    parser.add_argument("output", metavar="OUTPUT", type=Path)
    parser.add_argument("--program", type=Path, default=PROGRAM)
    arguments = parser.parse_args()
    for path in make(arguments.pages, arguments.output, arguments.program).values():
        print(path, path.stat().st_size)


if __name__ == "__main__":
    main()
