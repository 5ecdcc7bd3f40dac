#!/usr/bin/env python3
"""Compares the records that `spillway index` counts in web archives with those that FastWARC and warcio read.

Prints a line for each file and ends with 1 where they differ. A reader that is not installed (PyPI: fastwarc, warcio) is
left out. Usage: compare_with_warc_readers.py SPILLWAY FILE...
"""
import json
import os
import subprocess
import sys
import tempfile


def by_fastwarc(path):
    """The number of records; nothing if the reader is not installed."""
    try:
        from fastwarc.warc import ArchiveIterator, WarcRecordType
    except ImportError:
        return None
    with open(path, 'rb') as stream:
        return sum(1 for _ in ArchiveIterator(stream, record_types=WarcRecordType.any_type, parse_http=False))


def by_warcio(path):
    try:
        from warcio.archiveiterator import ArchiveIterator
    except ImportError:
        return None
    with open(path, 'rb') as stream:
        return sum(1 for _ in ArchiveIterator(stream, arc2warc=False))


def by_spillway(program, path):
    with tempfile.TemporaryDirectory() as scratch:
        report = os.path.join(scratch, 'report.json')
        command = [program, 'index', path, '-o', os.path.join(scratch, 'index'), '--format', 'warc', '--json', report,
                   '--max-error-rate', '1', '--duplicate-ids', 'keep', '--quiet']
        subprocess.run(command, check=True)
        with open(report, encoding='utf-8') as file:
            found = json.load(file)
    skipped = found['skipped']
    assert found['records_in'] == found['documents'] + sum(skipped.values()), found
    return found['records_in'], skipped


def main():
    program, failed = sys.argv[1], False
    for path in sys.argv[2:]:
        records, skipped = by_spillway(program, path)
        others = {}
        for name, read in (('fastwarc', by_fastwarc), ('warcio', by_warcio)):
            try:
                others[name] = read(path)
            except Exception as error:  # FastWARC reads no ARC; damage ends readers in their own ways
                others[name] = type(error).__name__
        differs = any(isinstance(other, int) and other != records for other in others.values())
        failed |= differs
        print('DIFFERS' if differs else 'same   ', os.path.basename(path), 'spillway', records, others)
    sys.exit(1 if failed else 0)


if __name__ == '__main__':
    main()
