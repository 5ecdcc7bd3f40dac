// Where a parallel merge cuts the terms: ranges of about equal weight over all inputs, chosen from their term samples.
#pragma once

#include <span>
#include <string>
#include <utility>
#include <vector>

#include "merge/input/merge_input.hpp"

namespace spillway {

// Ranges of terms in ascending order, which together hold all terms. They decide how work is divided, never the output.
class TermRanges {
 public:
  explicit TermRanges(std::vector<std::string> splitters) : splitters_(std::move(splitters)) {}

  std::size_t count() const { return splitters_.size() + 1; }
  // Range i holds the terms first(i) <= term < last(i). The empty string means no bound.
  std::string first(std::size_t i) const { return i == 0 ? std::string() : splitters_[i - 1]; }
  std::string last(std::size_t i) const { return i == splitters_.size() ? std::string() : splitters_[i]; }

 private:
  std::vector<std::string> splitters_;
};

// Returns at most range_count - 1 terms, ascending, none empty; fewer if the samples do not give as many.
// O(s log s) for s samples: at most max(32 * range_count, 16 * inputs), and at most 16384 if there are fewer than 1024
// inputs.
std::vector<std::string> choose_term_splitters(std::span<const MergeInput* const> inputs, std::size_t range_count);

// Returns the most memory of that call: its result is included, the samples of one input are not.
std::size_t splitter_memory_bytes(std::size_t input_count, std::size_t range_count);

}  // namespace spillway
