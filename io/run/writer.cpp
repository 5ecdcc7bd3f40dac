#include "io/run/writer.hpp"
#include "io/run/term_block_builder.hpp"

#include <algorithm>
#include <cstring>
#include <stdexcept>

#include "io/base/varint.hpp"
#include "io/run/layout.hpp"

namespace spillway {

namespace {

using namespace run_layout;

void append_bytes(std::vector<std::uint8_t>& to, const void* from, std::size_t count) {
  const auto* bytes = static_cast<const std::uint8_t*>(from);
  to.insert(to.end(), bytes, bytes + count);
}

template <typename T>
void append_integer(std::vector<std::uint8_t>& to, T value) {
  append_bytes(to, &value, sizeof value);
}

std::array<std::uint8_t, kHeaderBytes> make_header(const RunIdentity& identity) {
  std::array<std::uint8_t, kHeaderBytes> header{};
  std::memcpy(header.data(), kMagic.data(), kMagic.size());
  store_le(header.data() + kMajorAt, kMajor);
  store_le(header.data() + kMinorAt, kMinor);
  store_le(header.data() + kIncompatibleAt, identity.has_texts ? kHasTexts : std::uint32_t{0});
  const std::uint32_t flags = (identity.has_positions ? kHasPositions : 0) |
                              (identity.first_document_open ? kFirstOpen : 0) |
                              (identity.last_document_open ? kLastOpen : 0);
  store_le(header.data() + kFlagsAt, flags);
  std::copy(identity.job.begin(), identity.job.end(), header.begin() + kJobAt);
  store_le(header.data() + kNumberAt, identity.number);
  store_le(header.data() + kHeaderCrcAt, crc32c(0, {header.data(), kHeaderCrcAt}));
  return header;
}

struct BlockHead {
  std::uint8_t kind;
  std::size_t bytes;
  std::uint32_t count;
};

// `payload_crc` is the CRC of the payload alone.
void write_block_header(const BlockHead& head, std::uint32_t seed, std::uint32_t payload_crc, std::uint8_t* to) {
  to[kKindAt] = head.kind;
  to[kCodecAt] = kStoredAsIs;
  store_le(to + kBlockReservedAt, std::uint16_t{0});
  store_le(to + kStoredAt, static_cast<std::uint32_t>(head.bytes));
  store_le(to + kRawAt, static_cast<std::uint32_t>(head.bytes));
  store_le(to + kCountAt, head.count);
  const std::uint32_t block_crc = crc32c(seed, {to, kBlockCrcAt});
  store_le(to + kBlockCrcAt, block_crc);
  store_le(to + kPayloadCrcAt, crc32c_join(block_crc, payload_crc, head.bytes));
}

void write_block_header(const TermBlock& block, std::uint32_t seed, std::uint8_t* to) {
  const std::uint32_t crc = block.payload_crc ? *block.payload_crc : crc32c(0, block.payload);
  write_block_header({kTermBlock, block.payload.size(), block.entry_count}, seed, crc, to);
}

}  // namespace

RunWriter::RunWriter(WritableFile& file, const RunIdentity& identity, std::size_t block_bytes)
    : file_(file),
      block_bytes_(block_bytes),
      has_positions_(identity.has_positions),
      documents_(kBlockHeaderBytes),
      texts_(kBlockHeaderBytes) {
  if (block_bytes < kMinRunBlockBytes || block_bytes > kMaxRunBlockBytes || file.size() != 0) {
    throw std::logic_error("a run writer needs an empty file and a block size in bounds");
  }
  const auto header = make_header(identity);
  header_crc_ = load_le<std::uint32_t>(header.data() + kHeaderCrcAt);
  file_.append(header);
}

std::size_t RunWriter::memory_bytes(std::size_t block_bytes) {
  return 2 * block_bytes + TermBlockBuilder::max_block_bytes(block_bytes) + kBlockHeaderBytes +
         2 * kMaxTermSamples * (sizeof(TermSample) + kSampleTermBytes);
}

// Appends the payload in place, without a copy: all threads that make blocks wait for the one that appends them.
void RunWriter::append_block(const TermBlock& block) {
  std::array<std::uint8_t, kBlockHeaderBytes> header{};
  write_block_header(block, next_block_seed(), header.data());
  file_.append(header);
  file_.append(block.payload);
  count_block(block.payload.size());
}

void RunWriter::append_block(std::uint8_t kind, std::vector<std::uint8_t>& held) {
  const std::span<const std::uint8_t> payload = std::span(held).subspan(kBlockHeaderBytes);
  write_block_header({kind, payload.size(), 0}, next_block_seed(), crc32c(0, payload), held.data());
  file_.append(held);
  count_block(payload.size());
  held.resize(kBlockHeaderBytes);
}

std::uint32_t RunWriter::next_block_seed() const { return block_seed(header_crc_, block_count_, file_.size()); }

void RunWriter::count_block(std::size_t raw_bytes) {
  largest_block_bytes_ = std::max(largest_block_bytes_, static_cast<std::uint32_t>(raw_bytes));
  ++block_count_;
}

void RunWriter::add_sample(const TermBlock& block) {
  if (term_block_count_ % sample_stride_ != 0) return;
  samples_.push_back({block.first_term.substr(0, kSampleTermBytes), file_.size(), block_count_});
  if (samples_.size() <= kMaxTermSamples) return;
  for (std::size_t i = 0; 2 * i < samples_.size(); ++i) std::swap(samples_[i], samples_[2 * i]);
  samples_.resize((samples_.size() + 1) / 2);
  sample_stride_ *= 2;
}

RunWriter::Place RunWriter::place_terms(const TermBlock& block) {
  if (block.entry_count == 0 || block.payload.empty() || block.payload.size() > kMaxRunBlockBytes ||
      block.first_term < last_first_term_) {
    throw std::logic_error("a run was given a term block that is empty, too large or out of order");
  }
  last_first_term_ = block.first_term;
  add_sample(block);
  Place place{block_count_, file_.size(), {}};
  place.room = file_.extend(kBlockHeaderBytes + block.payload.size());
  if (place.room.empty()) {
    append_block(block);
  } else {
    count_block(block.payload.size());
  }
  ++term_block_count_;
  longest_term_bytes_ = std::max(longest_term_bytes_, block.longest_term_bytes);
  entry_count_ += block.entry_count;
  posting_count_ += block.posting_count;
  occurrence_count_ += block.occurrence_count;
  return place;
}

void RunWriter::fill(const Place& place, const TermBlock& block) const {
  if (place.room.empty()) return;
  std::memcpy(place.room.data() + kBlockHeaderBytes, block.payload.data(), block.payload.size());
  write_block_header(block, block_seed(header_crc_, place.number, place.offset), place.room.data());
}

void RunWriter::append_documents(std::span<const std::uint8_t> bytes) {
  document_bytes_ += bytes.size();
  append_stream(kDocumentBlock, documents_, bytes);
}

void RunWriter::append_texts(std::span<const std::uint8_t> bytes) { append_stream(kTextBlock, texts_, bytes); }

void RunWriter::append_stream(std::uint8_t kind, std::vector<std::uint8_t>& held, std::span<const std::uint8_t> bytes) {
  const std::size_t full_bytes = kBlockHeaderBytes + block_bytes_;
  while (!bytes.empty()) {
    const std::size_t count = std::min(bytes.size(), full_bytes - held.size());
    append_bytes(held, bytes.data(), count);
    bytes = bytes.subspan(count);
    if (held.size() == full_bytes) append_block(kind, held);
  }
}

void RunWriter::append_footer(const RunSummary& summary) {
  std::vector<std::uint8_t> footer;
  append_integer(footer, summary.document_count);
  append_integer(footer, summary.entry_count);
  append_integer(footer, summary.posting_count);
  append_integer(footer, summary.occurrence_count);
  for (const std::uint64_t lane : summary.sum.lanes) append_integer(footer, lane);
  append_integer(footer, block_count_);
  append_integer(footer, term_block_count_);
  append_integer(footer, document_bytes_);
  append_integer(footer, largest_block_bytes_);
  append_integer(footer, longest_term_bytes_);
  append_integer(footer, summary.has_stored_ids ? kHasStoredIds : 0);
  append_integer(footer, static_cast<std::uint32_t>(samples_.size()));
  if (has_positions_) append_integer(footer, summary.sum.positions);
  for (const TermSample& sample : samples_) {
    append_integer(footer, sample.block_offset);
    append_integer(footer, sample.block_number);
    append_integer(footer, static_cast<std::uint8_t>(sample.first_term.size()));
    append_bytes(footer, sample.first_term.data(), sample.first_term.size());
  }
  append_integer(footer, crc32c(footer_seed(header_crc_, file_.size()), footer));
  file_.append(footer);
}

void RunWriter::finish(const RunSummary& summary) {
  if (summary.entry_count != entry_count_ || summary.posting_count != posting_count_ ||
      summary.occurrence_count != occurrence_count_ || summary.document_count > kMaxRunDocuments ||
      document_bytes_ / 2 < summary.document_count) {
    throw std::logic_error("the summary of a run disagrees with what was appended to it");
  }
  if (documents_.size() != kBlockHeaderBytes) append_block(kDocumentBlock, documents_);
  if (texts_.size() != kBlockHeaderBytes) append_block(kTextBlock, texts_);
  const std::uint64_t footer_offset = file_.size();
  append_footer(summary);
  std::array<std::uint8_t, kTrailerBytes> trailer{};
  store_le(trailer.data() + kFooterOffsetAt, footer_offset);
  store_le(trailer.data() + kFooterBytesAt, static_cast<std::uint32_t>(file_.size() - footer_offset));
  store_le(trailer.data() + kTrailerCrcAt, crc32c(header_crc_, {trailer.data(), kTrailerCrcAt}));
  std::memcpy(trailer.data() + kTrailerMagicAt, kTrailerMagic.data(), kTrailerMagic.size());
  file_.append(trailer);
}

}  // namespace spillway
