#include "io/run/term_cursor.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>

#include "io/base/varint.hpp"
#include "io/run/layout.hpp"

namespace spillway {

namespace {

using namespace run_layout;

// Prefetches the first bytes of the postings and the head of the next entry. A merge returns to this cursor only after
// it has read as much from all others, and the caches do not hold a block of each.
void fetch_ahead(const std::uint8_t* postings, const std::uint8_t* behind, const std::uint8_t* end) {
  constexpr std::ptrdiff_t kLineBytes = 64, kMostLines = 4;
  for (std::ptrdiff_t line = 0; line < kMostLines && line * kLineBytes < behind - postings; ++line) {
    __builtin_prefetch(postings + line * kLineBytes);
  }
  __builtin_prefetch(behind);
  if (end - behind > kLineBytes) __builtin_prefetch(behind + kLineBytes);
}

constexpr std::size_t kWordBytes = 8;

// Compares like a.compare(b), but without a call if the first bytes differ.
int compare(std::string_view a, std::string_view b) {
  if (a.empty() || b.empty() || a.front() == b.front()) return a.compare(b);
  return static_cast<unsigned char>(a.front()) < static_cast<unsigned char>(b.front()) ? -1 : 1;
}

// Returns the last sample at which a walk to `first` may start. Samples hold only the start of a term, so a sample
// equal to the start of `first` may already be past wanted terms.
const TermSample* find_start(const std::vector<TermSample>& samples, std::string_view first) {
  const std::string_view start = first.substr(0, kSampleTermBytes);
  auto found = std::partition_point(samples.begin(), samples.end(),
                                    [&](const TermSample& sample) { return sample.first_term < start; });
  if (found != samples.begin()) --found;
  return found == samples.end() ? nullptr : &*found;
}

}  // namespace

RunTermCursor::RunTermCursor(const RunReader& run, std::string first, std::string last)
    : run_(run), first_(std::move(first)), last_(std::move(last)), all_(first_.empty() && last_.empty()) {
  const TermSample* start = find_start(run.term_samples(), first_);
  if (start == nullptr) {
    done_ = true;
    return;
  }
  expected_start_ = start->first_term;
  blocks_ = std::make_unique<RunBlockReader>(run, kTermBlock, start->block_offset, start->block_number);
}

RunTermCursor::~RunTermCursor() = default;

void RunTermCursor::fail(const std::string& expected, const std::string& found) const {
  throw_damaged(run_.file().path(), blocks_->offset(),
                expected + " in entry " + std::to_string(blocks_->count() - entries_left_) + " of this block", found);
}

bool RunTermCursor::next() {
  while (!done_) {
    if (entries_left_ == 0 && !load_block()) {
      done_ = true;
      check_totals();
      return false;
    }
    read_entry();
    if (!first_.empty()) {
      if (entry_.term < first_) continue;
      first_.clear();
    }
    // Further entries of a term belong to the range of its first one.
    done_ = !last_.empty() && !same_term_ && compare(entry_.term, last_) >= 0;
    if (!done_) return true;
  }
  return false;
}

// Peeks at the first bytes of the next entry, which are checked when it is read.
bool RunTermCursor::ends_term() const {
  if (entries_left_ == 0 || end_ - at_ < 3) return false;
  const std::size_t shared = at_[0], suffix_bytes = at_[1];
  if (shared >= 0x80 || suffix_bytes >= 0x80 || suffix_bytes == 0 || shared > entry_.term.size()) return false;
  return shared == entry_.term.size() || static_cast<char>(at_[2]) != entry_.term[shared];
}

bool RunTermCursor::load_block() {
  if (!blocks_->next()) return false;
  at_ = blocks_->payload().data();
  end_ = at_ + blocks_->payload().size();
  entries_left_ = blocks_->count();
  if (entries_left_ == 0) fail("entries", "none");
  block_starts_ = true;
  return true;
}

inline std::uint64_t RunTermCursor::read_number() {
  if (at_ != end_ && *at_ < 0x80) return *at_++;
  return read_long_number();
}

// Reads up to four bytes without branching on their number: lengths mix here, so most branches would be mispredicted.
inline std::uint64_t RunTermCursor::read_mixed_number() {
  if (end_ - at_ < static_cast<std::ptrdiff_t>(kWordBytes)) return read_number();
  const std::uint64_t word = load_le<std::uint64_t>(at_);
  const std::uint64_t ends = ~word & 0x80808080;
  if (ends == 0) return read_long_number();
  at_ += std::countr_zero(ends) / 8 + 1;
  const std::uint64_t bytes = word & (ends ^ (ends - 1));
  return (bytes & 0x7F) | (bytes >> 1 & 0x3F80) | (bytes >> 2 & 0x1FC000) | (bytes >> 3 & 0xFE00000);
}

std::uint64_t RunTermCursor::read_long_number() {
  std::uint64_t value = 0;
  if (!read_varint(&at_, end_, &value)) fail("a varint of at most 64 bits", "a longer one, or the end of the block");
  return value;
}

void RunTermCursor::read_entry() {
  read_term();
  const std::uint64_t document_count = read_number();
  const std::uint64_t more_occurrences = read_number();
  const std::uint64_t last_document = read_mixed_number();
  const std::uint64_t posting_bytes = read_number();
  const std::uint64_t position_bytes = run_.identity().has_positions ? read_number() : 0;
  const auto left = static_cast<std::uint64_t>(end_ - at_);
  if (posting_bytes > left || position_bytes > left - posting_bytes) {
    fail("postings and positions of at most " + std::to_string(left) + " bytes",
         std::to_string(posting_bytes) + " and " + std::to_string(position_bytes));
  }
  // Every posting takes at least one byte, and the documents of an entry are distinct.
  if (document_count == 0 || document_count > posting_bytes || last_document >= run_.summary().document_count ||
      document_count > last_document + 1) {
    fail("postings that end at a document of the run",
         std::to_string(document_count) + " that end at " + std::to_string(last_document));
  }
  if (more_occurrences > document_count * std::uint64_t{std::numeric_limits<std::uint32_t>::max() - 1}) {
    fail("as many occurrences as the postings can have", std::to_string(more_occurrences) + " more than documents");
  }
  check_entry(at_);
  entry_.document_count = static_cast<std::uint32_t>(document_count);
  entry_.occurrence_count = document_count + more_occurrences;
  entry_.last_document = static_cast<std::uint32_t>(last_document);
  entry_.postings = {at_, static_cast<std::size_t>(posting_bytes)};
  entry_.positions = {at_ + posting_bytes, static_cast<std::size_t>(position_bytes)};
  fetch_ahead(at_, at_ + posting_bytes + position_bytes, end_);
  at_ += posting_bytes + position_bytes;
  --entries_left_;
  if (entries_left_ == 0 && at_ != end_) fail("the end of the block", std::to_string(end_ - at_) + " bytes more");
  ++entry_count_;
  posting_count_ += document_count;
  occurrence_count_ += entry_.occurrence_count;
}

void RunTermCursor::read_term() {
  const std::uint64_t shared = read_number();
  const std::uint64_t suffix_bytes = read_number();
  if (shared > (block_starts_ ? 0 : entry_.term.size()))
    fail("a prefix of the term before", std::to_string(shared) + " bytes");
  const std::size_t longest = run_.longest_term_bytes();
  if (suffix_bytes > longest - shared || shared + suffix_bytes == 0 ||
      suffix_bytes > static_cast<std::uint64_t>(end_ - at_)) {
    fail("a term of 1 to " + std::to_string(longest) + " bytes", std::to_string(suffix_bytes) + " more than shared");
  }
  const std::string_view suffix(reinterpret_cast<const char*>(at_), static_cast<std::size_t>(suffix_bytes));
  if (block_starts_ && !suffix.starts_with(expected_start_)) fail("the term of the sample", printable(suffix, 80));
  if (!move_term(static_cast<std::size_t>(shared), suffix)) fail("terms in order", printable(suffix, 80));
  at_ += suffix_bytes;
  expected_start_ = {};
  block_starts_ = false;
}

// Replaces the bytes after the shared ones. Returns false if the new term is below the previous one.
bool RunTermCursor::move_term(std::size_t shared, std::string_view suffix) {
  const int order = compare(suffix, entry_.term.substr(shared));
  if (order < 0) return false;
  same_term_ = order == 0;
  // Grows with the terms met rather than to the run's longest term, which each of many cursors would hold.
  const std::size_t needed = shared + suffix.size() + kWordBytes;
  if (needed > term_.size()) term_.resize(2 * needed);
  if (suffix.size() <= kWordBytes && end_ - at_ >= static_cast<std::ptrdiff_t>(kWordBytes)) {
    std::memcpy(term_.data() + shared, suffix.data(), kWordBytes);
  } else {
    std::memcpy(term_.data() + shared, suffix.data(), suffix.size());
  }
  entry_.term = {term_.data(), shared + suffix.size()};
  return true;
}

// The entries of one list are in document order; with positions, one posting may be cut between two entries.
void RunTermCursor::check_entry(const std::uint8_t* postings) {
  if (!same_term_) return;
  std::uint64_t first = 0;
  const std::uint64_t least = entry_.last_document + (run_.identity().has_positions ? std::uint64_t{0} : 1);
  if (!read_varint(&postings, end_, &first) || first >> 1 < least) {
    fail("documents after " + std::to_string(entry_.last_document), std::to_string(first >> 1));
  }
}

void RunTermCursor::check_totals() const {
  if (!all_) return;
  const RunSummary& s = run_.summary();
  if (entry_count_ == s.entry_count && posting_count_ == s.posting_count && occurrence_count_ == s.occurrence_count) {
    return;
  }
  const auto stats = [](std::uint64_t entries, std::uint64_t postings, std::uint64_t occurrences) {
    return std::to_string(entries) + " entries, " + std::to_string(postings) + " postings and " +
           std::to_string(occurrences) + " occurrences";
  };
  throw_damaged(run_.file().path(), run_.blocks_end(), stats(s.entry_count, s.posting_count, s.occurrence_count),
                stats(entry_count_, posting_count_, occurrence_count_));
}

}  // namespace spillway
