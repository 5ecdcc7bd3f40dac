// The codes of the lengths of all documents, a byte each: what the bounds of the lists need of the documents, so that
// lists and documents can be merged side by side.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "io/memory/budget.hpp"
#include "merge/index/dropped_documents.hpp"
#include "merge/input/merge_input.hpp"

namespace spillway {

class LengthCodes {
 public:
  // For the documents of a source, all of length 0; paid from `budget`.
  LengthCodes(MemoryBudget& budget, std::uint64_t document_count);

  // `document`: its number in the source. Not after drop().
  void set(std::uint32_t document, std::uint32_t length);
  // Takes the dropped documents out; once, after the last set().
  void drop(const DroppedDocuments& dropped);

  // By number in the source, after drop() by number in the index.
  std::span<const std::uint8_t> span() const { return codes_.span().first(count_); }

 private:
  Buffer codes_;
  std::size_t count_;
};

// Sets the length of each document of one input, as it is in the source that the inputs make. `number`: of its first
// document there. Those that are cut at a border of the input are left out: their parts are returned, by number.
// Different inputs may be read at the same time.
std::vector<std::pair<std::uint32_t, std::uint32_t>> set_lengths(const MergeInput& input, std::uint64_t number,
                                                                 LengthCodes& codes);

// Reads the lengths of all documents of the inputs, and drops.
LengthCodes read_length_codes(std::span<const MergeInput* const> inputs, const DroppedDocuments& dropped,
                              MemoryBudget& budget);

}  // namespace spillway
