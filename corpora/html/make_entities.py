#!/usr/bin/env python3
"""Prints corpora/html/entities_table.hpp: HTML's named character references, from Python's html.entities.html5.

An entry is "NAME:CODE" or, for two code points, "NAME:CODE.CODE"; "+" in the place of ":" says that the reference also
works without its semicolon. Names are in byte order and stand without "&" and ";".
"""
import html.entities

references = html.entities.html5
entries = []
for name in sorted(key[:-1] for key in references if key.endswith(";")):
    codes = ".".join(f"{ord(character):X}" for character in references[name + ";"])
    entries.append(name + ("+" if name in references else ":") + codes + ",")

print(f"""// HTML's {len(references)} named character references, as entities.cpp reads them. Made by make_entities.py; do not edit.
#pragma once

#include <string_view>

namespace spillway {{

inline constexpr std::string_view kHtmlEntityTable =""")
lines = []
line = ""
for entry in entries + [""]:
    if line and (not entry or len(line) + len(entry) > 113):
        lines.append(f'    "{line}"')
        line = ""
    line += entry
print("\n".join(lines) + ";\n\n}  // namespace spillway")
