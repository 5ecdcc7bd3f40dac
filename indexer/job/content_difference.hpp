// In which content options two indexes differ, in words: why they cannot be merged.
#pragma once

#include <string>
#include <vector>

#include "io/format/content_options.hpp"

namespace spillway {

struct ContentDifference {
  std::string option;  // "--tokenizer", "version of ICU"
  std::string first, second;
};

// None for equal options.
std::vector<ContentDifference> content_differences(const ContentOptions& first, const ContentOptions& second);

}  // namespace spillway
