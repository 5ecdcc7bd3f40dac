#include <algorithm>
#include <bit>
#include <cstring>
#include <stdexcept>

#include "io/checksum.hpp"
#include "io/run_writer.hpp"
#include "io/varint.hpp"

namespace spillway {

namespace {

// Varints of an entry's head at their longest: shared, suffix, df, cf - df, last document, posting and position bytes.
constexpr std::size_t kMaxHeadVarintBytes = 3 + 3 + 5 + 10 + 5 + 3 + 3;
// An empty block has room for this share of block_bytes, whatever the term.
constexpr std::size_t kLeastShare = 4;

std::size_t max_head_bytes(std::size_t term_bytes) { return kMaxHeadVarintBytes + term_bytes; }

// Bytes at the start that both have.
std::size_t shared_bytes(std::string_view a, std::string_view b) {
  const std::size_t most = std::min(a.size(), b.size());
  std::size_t i = 0;
  if constexpr (std::endian::native == std::endian::little) {
    for (std::uint64_t of_a = 0, of_b = 0; i + sizeof of_a <= most; i += sizeof of_a) {
      std::memcpy(&of_a, a.data() + i, sizeof of_a);
      std::memcpy(&of_b, b.data() + i, sizeof of_b);
      if (of_a != of_b) return i + static_cast<std::size_t>(std::countr_zero(of_a ^ of_b)) / 8;
    }
  }
  while (i != most && a[i] == b[i]) ++i;
  return i;
}

// Is `term` behind `last`, or the same?
bool is_behind(std::string_view term, std::string_view last, std::size_t shared) {
  if (shared == last.size()) return true;
  return shared != term.size() && static_cast<unsigned char>(term[shared]) > static_cast<unsigned char>(last[shared]);
}

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
  const std::size_t shared = empty() ? 0 : shared_bytes(term, last_term_);
  const bool in_order = empty() || is_behind(term, last_term_, shared);
  if (!in_order || term.empty() || term.size() > kMaxRunTermBytes || piece.document_count == 0 ||
      piece.occurrence_count < piece.document_count || posting_bytes + position_bytes > room(term) ||
      (!has_positions_ && position_bytes != 0)) {
    throw std::logic_error("a term block was given an entry that it cannot take");
  }
  if (empty()) {
    block_.first_term = term;
    block_.payload.reserve(max_block_bytes(block_bytes_, term.size()));
  }
  append_head(piece, posting_bytes, position_bytes, shared);
  last_term_ = term;
  block_.longest_term_bytes = std::max(block_.longest_term_bytes, static_cast<std::uint32_t>(term.size()));
  ++block_.entry_count;
  block_.posting_count += piece.document_count;
  block_.occurrence_count += piece.occurrence_count;
}

void TermBlockBuilder::append_head(const TermPiece& piece, std::size_t posting_bytes, std::size_t position_bytes,
                                   std::size_t shared) {
  const std::string_view suffix = piece.term.substr(shared);
  const std::size_t before = block_.payload.size();
  block_.payload.resize(before + max_head_bytes(suffix.size()));  // at most
  std::uint8_t* end = write_varint(block_.payload.data() + before, shared);
  end = write_varint(end, suffix.size());
  std::memcpy(end, suffix.data(), suffix.size());
  end = write_varint(end + suffix.size(), piece.document_count);
  end = write_varint(end, piece.occurrence_count - piece.document_count);
  end = write_varint(end, piece.last_document);
  end = write_varint(end, posting_bytes);
  if (has_positions_) end = write_varint(end, position_bytes);
  block_.payload.resize(static_cast<std::size_t>(end - block_.payload.data()));
}

void TermBlockBuilder::add(const TermPiece& piece) {
  begin_entry(piece, piece.postings.size(), piece.positions.size());
  append({&piece.postings, 1});
  append({&piece.positions, 1});
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
  set_views(piece, posting_bytes, position_bytes);
}

std::uint8_t* TermBlockBuilder::add(TermPiece& piece, std::size_t posting_bytes, std::size_t position_bytes) {
  begin_entry(piece, posting_bytes, position_bytes);
  block_.payload.resize(block_.payload.size() + posting_bytes + position_bytes);
  set_views(piece, posting_bytes, position_bytes);
  return block_.payload.data() + (block_.payload.size() - posting_bytes - position_bytes);
}

// To the end of the block.
void TermBlockBuilder::set_views(TermPiece& piece, std::size_t posting_bytes, std::size_t position_bytes) const {
  const auto added = std::span<const std::uint8_t>(block_.payload).last(posting_bytes + position_bytes);
  piece.postings = added.first(posting_bytes);
  piece.positions = added.subspan(posting_bytes);
}

TermBlock TermBlockBuilder::finish() {
  TermBlock done = std::move(block_);
  done.payload_crc = crc32c(0, done.payload);
  block_ = TermBlock();
  return done;
}

}  // namespace spillway
