// Where a parallel merge cuts the terms: ranges of about equal bytes over all inputs, from their term samples.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "merge/input/merge_input.hpp"

namespace spillway {

// At most range_count - 1 terms, ascending, none empty: range i holds first <= term < last with first = splitters[i-1]
// and last = splitters[i]. Fewer where the samples do not give as many. They decide how the work is divided, never what
// comes out.
std::vector<std::string> choose_term_splitters(std::span<const MergeInput* const> inputs, std::size_t range_count);

// Memory of that at most, what it returns included; beside it one input's samples.
std::size_t splitter_memory_bytes(std::size_t input_count, std::size_t range_count);

}  // namespace spillway
