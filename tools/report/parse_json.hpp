// Reads JSON from files that may hold anything, for `bench report`, `plan --measured` and benchmarks that go on.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace spillway {

// Arrays and objects in one another that parse_json() takes. Reports have about ten levels; code that follows a
// value's levels by recursion is safe with so many.
inline constexpr int kMostJsonLevels = 200;

// Returns the value that `text` is. Throws FormatError if it is not JSON, has a number beyond a double, or more than
// kMostJsonLevels levels: the message names `path`, the byte (from 1), what was expected, and ends with `remedy`.
nlohmann::ordered_json parse_json(const std::string& path, const std::string& text, const std::string& remedy);

}  // namespace spillway
