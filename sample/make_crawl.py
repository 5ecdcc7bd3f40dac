#!/usr/bin/env python3
"""Writes sample/crawl.warc.gz: a small crawl of pages that were written for this project, as crawlers would store it.

It holds what crawls hold: pages in several encodings and content codings, a page that has moved, one that is missing,
an image, a page that had not changed, requests, and a record that lost its end. The same bytes come out each time.
"""
import gzip
import os
import sys
import zlib

records = []


def record(kind, url, block, content_type, extra=""):
    number = len(records) + 1
    header = (
        f"WARC/1.1\r\nWARC-Type: {kind}\r\nWARC-Record-ID: <urn:uuid:5b1e0000-0000-4000-8000-{number:012d}>\r\n"
        f"WARC-Date: 2026-03-0{1 + number // 8}T08:{number:02d}:00Z\r\n"
    )
    if url is not None:
        header += f"WARC-Target-URI: https://spillway.example/{url}\r\n"
    header += f"{extra}Content-Type: {content_type}\r\nContent-Length: {len(block)}\r\n\r\n"
    records.append(header.encode() + block + b"\r\n\r\n")


def response(url, body, content_type="text/html; charset=utf-8", status="200 OK", fields=""):
    request = f"GET /{url} HTTP/1.1\r\nHost: spillway.example\r\n\r\n".encode()
    record("request", url, request, "application/http; msgtype=request")
    head = f"HTTP/1.1 {status}\r\nContent-Type: {content_type}\r\n{fields}\r\n".encode()
    record("response", url, head + body, "application/http; msgtype=response")


def page(title, text, charset="utf-8"):
    html = (
        f'<!doctype html>\n<html><head><meta charset="{charset}"><title>{title}</title>\n'
        f"<script>var shown = '<p>not a word of this';</script></head>\n<body><h1>{title}</h1>\n{text}\n</body></html>\n"
    )
    return html.encode(charset)


def chunked(body):
    parts = [body[at:at + 100] for at in range(0, len(body), 100)]
    return b"".join(b"%x\r\n%s\r\n" % (len(part), part) for part in parts) + b"0\r\n\r\n"


record("warcinfo", None, b"software: make_crawl.py\r\nformat: WARC File Format 1.1\r\n", "application/warc-fields")
response("", page("What a spillway is", """<p>A spillway lets water leave a reservoir that is full. The dam keeps its
level, and nothing breaks.</p><p>An index builder needs the same: when memory is full, a <em>run</em> of sorted postings
spills to disk, and the work goes on.</p>"""))
response("runs", chunked(page("Runs and merges", """<ul><li>Parse documents until the block is full.</li><li>Sort the block
by term.</li><li>Write it as a run.</li><li>Merge all runs&hellip; once.</li></ul>""")),
         fields="Transfer-Encoding: chunked\r\n")
response("budget", gzip.compress(page("The memory budget", """<table><tr><td>parsers</td><td>blocks</td><td>runs</td></tr>
</table><p>A budget that is kept is worth more than a fast program that is killed.</p>"""), mtime=0),
         fields="Content-Encoding: gzip\r\n")
response("fr", page("Un déversoir", "<p>L’eau s’écoule quand le réservoir est plein&nbsp;; le barrage tient.</p>",
                    "windows-1252"), "text/html")
response("ru", page("Водосброс", "<p>Лишняя вода уходит, и плотина стоит.</p>", "windows-1251"), "text/html")
response("ja", page("余水吐き", "<p>ダムが満水になると、余った水を流します。索引も同じです。</p>", "shift_jis"), "text/html")
response("notes.txt", b"Plain text is a page too: merge, spill, sort.\n", "text/plain")
response("old", b"", status="301 Moved Permanently", fields="Location: /\r\n")
response("lost", page("Not found", "<p>There is no such page.</p>"), status="404 Not Found")
response("logo.png", b"\x89PNG\r\n\x1a\n" + bytes(range(64)), "image/png")
record("revisit", "runs", b"HTTP/1.1 304 Not Modified\r\n\r\n", "application/http; msgtype=response",
       "WARC-Profile: http://netpreserve.org/warc/1.1/revisit/server-not-modified\r\n"
       "WARC-Refers-To: <urn:uuid:5b1e0000-0000-4000-8000-000000000005>\r\n")
response("cut", page("A page that lost its end", "<p>The crawler was stopped in the middle of this record.</p>"))


def member(data):
    packer = zlib.compressobj(9, zlib.DEFLATED, 31)
    return packer.compress(data) + packer.flush()


members = [member(data) for data in records]
members[-1] = members[-1][:-40]
out = os.path.join(os.path.dirname(os.path.abspath(__file__)), "crawl.warc.gz")
with open(sys.argv[1] if len(sys.argv) > 1 else out, "wb") as file:
    file.write(b"".join(members))
