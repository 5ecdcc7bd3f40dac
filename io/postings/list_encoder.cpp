#include "io/postings/list_encoder.hpp"

#include <algorithm>
#include <bit>
#include <cassert>
#include <stdexcept>
#include <utility>

#include "io/base/byte_order.hpp"
#include "io/base/varint.hpp"
#include "io/format/index.hpp"

namespace spillway {

namespace {

// Appends `count` bytes to be written in place and returns their address. Grows the capacity geometrically.
std::uint8_t* extend(ByteVector& bytes, std::size_t count) {
  const std::size_t size = bytes.size();
  if (bytes.capacity() - size < count) bytes.reserve(std::max(2 * bytes.capacity(), size + count));
  bytes.resize(size + count);
  return bytes.data() + size;
}

void append(ByteVector& to, std::span<const std::uint8_t> bytes) {
  if (!bytes.empty()) std::copy(bytes.begin(), bytes.end(), extend(to, bytes.size()));
}

// Reserves `count` in an empty vector, and keeps a larger capacity unless it is much larger: a batch of long lists is
// nearly all positions, one of short lists has hardly any, and reused batches would end up with room for both.
template <typename Vector>
void make_room(Vector& used, std::size_t count) {
  if (used.capacity() > 2 * count) used = Vector();
  used.reserve(count);
}

}  // namespace

ListEncoder::ListEncoder(std::span<const std::uint8_t> length_codes, Positions positions)
    : length_codes_(length_codes), positions_(positions) {}

void ListEncoder::begin(std::string_view term) {
  term_ = term;
  started_ = entry_open_ = false;
  pending_count_ = 0;
  encoded_count_ = occurrence_count_ = 0;
  next_document_ = 0;
  position_encoder_.begin();
}

ListBatch::Entry& ListEncoder::entry() {
  if (!entry_open_) {
    ListBatch::Entry& fresh = batch_.entries.emplace_back();
    if (!started_) {
      fresh.starts = true;
      fresh.term_bytes = static_cast<std::uint32_t>(term_.size());
      append(batch_.terms, {reinterpret_cast<const std::uint8_t*>(term_.data()), term_.size()});
    }
    started_ = entry_open_ = true;
  }
  return batch_.entries.back();
}

void ListEncoder::add(std::span<const std::uint32_t> documents, std::span<const std::uint32_t> frequencies) {
  assert(documents.size() == frequencies.size());
  occurrence_count_ += sum_of(frequencies);
  if (positions_ == Positions::kStored) position_encoder_.add_postings(frequencies);
  if (pending_count_ != 0) {
    const std::size_t taken = std::min(kPostingsBlock - pending_count_, documents.size());
    keep(documents.first(taken), frequencies.first(taken));
    documents = documents.subspan(taken);
    frequencies = frequencies.subspan(taken);
    if (documents.empty()) return;
    encode_block(pending_documents_.data(), pending_frequencies_.data());
    pending_count_ = 0;
  }
  for (; documents.size() > kPostingsBlock; documents = documents.subspan(kPostingsBlock)) {
    encode_block(documents.data(), frequencies.data());
    frequencies = frequencies.subspan(kPostingsBlock);
  }
  keep(documents, frequencies);
}

void ListEncoder::keep(std::span<const std::uint32_t> documents, std::span<const std::uint32_t> frequencies) {
  std::copy(documents.begin(), documents.end(),
            pending_documents_.begin() + static_cast<std::ptrdiff_t>(pending_count_));
  std::copy(frequencies.begin(), frequencies.end(),
            pending_frequencies_.begin() + static_cast<std::ptrdiff_t>(pending_count_));
  pending_count_ += documents.size();
}

void ListEncoder::add_positions(std::span<const std::uint32_t> distances) {
  const std::size_t before = batch_.positions.size();
  position_encoder_.add(distances, batch_.positions);
  if (batch_.positions.size() != before) entry().position_bytes += batch_.positions.size() - before;
}

void ListEncoder::end_positions(std::uint64_t document_count) {
  if (position_encoder_.count() != (positions_ == Positions::kStored ? occurrence_count_ : 0)) {
    throw std::logic_error("ListEncoder: a list without a position for each occurrence");
  }
  const std::size_t before = batch_.positions.size();
  position_encoder_.end(document_count, batch_.positions);
  entry().position_bytes += batch_.positions.size() - before;
}

// A gap of 2^31 or more means a document before its predecessor: documents are below 2^31.
void ListEncoder::check_documents(std::uint32_t gap_bits, std::uint32_t last_document) const {
  if (gap_bits >> 31 != 0) throw std::logic_error("ListEncoder: documents do not ascend");
  if (last_document >= length_codes_.size()) throw std::logic_error("ListEncoder: a document without a length code");
}

ListEncoder::Packing ListEncoder::append_block(const UnpackedBlock& block, std::uint32_t last_document) {
  check_documents(block.gap_bits, last_document);
  const Packing bits{static_cast<unsigned>(std::bit_width(block.gap_bits)),
                     static_cast<unsigned>(std::bit_width(block.rest_bits))};
  std::uint8_t* to = extend(batch_.postings, packed_bytes(bits.document_bits + bits.frequency_bits));
  pack_block(block.gaps.data(), bits.document_bits, to);
  pack_block(block.rest.data(), bits.frequency_bits, to + packed_bytes(bits.document_bits));
  next_document_ = last_document + 1;
  encoded_count_ += kPostingsBlock;
  return bits;
}

void ListEncoder::encode_block(const std::uint32_t* documents, const std::uint32_t* frequencies) {
  ListBatch::Entry& to = entry();
  const std::size_t before = batch_.postings.size();
  const UnpackedBlock block = shape_block(documents, frequencies, next_document_);
  const Packing bits = append_block(block, documents[kPostingsBlock - 1]);
  append_bound({documents, kPostingsBlock}, block.most, bits);
  to.posting_bytes += batch_.postings.size() - before;
}

void ListEncoder::append_bound(std::span<const std::uint32_t> documents, std::uint32_t most, Packing bits) {
  const std::uint8_t least = least_code(documents, length_codes_);
  std::uint8_t* to = extend(batch_.bounds, kBoundEntryBytes);
  store_le<std::uint32_t>(to, documents.back());
  to[4] = static_cast<std::uint8_t>(bits.document_bits);
  to[5] = static_cast<std::uint8_t>(bits.frequency_bits);
  to[6] = frequency_code(most);
  to[7] = least;
  entry().bound_bytes += kBoundEntryBytes;
}

// A list of exactly one block has no bounds; its widths precede the block.
void ListEncoder::encode_single_block() {
  ListBatch::Entry& to = entry();
  const std::size_t before = batch_.postings.size();
  extend(batch_.postings, 2);
  const UnpackedBlock block = shape_block(pending_documents_.data(), pending_frequencies_.data(), next_document_);
  const Packing bits = append_block(block, pending_documents_.back());
  batch_.postings[before] = static_cast<std::uint8_t>(bits.document_bits);
  batch_.postings[before + 1] = static_cast<std::uint8_t>(bits.frequency_bits);
  to.posting_bytes += batch_.postings.size() - before;
}

void ListEncoder::encode_tail() {
  ListBatch::Entry& to = entry();
  const std::uint64_t document_count = encoded_count_ + pending_count_;
  const bool all_once = occurrence_count_ == document_count;
  std::array<std::uint8_t, kPostingsBlock * 2 * 5> bytes;
  std::uint8_t* end = bytes.data();
  std::uint32_t gap_bits = 0;
  for (std::size_t i = 0; i < pending_count_; ++i) {
    const std::uint32_t gap = pending_documents_[i] - next_document_, frequency = pending_frequencies_[i];
    gap_bits |= gap;
    next_document_ = pending_documents_[i] + 1;
    if (all_once || document_count == 1) {
      end = write_varint(end, gap);
    } else {
      end = write_varint(end, std::uint64_t{gap} << 1 | (frequency == 1 ? 1 : 0));
      if (frequency != 1) end = write_varint(end, frequency);
    }
  }
  check_documents(gap_bits, next_document_ - 1);
  append(batch_.postings, {bytes.data(), end});
  to.posting_bytes += static_cast<std::uint64_t>(end - bytes.data());
  if (encoded_count_ != 0) {
    const auto most = std::max_element(pending_frequencies_.begin(),
                                       pending_frequencies_.begin() + static_cast<std::ptrdiff_t>(pending_count_));
    append_bound({pending_documents_.data(), pending_count_}, *most, {0, 0});
  }
}

void ListEncoder::end() {
  const std::uint64_t document_count = encoded_count_ + pending_count_;
  if (document_count == 0) return;
  if (pending_count_ == kPostingsBlock && encoded_count_ == 0) {
    encode_single_block();
  } else if (pending_count_ == kPostingsBlock) {
    encode_block(pending_documents_.data(), pending_frequencies_.data());
  } else {
    encode_tail();
  }
  if (positions_ == Positions::kStored) end_positions(document_count);
  ListBatch::Entry& last = entry();
  last.ends = true;
  last.document_count = document_count;
  last.occurrence_count = occurrence_count_;
  entry_open_ = false;
}

// Reserves the size of the last batch for the next one, so that it is not copied while it grows.
ListBatch ListEncoder::take(ListBatch&& used) {
  entry_open_ = false;
  used.clear();
  ListBatch done = std::exchange(batch_, std::move(used));
  make_room(batch_.entries, done.entries.size());
  make_room(batch_.terms, done.terms.size());
  make_room(batch_.postings, done.postings.size());
  make_room(batch_.bounds, done.bounds.size());
  make_room(batch_.positions, done.positions.size());
  return done;
}

}  // namespace spillway
