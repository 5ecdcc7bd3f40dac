#!/usr/bin/env python3
"""Writes the texts of a JSONL set as plain lines, without blank ones: a set of many short documents.

usage: jsonl_lines.py IN OUT [--text-field text]
"""
import argparse
import json
import sys


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("source", metavar="IN")
    parser.add_argument("target", metavar="OUT")
    parser.add_argument("--text-field", default="text")
    arguments = parser.parse_args()
    count = 0
    with open(arguments.source, "rb") as records, open(arguments.target, "w", encoding="utf-8", newline="\n") as out:
        for record in records:
            lines = [line for line in json.loads(record)[arguments.text_field].split("\n") if line.strip()]
            out.writelines(line + "\n" for line in lines)
            count += len(lines)
    print(f"{arguments.target}: {count} lines", file=sys.stderr)


if __name__ == "__main__":
    main()
