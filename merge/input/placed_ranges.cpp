#include "merge/input/placed_ranges.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "io/base/error.hpp"
#include "merge/input/source_layout.hpp"

namespace spillway {

PlacedRanges::PlacedRanges(std::span<const MergeInput* const> inputs) : inputs_(inputs) {
  const std::vector<std::uint64_t> bases = lay_out_source(inputs).bases;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    std::vector<DocumentRange> more = inputs[i]->document_ranges();
    if (more.empty()) {
      ranges_.clear();
      return;
    }
    const RunIdentity& identity = inputs[i]->identity();
    const std::uint64_t end = bases[i] + inputs[i]->summary().document_count;
    cut_.push_back(
        {identity.first_document_open ? bases[i] : kNone, identity.last_document_open && end != 0 ? end - 1 : kNone});
    for (std::size_t r = 0; r < more.size(); ++r) {
      Range& range = ranges_.emplace_back();
      range.input = i;
      range.first = bases[i] + more[r].first;
      range.end = r + 1 == more.size() ? end : std::min(end, bases[i] + more[r + 1].first);
      range.bytes = more[r].bytes;
      range.cursor = std::move(more[r].cursor);
    }
  }
}

// Documents after the end of a range belong to another thread.
void PlacedRanges::refuse_overlap(const Range& range) const {
  throw FormatError(inputs_[range.input]->name() + ": expected " +
                    std::to_string(range.end - std::min(range.first, range.end)) + " documents from number " +
                    std::to_string(range.first + 1) + " on, found more: it is damaged, make it again from its input");
}

void PlacedRanges::check_inputs() const {
  for (std::size_t i = 0, r = 0; i < inputs_.size(); ++i) {
    std::uint64_t documents = 0, tokens = 0;
    for (; r < ranges_.size() && ranges_[r].input == i; ++r) {
      documents += ranges_[r].documents;
      tokens += ranges_[r].tokens;
    }
    check_documents(*inputs_[i], documents, tokens);
  }
}

}  // namespace spillway
