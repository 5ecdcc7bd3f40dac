#include "io/run/term_block_builder.hpp"

#include <algorithm>
#include <stdexcept>

#include "io/base/bytes.hpp"
#include "io/base/checksum.hpp"
#include "io/base/varint.hpp"

namespace spillway {

namespace {

// The most bytes of the varints in an entry's head: shared, suffix, df, cf - df, last document, posting and position
// bytes.
constexpr std::size_t kMaxHeadVarintBytes = 3 + 3 + 5 + 10 + 5 + 3 + 3;
// An empty block has room for 1 / kLeastShare of block_bytes, whatever the term.
constexpr std::size_t kLeastShare = 4;

std::size_t max_head_bytes(std::size_t term_bytes) { return kMaxHeadVarintBytes + term_bytes; }

// Returns whether `term` >= `last`, given the length of their common prefix.
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
  const std::size_t taken = used_bytes_ + max_head_bytes(term.size());
  const std::size_t left = block_bytes_ - std::min(block_bytes_, taken);
  return empty() ? std::max(left, block_bytes_ / kLeastShare) : left;
}

// Returns where the postings, and after them the positions, are to be written.
std::uint8_t* TermBlockBuilder::begin_entry(const RunEntry& entry, std::size_t posting_bytes,
                                            std::size_t position_bytes) {
  const std::string_view term = entry.term, last(last_term_.data(), last_term_bytes_);
  const std::size_t shared = empty() ? 0 : shared_bytes(term, last);
  const bool in_order = empty() || is_behind(term, last, shared);
  if (!in_order || term.empty() || term.size() > kMaxRunTermBytes || entry.document_count == 0 ||
      entry.occurrence_count < entry.document_count || posting_bytes + position_bytes > room(term) ||
      (!has_positions_ && position_bytes != 0)) {
    throw std::logic_error("a term block was given an entry that it cannot take");
  }
  if (empty()) {
    block_.first_term = term;
    block_.payload.reserve(max_block_bytes(block_bytes_, term.size()));
  }
  keep_term(term, shared);
  block_.longest_term_bytes = std::max(block_.longest_term_bytes, static_cast<std::uint32_t>(term.size()));
  ++block_.entry_count;
  block_.posting_count += entry.document_count;
  block_.occurrence_count += entry.occurrence_count;
  make_place(max_head_bytes(term.size()) + posting_bytes + position_bytes);
  std::uint8_t* const body = write_head(entry, posting_bytes, position_bytes, shared);
  used_bytes_ = static_cast<std::size_t>(body - block_.payload.data()) + posting_bytes + position_bytes;
  return body;
}

// Copies `term` to last_term_, which already has its first `shared` bytes.
void TermBlockBuilder::keep_term(std::string_view term, std::size_t shared) {
  if (last_term_.size() < term.size()) last_term_.resize(2 * term.size());
  copy_bytes(bytes_of(term.substr(shared)), reinterpret_cast<std::uint8_t*>(last_term_.data()) + shared);
  last_term_bytes_ = term.size();
}

// Grows the payload in few steps, beyond its used bytes. It never moves, because a whole block is reserved.
void TermBlockBuilder::make_place(std::size_t bytes) {
  constexpr std::size_t kStepBytes = std::size_t{16} << 10;
  const std::size_t needed = used_bytes_ + bytes;
  if (needed <= block_.payload.size()) return;
  block_.payload.resize(std::max(needed, std::min(needed + kStepBytes, block_.payload.capacity())));
}

std::uint8_t* TermBlockBuilder::write_head(const RunEntry& entry, std::size_t posting_bytes, std::size_t position_bytes,
                                           std::size_t shared) {
  const std::string_view suffix = entry.term.substr(shared);
  std::uint8_t* end = write_varint(block_.payload.data() + used_bytes_, shared);
  end = write_varint(end, suffix.size());
  end = copy_bytes(bytes_of(suffix), end);
  end = write_varint(end, entry.document_count);
  end = write_varint(end, entry.occurrence_count - entry.document_count);
  end = write_varint(end, entry.last_document);
  end = write_varint(end, posting_bytes);
  return has_positions_ ? write_varint(end, position_bytes) : end;
}

void TermBlockBuilder::add(const RunEntry& entry) {
  std::uint8_t* const body = begin_entry(entry, entry.postings.size(), entry.positions.size());
  copy_bytes(entry.positions, copy_bytes(entry.postings, body));
}

std::uint8_t* TermBlockBuilder::add(RunEntry& entry, std::size_t posting_bytes, std::size_t position_bytes) {
  std::uint8_t* const body = begin_entry(entry, posting_bytes, position_bytes);
  entry.postings = {body, posting_bytes};
  entry.positions = {body + posting_bytes, position_bytes};
  return body;
}

TermBlock TermBlockBuilder::finish() {
  TermBlock done = std::move(block_);
  done.payload.resize(used_bytes_);
  done.payload_crc = crc32c(0, done.payload);
  block_ = TermBlock();
  used_bytes_ = 0;
  return done;
}

}  // namespace spillway
