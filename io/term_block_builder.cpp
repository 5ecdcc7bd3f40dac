#include <algorithm>
#include <stdexcept>

#include "io/run_writer.hpp"
#include "io/varint.hpp"

namespace spillway {

namespace {

// Varints of an entry's head at their longest: shared, suffix, df, cf - df, last document, posting and position bytes.
constexpr std::size_t kMaxHeadVarintBytes = 3 + 3 + 5 + 10 + 5 + 3 + 3;
// An empty block has room for this share of block_bytes, whatever the term.
constexpr std::size_t kLeastShare = 4;

std::size_t max_head_bytes(std::size_t term_bytes) { return kMaxHeadVarintBytes + term_bytes; }

}  // namespace

std::size_t TermBlockBuilder::max_block_bytes(std::size_t block_bytes, std::size_t longest_term) {
  return std::max(block_bytes, max_head_bytes(longest_term) + block_bytes / kLeastShare);
}

TermBlockBuilder::TermBlockBuilder(std::size_t block_bytes, bool has_positions)
    : block_bytes_(block_bytes), has_positions_(has_positions) {
  if (block_bytes < kMinRunBlockBytes || block_bytes > kMaxRunBlockBytes) {
    throw std::logic_error("run blocks of " + std::to_string(block_bytes) + " bytes");
  }
}

std::size_t TermBlockBuilder::room(std::string_view term) const {
  const std::size_t taken = block_.payload.size() + max_head_bytes(term.size());
  const std::size_t left = block_bytes_ - std::min(block_bytes_, taken);
  return empty() ? std::max(left, block_bytes_ / kLeastShare) : left;
}

void TermBlockBuilder::begin_entry(const TermPiece& piece, std::size_t posting_bytes, std::size_t position_bytes) {
  const std::string_view term = piece.term;
  const bool in_order = empty() || term >= last_term_;
  if (!in_order || term.empty() || term.size() > kMaxRunTermBytes || piece.document_count == 0 ||
      piece.occurrence_count < piece.document_count || posting_bytes + position_bytes > room(term) ||
      (!has_positions_ && position_bytes != 0)) {
    throw std::logic_error("a term block was given an entry that it cannot take");
  }
  if (empty()) {
    last_term_.clear();
    block_.first_term = term;
    block_.payload.reserve(max_block_bytes(block_bytes_, term.size()));
  }
  const auto differ = std::mismatch(term.begin(), term.end(), last_term_.begin(), last_term_.end());
  const auto shared = static_cast<std::size_t>(differ.first - term.begin());
  std::uint8_t head[kMaxHeadVarintBytes];
  std::uint8_t* end = write_varint(write_varint(head, shared), term.size() - shared);
  block_.payload.insert(block_.payload.end(), head, end);
  block_.payload.insert(block_.payload.end(), term.begin() + static_cast<std::ptrdiff_t>(shared), term.end());
  end = write_varint(head, piece.document_count);
  end = write_varint(end, piece.occurrence_count - piece.document_count);
  end = write_varint(end, piece.last_document);
  end = write_varint(end, posting_bytes);
  if (has_positions_) end = write_varint(end, position_bytes);
  block_.payload.insert(block_.payload.end(), head, end);
  last_term_ = term;
  block_.longest_term_bytes = std::max(block_.longest_term_bytes, static_cast<std::uint32_t>(term.size()));
  ++block_.entry_count;
  block_.posting_count += piece.document_count;
  block_.occurrence_count += piece.occurrence_count;
}

void TermBlockBuilder::add(const TermPiece& piece) {
  TermPiece added = piece;
  add(added, {&piece.postings, 1}, {&piece.positions, 1});
}

void TermBlockBuilder::append(Parts parts) {
  for (const auto& part : parts) block_.payload.insert(block_.payload.end(), part.begin(), part.end());
}

void TermBlockBuilder::add(TermPiece& piece, Parts postings, Parts positions) {
  const auto bytes_of = [](Parts parts) {
    std::size_t bytes = 0;
    for (const auto& part : parts) bytes += part.size();
    return bytes;
  };
  const std::size_t posting_bytes = bytes_of(postings), position_bytes = bytes_of(positions);
  begin_entry(piece, posting_bytes, position_bytes);
  append(postings);
  append(positions);
  const auto added = std::span<const std::uint8_t>(block_.payload).last(posting_bytes + position_bytes);
  piece.postings = added.first(posting_bytes);
  piece.positions = added.subspan(posting_bytes);
}

TermBlock TermBlockBuilder::finish() {
  TermBlock done = std::move(block_);
  block_ = TermBlock();
  return done;
}

}  // namespace spillway
