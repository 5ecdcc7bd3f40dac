// The files and directories below one directory, in memory: what a test begins with, what it leaves, and what a crash
// leaves.
#pragma once

#include <map>
#include <optional>
#include <string>

namespace spillway::sweep {

// By path relative to the directory; a directory has no bytes.
using Tree = std::map<std::string, std::optional<std::string>>;

Tree read_tree(const std::string& directory);
// Makes the directory hold this and nothing else.
void write_tree(const std::string& directory, const Tree& tree);
// What is at `path` and below.
Tree part_of(const Tree& tree, const std::string& path);
// The path without what unique_name() added to it.
std::string without_unique_part(const std::string& path);
// The first difference in words; empty if there is none.
std::string difference(const Tree& expected, const Tree& found);

}  // namespace spillway::sweep
