// Reads the documents of all inputs of a merge in parallel, for their lengths and for places of their ids.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string_view>
#include <vector>

#include "indexer/job/duplicates/id_hashes.hpp"
#include "merge/index/dropped_documents.hpp"
#include "merge/index/length_codes.hpp"
#include "merge/input/placed_ranges.hpp"
#include "sort/interface/string_sorter.hpp"

namespace spillway {

// Uses all threads of the calling thread's TBB arena.
class PlacedIds {
 public:
  // All of them live longer.
  PlacedIds(std::span<const MergeInput* const> inputs, const DroppedDocuments& dropped, LengthCodes& lengths);

  // False if an input cannot be read in parallel.
  bool can_read() const { return ranges_.can_read(); }
  // Sets lengths and ids, which are indexed by the number of a document in the source; the ids of dropped documents and
  // of those without one become empty. Of a document that is cut between inputs it adds the lengths of the parts, and
  // takes the first id. Sets the hashes of these ids, too, unless `hashes` is null. O(documents). `check` is called
  // often, and throws to stop. FormatError where the documents are not those that an input announces. Requires:
  // can_read().
  void read(std::span<StringRef> ids, IdHashes* hashes, const std::function<void()>& check);

 private:
  // A part of a document that is cut between inputs.
  struct Part {
    std::uint32_t number = 0, length = 0;
    bool has_id = false;
    std::string_view id;
  };
  using Parts = std::vector<Part>;

  void read_range(std::size_t range, Parts& parts, const std::function<void()>& check);
  void place(std::uint32_t number, bool has_id, std::string_view id);
  void join_parts(std::span<const Parts> parts_of_ranges);

  const std::span<const MergeInput* const> inputs_;
  const DroppedDocuments& dropped_;
  LengthCodes& lengths_;
  PlacedRanges ranges_;
  std::span<StringRef> ids_;
  IdHashes* hashes_ = nullptr;
};

}  // namespace spillway
