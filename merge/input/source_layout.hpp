// Where the documents of neighbouring inputs lie in the source that they make together: a document that was cut between
// inputs counts once. Pure arithmetic over identities and summaries, with the checks that the inputs fit together.
#pragma once

#include <span>
#include <vector>

#include "merge/input/merge_input.hpp"

namespace spillway {

struct SourceLayout {
  std::vector<std::uint64_t> bases;  // number, in the source, of the first document of each input
  std::uint64_t document_count = 0;
  bool first_open = false, last_open = false;  // the source itself begins or ends inside a document
};

// Requires: at least one input (std::logic_error). Throws FormatError naming the input where neighbours are of
// different jobs or disagree on whether the document between them is open, UsageError for more documents than an index
// can number.
SourceLayout lay_out_source(std::span<const MergeInput* const> inputs);

}  // namespace spillway
