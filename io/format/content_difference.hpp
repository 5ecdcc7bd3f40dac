// The content options in which two indexes differ, in words: the reason why they cannot be merged.
#pragma once

#include <string>
#include <vector>

#include "io/format/content_options.hpp"

namespace spillway {

struct ContentDifference {
  std::string option;  // "--tokenizer", "version of ICU"
  std::string first, second;
  bool changes_terms = false;  // the same text may have other terms
};

// Empty for equal options.
std::vector<ContentDifference> content_differences(const ContentOptions& first, const ContentOptions& second);

}  // namespace spillway
