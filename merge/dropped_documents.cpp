#include "merge/dropped_documents.hpp"

#include <bit>
#include <stdexcept>

namespace spillway {

namespace {

constexpr std::uint32_t kWordsPerCount = 8;  // 512 bits

std::size_t word_count(std::uint64_t documents) { return static_cast<std::size_t>((documents + 63) / 64); }

}  // namespace

DroppedDocuments::DroppedDocuments(MemoryBudget& budget, std::uint64_t document_count) {
  const std::size_t words = word_count(document_count);
  const std::size_t counts = words / kWordsPerCount + 1;
  reservation_ = budget.reserve(words * sizeof(std::uint64_t) + counts * sizeof(std::uint32_t), "dropped documents");
  bits_.resize(words);
  dropped_before_.resize(counts);
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
    if (word % kWordsPerCount == 0) dropped_before_[word / kWordsPerCount] = before;
    before += static_cast<std::uint32_t>(std::popcount(bits_[word]));
  }
}

std::uint32_t DroppedDocuments::renumber(std::uint32_t document) const {
  if (count_ == 0) return document;
  const std::uint32_t last = document >> 6;
  std::uint32_t before = dropped_before_[last / kWordsPerCount];
  for (std::uint32_t word = last / kWordsPerCount * kWordsPerCount; word != last; ++word) {
    before += static_cast<std::uint32_t>(std::popcount(bits_[word]));
  }
  const std::uint64_t below = (std::uint64_t{1} << (document & 63)) - 1;
  return document - before - static_cast<std::uint32_t>(std::popcount(bits_[last] & below));
}

}  // namespace spillway
