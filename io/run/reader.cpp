#include "io/run/reader.hpp"

#include <algorithm>
#include <array>

#include "io/run/layout.hpp"

namespace spillway {

using namespace run_layout;

RunReader::RunReader(const ReadableFile& file) : file_(file) {
  read_header();
  parse_footer(read_footer());
}

void RunReader::read_header() {
  const std::string& path = file_.path();
  if (file_.size() < kHeaderBytes + kFooterFixedBytes + 4 + kTrailerBytes) {
    throw_damaged(path, 0, "a run", "only " + std::to_string(file_.size()) + " bytes");
  }
  std::array<std::uint8_t, kHeaderBytes> header;
  file_.read_exactly(0, header);
  if (!std::equal(kMagic.begin(), kMagic.end(), header.begin()))
    throw_damaged(path, 0, "the magic of a run", "other bytes");
  const auto major = load_le<std::uint16_t>(header.data() + kMajorAt);
  if (major != kMajor) {
    throw FormatError(printable(path, 4096) + ": offset " + std::to_string(kMajorAt) + ": expected a run of version " +
                      std::to_string(kMajor) + ", found version " + std::to_string(major) +
                      "; read it with the release that wrote it, or make it again");
  }
  header_crc_ = crc32c(0, {header.data(), kHeaderCrcAt});
  if (header_crc_ != load_le<std::uint32_t>(header.data() + kHeaderCrcAt)) {
    throw_damaged(path, kHeaderCrcAt, "the checksum of the header", "another");
  }
  const auto incompatible = load_le<std::uint32_t>(header.data() + kIncompatibleAt);
  if ((incompatible & ~kKnownIncompatible) != 0) {
    throw FormatError(printable(path, 4096) + ": offset " + std::to_string(kIncompatibleAt) +
                      ": expected no features that this release does not know, found " + to_hex(incompatible) +
                      "; read the run with the release that wrote it, or make it again");
  }
  const auto flags = load_le<std::uint32_t>(header.data() + kFlagsAt);
  if ((flags & ~kKnownFlags) != 0) throw_damaged(path, kFlagsAt, "known flags", to_hex(flags));
  std::copy_n(header.begin() + kJobAt, identity_.job.size(), identity_.job.begin());
  identity_.number = load_le<std::uint64_t>(header.data() + kNumberAt);
  identity_.has_positions = (flags & kHasPositions) != 0;
  identity_.first_document_open = (flags & kFirstOpen) != 0;
  identity_.last_document_open = (flags & kLastOpen) != 0;
  identity_.has_texts = (incompatible & kHasTexts) != 0;
}

std::vector<std::uint8_t> RunReader::read_footer() {
  const std::string& path = file_.path();
  const std::uint64_t trailer_offset = file_.size() - kTrailerBytes;
  std::array<std::uint8_t, kTrailerBytes> trailer;
  file_.read_exactly(trailer_offset, trailer);
  if (!std::equal(kTrailerMagic.begin(), kTrailerMagic.end(), trailer.begin() + kTrailerMagicAt)) {
    throw_damaged(path, trailer_offset, "the trailer of a run", "other bytes: it may have been cut short");
  }
  if (crc32c(header_crc_, {trailer.data(), kTrailerCrcAt}) != load_le<std::uint32_t>(trailer.data() + kTrailerCrcAt)) {
    throw_damaged(path, trailer_offset, "the trailer of this run", "another checksum");
  }
  blocks_end_ = load_le<std::uint64_t>(trailer.data() + kFooterOffsetAt);
  const auto footer_bytes = load_le<std::uint32_t>(trailer.data() + kFooterBytesAt);
  if (blocks_end_ < kHeaderBytes || blocks_end_ > trailer_offset || trailer_offset - blocks_end_ != footer_bytes ||
      footer_bytes < kFooterFixedBytes + 4 || footer_bytes > kMaxFooterBytes) {
    throw_damaged(path, trailer_offset, "a footer that ends here",
                  std::to_string(footer_bytes) + " bytes at " + std::to_string(blocks_end_));
  }
  std::vector<std::uint8_t> footer(footer_bytes);
  file_.read_exactly(blocks_end_, footer);
  const std::size_t crc_at = footer_bytes - 4;
  if (crc32c(footer_seed(header_crc_, blocks_end_), {footer.data(), crc_at}) !=
      load_le<std::uint32_t>(footer.data() + crc_at)) {
    throw_damaged(path, blocks_end_, "the footer of this run", "another checksum");
  }
  footer.resize(crc_at);
  return footer;
}

void RunReader::parse_footer(std::span<const std::uint8_t> footer) {
  const auto number = [&](std::size_t at) { return load_le<std::uint64_t>(footer.data() + at); };
  const auto word = [&](std::size_t at) { return load_le<std::uint32_t>(footer.data() + at); };
  summary_.document_count = number(kDocumentCountAt);
  summary_.entry_count = number(kEntryCountAt);
  summary_.posting_count = number(kPostingCountAt);
  summary_.occurrence_count = number(kOccurrenceCountAt);
  summary_.sum.lanes = {number(kSumAt), number(kSumAt + 8)};
  std::size_t samples_at = kFooterFixedBytes;
  if (identity_.has_positions) {
    if (footer.size() < kFooterFixedBytes + kPositionSumBytes) {
      throw_damaged(file_.path(), blocks_end_ + footer.size(), "the sum of positions", "the end of the footer");
    }
    summary_.sum.positions = number(kFooterFixedBytes);
    samples_at += kPositionSumBytes;
  }
  summary_.has_stored_ids = (word(kFooterFlagsAt) & kHasStoredIds) != 0;
  block_count_ = number(kBlockCountAt);
  term_block_count_ = number(kTermBlockCountAt);
  document_bytes_ = number(kDocumentBytesAt);
  block_bytes_ = word(kLargestBlockAt);
  longest_term_bytes_ = word(kLongestTermAt);
  if ((word(kFooterFlagsAt) & ~kKnownFooterFlags) != 0) {
    throw_damaged(file_.path(), blocks_end_ + kFooterFlagsAt, "known flags", to_hex(word(kFooterFlagsAt)));
  }
  parse_samples(footer.subspan(samples_at), word(kSampleCountAt));
  check_counts();
}

void RunReader::check_counts() const {
  const auto require = [&](bool holds, const char* expected) {
    if (!holds) throw_damaged(file_.path(), blocks_end_, expected, "figures that contradict each other");
  };
  const RunSummary& s = summary_;
  const bool has_terms = term_block_count_ != 0;
  require(block_bytes_ <= kMaxRunBlockBytes && longest_term_bytes_ <= kMaxRunTermBytes,
          "block and term sizes in bounds");
  require(s.document_count <= kMaxRunDocuments, "at most 2^32 - 1 documents");
  require(s.document_count != 0 || (!identity_.first_document_open && !identity_.last_document_open && !has_terms),
          "documents");
  require(block_count_ <= (blocks_end_ - kHeaderBytes) / kBlockHeaderBytes && term_block_count_ <= block_count_,
          "as many blocks as fit");
  require((block_count_ == 0) == (blocks_end_ == kHeaderBytes) && (block_count_ == 0) == (block_bytes_ == 0),
          "blocks where there are bytes");
  require(document_bytes_ / 2 >= s.document_count && (document_bytes_ == 0) == (s.document_count == 0),
          "two bytes or more for each document");
  require(
      s.entry_count >= term_block_count_ && s.posting_count >= s.entry_count && s.occurrence_count >= s.posting_count,
      "counts that do not fall");
  require((s.occurrence_count != 0) == has_terms && samples_.empty() != has_terms &&
              (longest_term_bytes_ != 0) == has_terms && samples_.size() <= term_block_count_,
          "terms where there are postings");
  require(s.sum.lanes[0] < field61::kPrime && s.sum.lanes[1] < field61::kPrime && s.sum.positions < field61::kPrime,
          "sums below 2^61 - 1");
}

void RunReader::parse_samples(std::span<const std::uint8_t> bytes, std::uint32_t count) {
  const auto require = [&](bool holds, const char* expected) {
    if (!holds) throw_damaged(file_.path(), blocks_end_ + kFooterFixedBytes, expected, "other values");
  };
  require(count <= kMaxTermSamples, "a bounded number of samples");
  samples_.reserve(count);
  for (std::uint32_t i = 0; i < count; ++i) {
    require(bytes.size() >= kSampleFixedBytes, "samples to the end of the footer");
    TermSample sample;
    sample.block_offset = load_le<std::uint64_t>(bytes.data());
    sample.block_number = load_le<std::uint64_t>(bytes.data() + 8);
    const std::size_t term_bytes = bytes[kSampleFixedBytes - 1];
    bytes = bytes.subspan(kSampleFixedBytes);
    require(term_bytes != 0 && term_bytes <= kSampleTermBytes && term_bytes <= bytes.size(), "1 to 64 bytes of a term");
    sample.first_term.assign(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(term_bytes));
    bytes = bytes.subspan(term_bytes);
    require(
        sample.block_offset >= kHeaderBytes && sample.block_offset < blocks_end_ && sample.block_number < block_count_,
        "samples of blocks of this run");
    if (!samples_.empty()) {
      const TermSample& before = samples_.back();
      require(sample.block_offset > before.block_offset && sample.block_number > before.block_number &&
                  sample.first_term >= before.first_term,
              "samples in order");
    }
    samples_.push_back(std::move(sample));
  }
  require(bytes.empty(), "samples to the end of the footer");
}

std::size_t RunReader::memory_bytes() const {
  return sizeof *this + samples_.size() * (sizeof(TermSample) + kSampleTermBytes);
}

}  // namespace spillway
