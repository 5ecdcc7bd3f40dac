#include "indexer/job/duplicates/placed_ids.hpp"

#include <tbb/parallel_for.h>

#include <algorithm>
#include <limits>
#include <string>
#include <utility>

#include "io/base/error.hpp"
#include "merge/input/documents.hpp"
#include "merge/input/source_layout.hpp"

namespace spillway {

namespace {

// Documents after the end of a range belong to another thread.
[[noreturn]] void refuse_overlap(const MergeInput& input, std::uint64_t first, std::uint64_t end) {
  throw FormatError(input.name() + ": expected " + std::to_string(end - std::min(first, end)) +
                    " documents from number " + std::to_string(first + 1) +
                    " on, found more: it is damaged, make it again from its input");
}

}  // namespace

PlacedIds::PlacedIds(std::span<const MergeInput* const> inputs, const DroppedDocuments& dropped, LengthCodes& lengths)
    : inputs_(inputs), dropped_(dropped), lengths_(lengths), bases_(lay_out_source(inputs).bases) {
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    std::vector<DocumentRange> more = inputs[i]->document_ranges();
    if (more.empty()) {
      ranges_.clear();
      return;
    }
    const std::uint64_t end = bases_[i] + inputs[i]->summary().document_count;
    for (std::size_t r = 0; r < more.size(); ++r) {
      Range& range = ranges_.emplace_back();
      range.input = i;
      range.first = bases_[i] + more[r].first;
      range.end = r + 1 == more.size() ? end : std::min(end, bases_[i] + more[r + 1].first);
      range.cursor = std::move(more[r].cursor);
    }
  }
}

void PlacedIds::read(std::span<StringRef> ids, const std::function<void()>& check) {
  tbb::parallel_for(std::size_t{0}, ranges_.size(), [&](std::size_t r) { read_range(ranges_[r], ids, check); });
  check_inputs();
  join_parts(ids);
}

void PlacedIds::read_range(Range& range, std::span<StringRef> ids, const std::function<void()>& check) {
  std::uint64_t number = range.first;
  for (DocumentCursor& cursor = *range.cursor; cursor.next(); ++number) {
    if (check) check();
    if (number >= range.end) refuse_overlap(*inputs_[range.input], range.first, range.end);
    const auto document_number = static_cast<std::uint32_t>(number);
    const RunDocument& document = cursor.document();
    const bool has_id = document.fields != RunDocument::kDropped && (document.fields & RunDocument::kId) != 0;
    range.tokens += document.length;
    if (is_cut(range.input, number)) {
      range.parts.push_back({document_number, document.length, has_id, document.id});
      continue;
    }
    lengths_.set(document_number, document.length);
    place(document_number, has_id, document.id, ids);
  }
  range.documents = number - range.first;
}

bool PlacedIds::is_cut(std::size_t input, std::uint64_t number) const {
  const RunIdentity& identity = inputs_[input]->identity();
  return (identity.first_document_open && number == bases_[input]) ||
         (identity.last_document_open && number + 1 == bases_[input] + inputs_[input]->summary().document_count);
}

void PlacedIds::place(std::uint32_t number, bool has_id, std::string_view id, std::span<StringRef> ids) const {
  ids[number] = {};
  if (!has_id || dropped_.contains(number)) return;
  ids[number] = {reinterpret_cast<const std::uint8_t*>(id.data()), static_cast<std::uint32_t>(id.size()), number};
}

// The parts of a document are neighbours.
void PlacedIds::join_parts(std::span<StringRef> ids) {
  Part whole;
  bool any = false;
  for (const Range& range : ranges_) {
    for (const Part& part : range.parts) {
      if (!std::exchange(any, true) || part.number != whole.number) whole = {part.number, 0, false, {}};
      if (part.length > std::numeric_limits<std::uint32_t>::max() - whole.length) {
        refuse_length(inputs_[range.input]->name());
      }
      whole.length += part.length;
      if (!whole.has_id && part.has_id) {
        whole.has_id = true;
        whole.id = part.id;
      }
      lengths_.set(whole.number, whole.length);
      place(whole.number, whole.has_id, whole.id, ids);
    }
  }
}

void PlacedIds::check_inputs() const {
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
