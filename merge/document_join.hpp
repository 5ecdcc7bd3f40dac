// The documents of a merge's inputs as one stream: the parts of a document that was cut between inputs become one.
#pragma once

#include <functional>
#include <span>

#include "merge/merge_input.hpp"

namespace spillway {

// Sees every document of the source in order, with its number there. Views live for the call.
using TakeDocument = std::function<void(std::uint32_t number, const RunDocument& document)>;

// Lengths of the parts are added, their texts concatenated; any other field is taken from the first part that has it.
// Checks that each input's lengths add up to its occurrences (FormatError). One cursor is open at a time. The source
// must begin and end with whole documents, unless `take` is content with parts (merges into a run).
void join_documents(std::span<const MergeInput* const> inputs, const TakeDocument& take);

}  // namespace spillway
