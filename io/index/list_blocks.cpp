#include "io/index/list_blocks.hpp"

#include <algorithm>
#include <string>

#include "io/base/byte_order.hpp"
#include "io/index/state.hpp"
#include "io/postings/bit_packing.hpp"
#include "io/postings/list_tail.hpp"

namespace spillway {

namespace {

// The sum of 128 gaps of this width cannot exceed 2^32.
constexpr unsigned kNarrowBits = 24;

}  // namespace

ListBlocks::ListBlocks(const IndexReader& index, const TermEntry& entry)
    : index_(index),
      lists_(index.state().postings(entry.part)),
      document_count_(entry.document_count),
      occurrence_count_(entry.occurrence_count),
      posting_offset_(entry.posting_offset),
      posting_bytes_(entry.posting_bytes),
      single_document_(entry.single_document) {
  if (document_count_ > kPostingsBlock) {
    read_bounds(entry);
  } else {
    offsets_.push_back(0);
  }
}

void ListBlocks::read_bounds(const TermEntry& entry) {
  const std::size_t count = (document_count_ + kPostingsBlock - 1) / kPostingsBlock;
  const SectionReader& section = index_.state().section(Section::kBounds);
  const std::uint64_t documents = index_.counts().documents;
  bounds_ = section.at(entry.bound_offset, count * kBoundEntryBytes);
  offsets_.resize(count);
  std::uint64_t offset = 0, next = 0;
  for (std::size_t block = 0; block < count; ++block) {
    const std::uint8_t* at = bound(block);
    const auto last = load_le<std::uint32_t>(at);
    offsets_[block] = offset;
    offset += packed_bytes(unsigned{at[4]} + at[5]);
    if (last < next || last >= documents || at[4] > kMaxPackedWidth || at[5] > kMaxPackedWidth ||
        offset > posting_bytes_) {
      section.fail(entry.bound_offset + block * kBoundEntryBytes, "ascending documents and blocks inside the list",
                   "document " + std::to_string(last) + " and " + std::to_string(at[4]) + " and " +
                       std::to_string(at[5]) + " bits");
    }
    next = std::uint64_t{last} + 1;
  }
}

void ListBlocks::fail(std::size_t block, std::string_view expected, std::string_view found) const {
  lists_.fail(posting_offset_ + offsets_[block], expected, found);
}

std::uint32_t ListBlocks::last_document(std::size_t block) const { return load_le<std::uint32_t>(bound(block)); }

std::size_t ListBlocks::posting_count(std::size_t block) const {
  return std::min<std::uint64_t>(kPostingsBlock, document_count_ - block * kPostingsBlock);
}

ListBlocks::Packed ListBlocks::packed(std::size_t block) const {
  if (has_bounds()) {
    const unsigned document_bits = bound(block)[4], frequency_bits = bound(block)[5];
    const std::uint64_t bytes = packed_bytes(document_bits + frequency_bits);
    return {lists_.at(posting_offset_ + offsets_[block], bytes), document_bits, frequency_bits};
  }
  // A list of exactly one block stores its widths before the block.
  const std::uint8_t* widths = lists_.at(posting_offset_, 2);
  if (posting_bytes_ < 2 || widths[0] > kMaxPackedWidth || widths[1] > kMaxPackedWidth ||
      packed_bytes(unsigned{widths[0]} + widths[1]) + 2 != posting_bytes_) {
    fail(block, "a block that fills the list", std::to_string(posting_bytes_) + " bytes");
  }
  return {lists_.at(posting_offset_, posting_bytes_) + 2, widths[0], widths[1]};
}

void ListBlocks::decode_packed_documents(std::size_t block, std::uint32_t* to) const {
  const Packed from = packed(block);
  const std::uint32_t first = has_bounds() ? least_document(block) : 0;
  if (from.document_bits <= kNarrowBits) {
    unpack_documents(from.bytes, from.document_bits, first, to);
  } else {
    unpack_block(from.bytes, from.document_bits, to);
    std::uint64_t next = first;
    for (std::size_t i = 0; i < kPostingsBlock; ++i) {
      next += to[i];
      to[i] = static_cast<std::uint32_t>(std::min<std::uint64_t>(next++, index_.counts().documents));
    }
  }
  const std::uint32_t last = to[kPostingsBlock - 1];
  if (has_bounds() ? last != last_document(block) : last >= index_.counts().documents) {
    fail(block,
         has_bounds() ? "document " + std::to_string(last_document(block)) + " at the end of the block"
                      : "documents below " + std::to_string(index_.counts().documents),
         std::to_string(last));
  }
}

void ListBlocks::decode_documents(std::size_t block, std::uint32_t* to) {
  if (posting_count(block) == kPostingsBlock) {
    decode_packed_documents(block, to);
  } else {
    std::uint32_t frequencies[kPostingsBlock];
    decode_tail(block, to, frequencies);
  }
}

void ListBlocks::decode_frequencies(std::size_t block, std::uint32_t* to) {
  if (posting_count(block) != kPostingsBlock) {
    std::uint32_t documents[kPostingsBlock];
    decode_tail(block, documents, to);
    return;
  }
  const Packed from = packed(block);
  unpack_block(from.bytes + packed_bytes(from.document_bits), from.frequency_bits, to);
  std::uint32_t zeros = 0;
  for (std::size_t i = 0; i < kPostingsBlock; ++i) zeros |= ++to[i] == 0 ? 1u : 0u;
  if (zeros != 0) fail(block, "frequencies below 2^32", "2^32");
}

void ListBlocks::decode_tail(std::size_t block, std::uint32_t* documents, std::uint32_t* frequencies) const {
  const std::uint64_t limit = index_.counts().documents;
  if (document_count_ == 1) {
    if (single_document_ >= limit || occurrence_count_ >> 32 != 0) {
      fail(block, "a document and a frequency that exist", std::to_string(single_document_));
    }
    documents[0] = single_document_;
    frequencies[0] = static_cast<std::uint32_t>(occurrence_count_);
    return;
  }
  const std::uint64_t left = posting_bytes_ - offsets_[block];
  const std::uint8_t* const begin = lists_.at(posting_offset_ + offsets_[block], left);
  ListTail tail{begin,
                begin + left,
                posting_count(block),
                occurrence_count_ == document_count_,
                has_bounds() ? least_document(block) : 0,
                limit};
  decode_list_tail(tail, documents, frequencies,
                   [&](std::string_view expected, std::string_view found) { fail(block, expected, found); });
  if (tail.at != tail.end) fail(block, "the end of the list", std::to_string(tail.end - tail.at) + " more bytes");
  if (has_bounds() && tail.next_document != std::uint64_t{last_document(block)} + 1) {
    fail(block, "document " + std::to_string(last_document(block)) + " at the end of the block",
         std::to_string(tail.next_document - 1));
  }
}

}  // namespace spillway
