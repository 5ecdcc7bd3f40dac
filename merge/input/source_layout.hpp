// Where the documents of the inputs lie in the source that they form together: a document that was cut between inputs
// counts once. Pure arithmetic over identities and summaries; checks that the inputs fit together.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "merge/input/merge_input.hpp"

namespace spillway {

struct SourceLayout {
  std::vector<std::uint64_t> bases;  // number, in the source, of the first document of each input
  std::uint64_t document_count = 0;
  ContentChecksum sum;                         // of all inputs, in the source's numbering
  bool first_open = false, last_open = false;  // the source itself begins or ends inside a document
};

// O(inputs). Requires at least one input (std::logic_error). Throws FormatError naming the input if neighbours belong
// to different jobs or disagree on whether the document between them is open, and UsageError for more documents than an
// index can number (2^31 - 1).
SourceLayout lay_out_source(std::span<const MergeInput* const> inputs);

// The number, in the source, of the last document of an input, if the next input goes on with it.
std::optional<std::uint32_t> cut_document(std::span<const MergeInput* const> inputs, const SourceLayout& layout,
                                          std::size_t input);

}  // namespace spillway
