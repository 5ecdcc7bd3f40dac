// The length code of every document, 1 byte each. The bounds in the lists need only these codes of the documents, so
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
  // Makes codes for the documents of a source, all of length 0. Reserves 1 byte a document from `budget`.
  LengthCodes(MemoryBudget& budget, std::uint64_t document_count);

  // `document`: its number in the source. Not after drop(). Different documents may be set on different threads.
  void set(std::uint32_t document, std::uint32_t length);
  // Removes the dropped documents; once, after the last set().
  void drop(const DroppedDocuments& dropped);

  // Returns the codes, indexed by number in the source; after drop(), by number in the index.
  std::span<const std::uint8_t> span() const { return codes_.span().first(count_); }

 private:
  Buffer codes_;
  std::size_t count_;
};

// Sets the lengths of the documents of one input, whose first document has the number `first` in the source. Leaves out
// documents that are cut at a border of the input, and returns them: (number, length of the part in this input). May
// run on several threads, for different inputs.
std::vector<std::pair<std::uint32_t, std::uint32_t>> set_lengths(const MergeInput& input, std::uint64_t first,
                                                                 LengthCodes& codes, const StopCheck& check = {});

}  // namespace spillway
