#include "io/index/postings_cursor.hpp"

#include <algorithm>
#include <string>

#include "io/base/byte_order.hpp"
#include "io/index/state.hpp"
#include "io/postings/bit_packing.hpp"
#include "io/postings/list_tail.hpp"

namespace spillway {

PostingsCursor::PostingsCursor(const IndexReader& index, const TermEntry& entry)
    : index_(index),
      lists_(index.state().postings(entry.part)),
      document_count_(entry.document_count),
      occurrence_count_(entry.occurrence_count),
      posting_offset_(entry.posting_offset),
      posting_bytes_(entry.posting_bytes),
      bound_offset_(entry.bound_offset),
      single_document_(entry.single_document) {}

void PostingsCursor::fail(std::string_view expected, std::string_view found) const {
  lists_.fail(posting_offset_ + offset_, expected, found);
}

bool PostingsCursor::next_block() {
  if (done_ == document_count_) {
    count_ = 0;
    return false;
  }
  count_ = static_cast<std::size_t>(std::min<std::uint64_t>(kPostingsBlock, document_count_ - done_));
  if (document_count_ == 1) {
    decode_single();
  } else if (count_ < kPostingsBlock) {
    decode_tail();
  } else {
    decode_full(widths_before_block());
  }
  for (std::size_t i = 0; i < count_; ++i) occurrences_ += frequencies_[i];
  done_ += count_;
  if (done_ == document_count_) {
    if (offset_ != posting_bytes_)
      fail("the end of the list", std::to_string(posting_bytes_ - offset_) + " more bytes");
    if (occurrences_ != occurrence_count_) {
      fail(std::to_string(occurrence_count_) + " occurrences", std::to_string(occurrences_));
    }
  }
  return true;
}

void PostingsCursor::decode_single() {
  if (occurrence_count_ >> 32 != 0) fail("a frequency below 2^32", std::to_string(occurrence_count_));
  documents_[0] = single_document_;
  frequencies_[0] = static_cast<std::uint32_t>(occurrence_count_);
  finish_block(single_document_);
}

PostingsCursor::Widths PostingsCursor::widths_before_block() {
  const std::uint8_t* from = nullptr;
  if (document_count_ == kPostingsBlock) {
    if (posting_bytes_ < 2) fail("the widths of a block", "the end of the list");
    from = lists_.at(posting_offset_, 2);
    offset_ = 2;
  } else {
    const std::uint64_t entry = bound_offset_ + done_ / kPostingsBlock * kBoundEntryBytes;
    from = index_.state().section(Section::kBounds).at(entry, kBoundEntryBytes) + 4;
  }
  return {from[0], from[1]};
}

// Gaps are summed in 64 bits: 128 of them stay below 2^40, and the final sum is below the count only if every partial
// sum is.
void PostingsCursor::decode_full(Widths widths) {
  const auto [document_bits, frequency_bits] = widths;
  if (document_bits > kMaxPackedWidth || frequency_bits > kMaxPackedWidth ||
      packed_bytes(document_bits + frequency_bits) > posting_bytes_ - offset_) {
    fail("a block of at most 32 bits a value inside the list",
         std::to_string(document_bits) + " and " + std::to_string(frequency_bits) + " bits");
  }
  const std::uint64_t bytes = packed_bytes(document_bits + frequency_bits);
  const std::uint8_t* from = lists_.at(posting_offset_ + offset_, bytes);
  unpack_block(from, document_bits, documents_);
  unpack_block(from + packed_bytes(document_bits), frequency_bits, frequencies_);
  std::uint64_t next = next_document_;
  for (std::uint32_t& document : documents_) {
    next += document;
    document = static_cast<std::uint32_t>(next++);
  }
  std::uint32_t zeros = 0;
  for (std::uint32_t& frequency : frequencies_) zeros |= ++frequency == 0 ? 1u : 0u;
  if (zeros != 0) fail("frequencies below 2^32", "2^32");
  offset_ += bytes;
  finish_block(next - 1);
}

void PostingsCursor::decode_tail() {
  const std::uint64_t left = posting_bytes_ - offset_;
  const std::uint8_t* const begin = lists_.at(posting_offset_ + offset_, left);
  ListTail tail{
      begin, begin + left, count_, occurrence_count_ == document_count_, next_document_, index_.counts().documents};
  decode_list_tail(tail, documents_, frequencies_,
                   [this](std::string_view expected, std::string_view found) { fail(expected, found); });
  offset_ += static_cast<std::uint64_t>(tail.at - begin);
  finish_block(tail.next_document - 1);
}

void PostingsCursor::finish_block(std::uint64_t last_document) {
  if (last_document >= index_.counts().documents) {
    fail("documents below " + std::to_string(index_.counts().documents), std::to_string(last_document));
  }
  if (document_count_ > kPostingsBlock) {
    const std::uint64_t entry = bound_offset_ + done_ / kPostingsBlock * kBoundEntryBytes;
    const auto expected = load_le<std::uint32_t>(index_.state().section(Section::kBounds).at(entry, kBoundEntryBytes));
    if (last_document != expected) {
      fail("document " + std::to_string(expected) + " at the end of the block", std::to_string(last_document));
    }
    index_.state().section(Section::kBounds).check_whole();
  }
  if (document_count_ > 1) lists_.check_whole();
  next_document_ = last_document + 1;
}

}  // namespace spillway
