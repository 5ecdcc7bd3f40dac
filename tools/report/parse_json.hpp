// Reads JSON from files that may hold anything, for `bench report`, `plan --measured` and benchmarks that go on.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace spillway {

// parse_json() takes at most so many arrays and objects in one another. Reports have about ten levels, and recursion
// over the levels of a value is safe with this many.
inline constexpr int kMostJsonLevels = 200;

// Returns the value that `text` is. Throws FormatError if it is not JSON, has a number beyond a double, or more than
// kMostJsonLevels levels: the message names `path`, the byte (from 1), what was expected, and ends with `remedy`.
nlohmann::ordered_json parse_json(const std::string& path, const std::string& text, const std::string& remedy);

}  // namespace spillway
