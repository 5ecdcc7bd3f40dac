#include "merge/input/merge_input.hpp"

#include "io/base/error.hpp"

namespace spillway {

namespace {

[[noreturn]] void fail(const MergeInput& input, const std::string& expected, const std::string& found) {
  throw FormatError(input.name() + ": expected " + expected + ", found " + found +
                    ": it is damaged, make it again from its input");
}

}  // namespace

void InputTotals::add(const InputTotals& other) {
  posting_count += other.posting_count;
  occurrence_count += other.occurrence_count;
  sum.join(other.sum, 0);
}

void check_totals(const MergeInput& input, const InputTotals& found) {
  const RunSummary& expected = input.summary();
  const auto cuts = input.cut_postings();
  const bool is_exact = cuts.has_value() || !input.identity().has_positions;
  const bool postings_agree = is_exact ? found.posting_count == expected.posting_count + cuts.value_or(0)
                                       : found.posting_count >= expected.posting_count;
  if (postings_agree && found.occurrence_count == expected.occurrence_count) return;
  fail(input,
       std::to_string(expected.posting_count) + " postings of " + std::to_string(expected.occurrence_count) +
           " occurrences",
       std::to_string(found.posting_count) + " of " + std::to_string(found.occurrence_count));
}

void check_documents(const MergeInput& input, std::uint64_t documents, std::uint64_t tokens) {
  const RunSummary& expected = input.summary();
  if (documents == expected.document_count && tokens == expected.occurrence_count) return;
  fail(input,
       std::to_string(expected.document_count) + " documents with " + std::to_string(expected.occurrence_count) +
           " occurrences",
       std::to_string(documents) + " with " + std::to_string(tokens));
}

std::uint64_t estimated_list_bytes(std::span<const MergeInput* const> inputs) {
  constexpr std::uint64_t kPostingBytes = 2, kPositionBytes = 2;
  std::uint64_t bytes = 0;
  for (const MergeInput* const input : inputs) {
    const RunSummary& summary = input->summary();
    bytes += summary.posting_count * kPostingBytes;
    if (input->identity().has_positions) bytes += summary.occurrence_count * kPositionBytes;
  }
  return bytes;
}

}  // namespace spillway
