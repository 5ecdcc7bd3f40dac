// The documents of a merge's inputs as one stream: the parts of a document that was cut between inputs become one.
#pragma once

#include <functional>
#include <span>
#include <string>

#include "merge/input/merge_input.hpp"

namespace spillway {

enum class JoinStep { kGoOn, kStop };

// Sees the documents of the source in order, with their numbers there, until it says stop. Views live for the call.
using TakeDocument = std::function<JoinStep(std::uint32_t number, const RunDocument& document)>;

// Lengths of the parts are added, their texts concatenated; any other field is taken from the first part that has it.
// Checks that the lengths of each input that is read to its end add up to its occurrences
// (FormatError). One cursor is open at a time. The source
// must begin and end with whole documents, unless `take` is content with parts (merges into a run).
void join_documents(std::span<const MergeInput* const> inputs, const TakeDocument& take);

// Throws the FormatError for a document whose parts are too long together.
[[noreturn]] void refuse_length(const std::string& where);
// What join_documents checks at the end of an input: that it had so many documents, of so many tokens.
void check_lengths(const MergeInput& input, std::uint64_t documents, std::uint64_t lengths);

}  // namespace spillway
