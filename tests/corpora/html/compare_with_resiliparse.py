#!/usr/bin/env python3
"""Compares the words of HTML pages as html_text and as Resiliparse (PyPI) reads them.

  compare_with_resiliparse.py PROGRAM DIRECTORY [--pages N]

It takes N pages of DIRECTORY, spread evenly, and prints how many have the same words in the same order, the same words
but for breaks (where one of the two joins what the other separates), and the rest, with the first difference of each.
"""
import argparse
import difflib
import pathlib
import re
import subprocess

from resiliparse.extract.html2text import extract_plain_text
from resiliparse.parse.html import HTMLTree

# Resiliparse leaves out labels, controls and embedded content unless asked; with controls it adds their values, which
# are attributes.
OPTIONS = dict(main_content=False, list_bullets=False, alt_texts=False, links=False, form_fields=True, noscript=True,
               preserve_formatting=False, skip_elements=["input"])
WORD = re.compile(r"[^\W_]+")


def read_by_program(program, paths):
    names = "".join(f"{path}\n" for path in paths).encode()
    out = subprocess.run([program], input=names, stdout=subprocess.PIPE, check=True).stdout
    at = 0
    for _ in paths:
        line_end = out.index(b"\n", at)
        title_bytes, text_bytes = map(int, out[at:line_end].split())
        at = line_end + 1
        yield out[at:at + title_bytes].decode(), out[at + title_bytes:at + title_bytes + text_bytes].decode()
        at += title_bytes + text_bytes


def first_difference(ours, theirs):
    for tag, a, b, c, d in difflib.SequenceMatcher(None, ours[:4000], theirs[:4000], autojunk=False).get_opcodes():
        if tag != "equal":
            return f"{' '.join(ours[max(0, a - 3):b + 3])[:150]!r} | {' '.join(theirs[max(0, c - 3):d + 3])[:150]!r}"
    return "after 4000 words"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("directory", type=pathlib.Path)
    parser.add_argument("--pages", type=int, default=1000)
    arguments = parser.parse_args()
    paths = sorted(path for path in arguments.directory.rglob("*.htm*") if path.is_file() and not path.is_symlink())
    paths = paths[::max(1, len(paths) // arguments.pages)][:arguments.pages]
    counts = {"same": 0, "same but for breaks": 0, "different": 0, "titles differ": 0}
    for path, (title, text) in zip(paths, read_by_program(arguments.program, paths)):
        html = path.read_bytes().decode("utf-8", "replace")
        ours, theirs = WORD.findall(text), WORD.findall(extract_plain_text(html, **OPTIONS))
        tree_title = (HTMLTree.parse(html).title or "")
        if WORD.findall(title) != WORD.findall(tree_title):
            counts["titles differ"] += 1
            print(f"{path}: title {title[:80]!r} | {tree_title[:80]!r}")
        kind = "same" if ours == theirs else "same but for breaks" if "".join(ours) == "".join(theirs) else "different"
        counts[kind] += 1
        if kind != "same":
            print(f"{path}: {kind}: {first_difference(ours, theirs)}")
    print(len(paths), "pages:", ", ".join(f"{count} {kind}" for kind, count in counts.items()))


if __name__ == "__main__":
    main()
