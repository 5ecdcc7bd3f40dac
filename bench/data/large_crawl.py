#!/usr/bin/env python3
"""Makes a .warc.gz of any size, packed by record, of a directory of HTML pages.

usage: bench/data/large_crawl.py PAGES OUT --bytes 4e9 [--bodies 34e6]

Bodies of 20 KB to 150 KB (each 150th: 0.6 MB to 3 MB) are made of pages of 8 KB or more, in an order that is always the
same, and compressed once: `bodies` bytes of them. They are repeated under new headers, with ids and URLs of their own,
until OUT has `bytes` bytes.
"""
import argparse
import ctypes
import ctypes.util
import random
import struct
import zlib
from pathlib import Path

LIBZ = ctypes.CDLL(ctypes.util.find_library("z") or "libz.so.1")
LIBZ.crc32_combine.argtypes = [ctypes.c_ulong, ctypes.c_ulong, ctypes.c_long]
LIBZ.crc32_combine.restype = ctypes.c_ulong
LONG = [600_000, 1_000_000, 1_000_000, 2_000_000, 3_000_000]
SHORT = [20_000, 40_000, 80_000, 150_000]


def packed_bodies(pages: Path, limit: float) -> list[tuple[bytes, int, int]]:
    """Blocks of records as raw deflate, with the CRC and the length of each."""
    order = random.Random(5)
    files = sorted(path for path in pages.rglob("*.html") if path.is_file() and path.stat().st_size > 8000)
    order.shuffle(files)
    bodies: list[tuple[bytes, int, int]] = []
    total = at = 0
    while total < limit:
        is_long = len(bodies) % 150 == 149
        wanted = order.choice(LONG if is_long else SHORT)
        body = b""
        while len(body) < wanted:
            body += files[at % len(files)].read_bytes()
            at += 1
        if is_long:
            body = body[:wanted]
        head = f"HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\nContent-Length: {len(body)}\r\n\r\n"
        block = head.encode() + body + b"\r\n\r\n"
        packer = zlib.compressobj(6, zlib.DEFLATED, -15)
        packed = packer.compress(block) + packer.flush()
        bodies.append((packed, zlib.crc32(block), len(block)))
        total += len(packed)
    return bodies


def member(number: int, packed: bytes, crc: int, block_bytes: int) -> bytes:
    """A gzip member: the header of the record as it is, and the packed block."""
    head = (f"WARC/1.0\r\nWARC-Type: response\r\nWARC-Record-ID: <urn:uuid:00000000-0000-0000-0000-{number:012d}>\r\n"
            f"WARC-Target-URI: http://example.com/page/{number}\r\nWARC-Date: 2024-01-02T03:04:05Z\r\n"
            f"Content-Type: application/http; msgtype=response\r\nContent-Length: {block_bytes - 4}\r\n\r\n").encode()
    stored = b"\0" + struct.pack("<HH", len(head), 0xFFFF ^ len(head)) + head
    crc_of_both = LIBZ.crc32_combine(zlib.crc32(head), crc, block_bytes) & 0xFFFFFFFF
    trailer = struct.pack("<II", crc_of_both, (block_bytes + len(head)) & 0xFFFFFFFF)
    return b"\x1f\x8b\x08\0\0\0\0\0\0\xff" + stored + packed + trailer


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("pages", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--bytes", type=float, required=True)
    parser.add_argument("--bodies", type=float, default=34e6)
    options = parser.parse_args()
    bodies = packed_bodies(options.pages, options.bodies)
    written = number = html = 0
    with options.out.open("wb") as out:
        while written < options.bytes:
            for packed, crc, block_bytes in bodies:
                number += 1
                written += out.write(member(number, packed, crc, block_bytes))
                html += block_bytes
    print(f"{options.out}: {number} records, {written} bytes, {html} of HTML")


if __name__ == "__main__":
    main()
