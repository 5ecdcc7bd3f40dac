#include "merge/input/source_layout.hpp"

#include <limits>
#include <stdexcept>

#include "io/base/error.hpp"

namespace spillway {

namespace {

constexpr std::uint64_t kMaxDocuments = std::numeric_limits<std::int32_t>::max();

void check_neighbours(const MergeInput& left, const MergeInput& right) {
  const RunIdentity &before = left.identity(), &after = right.identity();
  if (before.job != after.job || before.has_positions != after.has_positions) {
    throw FormatError(right.name() + ": expected a run of the job of " + left.name() + " (" + to_hex(before.job) +
                      "), found one of " + to_hex(after.job) + ": merge only what one set of options made");
  }
  if (before.last_document_open != after.first_document_open) {
    throw FormatError(right.name() + ": expected " +
                      (before.last_document_open ? "the rest of the document in which " : "a new document, as ") +
                      left.name() + " ends" +
                      (before.last_document_open ? ", found a new document" : " a document, found the rest of one") +
                      ": a run between them is missing, or their order is wrong");
  }
}

void check_own(const MergeInput& input) {
  const RunIdentity& identity = input.identity();
  if (input.summary().document_count == 0 && (identity.first_document_open || identity.last_document_open)) {
    throw FormatError(input.name() + ": expected a document that is open at a border, found no documents");
  }
}

}  // namespace

SourceLayout lay_out_source(std::span<const MergeInput* const> inputs) {
  if (inputs.empty()) throw std::logic_error("a merge needs an input");
  SourceLayout layout;
  layout.first_open = inputs.front()->identity().first_document_open;
  layout.last_open = inputs.back()->identity().last_document_open;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    check_own(*inputs[i]);
    if (i != 0) check_neighbours(*inputs[i - 1], *inputs[i]);
    if (i != 0 && inputs[i]->identity().first_document_open) --layout.document_count;
    layout.bases.push_back(layout.document_count);
    const std::uint64_t count = inputs[i]->summary().document_count;
    if (count > kMaxDocuments || layout.document_count + count > kMaxDocuments) {
      throw UsageError(inputs[i]->name() + ": with it there are more than " + std::to_string(kMaxDocuments) +
                       " documents, the most that an index holds: make several indexes");
    }
    layout.document_count += count;
    layout.sum.join(inputs[i]->summary().sum, layout.bases[i]);
  }
  return layout;
}

std::optional<std::uint32_t> cut_document(std::span<const MergeInput* const> inputs, const SourceLayout& layout,
                                          std::size_t input) {
  if (!inputs[input]->identity().last_document_open || input + 1 == inputs.size()) return std::nullopt;
  return static_cast<std::uint32_t>(layout.bases[input + 1]);
}

}  // namespace spillway
