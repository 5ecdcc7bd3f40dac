// The list of all string sets, by name.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "corpora/synthetic/string_set.hpp"

namespace spillway {

struct StringSetText {
  std::string_view name;     // "pc-filelist"
  std::uint64_t count;       // strings in the paper's set
  std::string_view meaning;  // for help texts
  MadeStringSet (*make)(std::uint64_t seed);
};

// All sets, in the order in which users see them.
const std::vector<StringSetText>& string_sets();
// Throws UsageError listing all names if no set has this one.
const StringSetText& find_string_set(std::string_view name);

}  // namespace spillway
