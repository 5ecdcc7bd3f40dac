#include "indexer/job/duplicates/placed_ids.hpp"

#include <tbb/parallel_for.h>

#include <limits>
#include <utility>

#include "merge/input/documents.hpp"

namespace spillway {

PlacedIds::PlacedIds(std::span<const MergeInput* const> inputs, const DroppedDocuments& dropped, LengthCodes& lengths)
    : inputs_(inputs), dropped_(dropped), lengths_(lengths), ranges_(inputs) {}

void PlacedIds::read(std::span<StringRef> ids, IdHashes* hashes, const std::function<void()>& check) {
  ids_ = ids;
  hashes_ = hashes;
  std::vector<Parts> parts(ranges_.count());
  tbb::parallel_for(std::size_t{0}, parts.size(), [&](std::size_t r) { read_range(r, parts[r], check); });
  ranges_.check_inputs();
  join_parts(parts);
}

void PlacedIds::read_range(std::size_t range, Parts& parts, const std::function<void()>& check) {
  ranges_.read(range, check, [&](std::uint32_t number, const RunDocument& document, bool is_cut) {
    const bool has_id = document.fields != RunDocument::kDropped && (document.fields & RunDocument::kId) != 0;
    if (is_cut) {
      parts.push_back({number, document.length, has_id, document.id});
      return;
    }
    lengths_.set(number, document.length);
    place(number, has_id, document.id);
  });
}

void PlacedIds::place(std::uint32_t number, bool has_id, std::string_view id) {
  StringRef& placed = ids_[number];
  placed = {};
  if (has_id && !dropped_.contains(number)) {
    placed = {reinterpret_cast<const std::uint8_t*>(id.data()), static_cast<std::uint32_t>(id.size()), number};
  }
  if (hashes_ != nullptr) hashes_->set(number, placed);
}

// The parts of a document are neighbours.
void PlacedIds::join_parts(std::span<const Parts> parts_of_ranges) {
  Part whole;
  bool any = false;
  for (std::size_t r = 0; r < parts_of_ranges.size(); ++r) {
    for (const Part& part : parts_of_ranges[r]) {
      if (!std::exchange(any, true) || part.number != whole.number) whole = {part.number, 0, false, {}};
      if (part.length > std::numeric_limits<std::uint32_t>::max() - whole.length) {
        refuse_length(inputs_[ranges_[r].input]->name());
      }
      whole.length += part.length;
      if (!whole.has_id && part.has_id) {
        whole.has_id = true;
        whole.id = part.id;
      }
      lengths_.set(whole.number, whole.length);
      place(whole.number, whole.has_id, whole.id);
    }
  }
}

}  // namespace spillway
