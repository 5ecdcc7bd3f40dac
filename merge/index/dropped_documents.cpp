#include "merge/index/dropped_documents.hpp"

#include <stdexcept>

namespace spillway {

DroppedDocuments::DroppedDocuments(MemoryBudget& budget, std::uint64_t document_count) {
  const std::size_t words = static_cast<std::size_t>((document_count + 63) / 64);
  reservation_ = budget.reserve(words * (sizeof(std::uint64_t) + sizeof(std::uint32_t)), "dropped documents");
  bits_.resize(words);
  dropped_before_.resize(words);
}

void DroppedDocuments::drop(std::uint32_t document) {
  if (document >> 6 >= bits_.size()) throw std::logic_error("a document was dropped that the source does not have");
  std::uint64_t& word = bits_[document >> 6];
  const std::uint64_t bit = std::uint64_t{1} << (document & 63);
  count_ += (word & bit) == 0 ? 1 : 0;
  word |= bit;
}

void DroppedDocuments::seal() {
  std::uint32_t before = 0;
  for (std::size_t word = 0; word < bits_.size(); ++word) {
    dropped_before_[word] = before;
    before += static_cast<std::uint32_t>(std::popcount(bits_[word]));
  }
}

}  // namespace spillway
