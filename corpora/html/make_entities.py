#!/usr/bin/env python3
"""Prints corpora/html/entities_table.inc: HTML's named character references, from Python's html.entities.html5.

An entry is "NAME:CODE" or, for two code points, "NAME:CODE.CODE"; "+" in the place of ":" says that the reference also
works without its semicolon. Names are in byte order and stand without "&" and ";".
"""
import html.entities

references = html.entities.html5
entries = []
for name in sorted(key[:-1] for key in references if key.endswith(";")):
    codes = ".".join(f"{ord(character):X}" for character in references[name + ";"])
    entries.append(name + ("+" if name in references else ":") + codes + ",")

print(f"// {len(references)} named character references of HTML. Made by make_entities.py; do not edit.")
line = ""
for entry in entries + [""]:
    if line and (not entry or len(line) + len(entry) > 116):
        print(f'"{line}"')
        line = ""
    line += entry
