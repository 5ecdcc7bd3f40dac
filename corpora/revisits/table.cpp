#include "corpora/revisits/table.hpp"

#include <algorithm>
#include <array>

#include "io/base/byte_order.hpp"
#include "io/base/checksum.hpp"
#include "io/base/error.hpp"

namespace spillway {

namespace {

constexpr std::size_t kEntryBytes = 24, kHeaderBytes = 8, kLengthsBytes = 24;
constexpr std::size_t kWindowEntries = 512;  // of a cursor

std::uint32_t crc_at(std::uint64_t place, std::span<const std::uint8_t> bytes) {
  std::uint8_t number[sizeof place];
  store_le(number, place);
  return crc32c(crc32c(0, number), bytes);
}

[[noreturn]] void fail(const ReadableFile& file, std::uint64_t offset) {
  throw FormatError(printable(file.path(), 4096) + " at byte " + std::to_string(offset) +
                    ": expected the checksum of a revisit, found something else: the scratch disk is not to be "
                    "trusted, choose another with --temp-dir");
}

void append(std::vector<std::uint8_t>& to, std::string_view text) { to.insert(to.end(), text.begin(), text.end()); }

template <typename T>
void append(std::vector<std::uint8_t>& to, T value) {
  std::uint8_t bytes[sizeof value];
  store_le(bytes, value);
  to.insert(to.end(), std::begin(bytes), std::end(bytes));
}

}  // namespace

RevisitTable::RevisitTable(std::unique_ptr<TempFile> entries, std::unique_ptr<TempFile> revisits)
    : entry_file_(std::move(entries)),
      revisit_file_(std::move(revisits)),
      entries_(entry_file_->finish()),
      revisits_(revisit_file_->finish()),
      size_(entries_.size() / kEntryBytes) {}

void RevisitTable::load(std::uint64_t first, std::span<RevisitEntry> to) const {
  std::vector<std::uint8_t> bytes(to.size() * kEntryBytes);
  entries_.read_exactly(first * kEntryBytes, bytes);
  for (std::size_t i = 0; i < to.size(); ++i) {
    const auto entry = std::span(bytes).subspan(i * kEntryBytes, kEntryBytes);
    if (crc_at(first + i, entry.first(kEntryBytes - 4)) != load_le<std::uint32_t>(&entry[kEntryBytes - 4])) {
      fail(entries_, (first + i) * kEntryBytes);
    }
    to[i] = {{load_le<std::uint32_t>(&entry[0]), load_le<std::uint64_t>(&entry[4])},
             load_le<std::uint64_t>(&entry[12])};
  }
}

Revisit RevisitTable::revisit(std::uint64_t place) const {
  std::array<std::uint8_t, kHeaderBytes> header;
  revisits_.read_exactly(place, header);
  const auto count = load_le<std::uint32_t>(&header[0]);
  if (count < kLengthsBytes || count > revisits_.size() - place) fail(revisits_, place);
  std::vector<std::uint8_t> bytes(count);
  revisits_.read_exactly(place + kHeaderBytes, bytes);
  if (crc_at(place, bytes) != load_le<std::uint32_t>(&header[4])) fail(revisits_, place);
  Revisit result;
  result.offset = load_le<std::uint64_t>(&bytes[0]);
  const auto* at = reinterpret_cast<const char*>(bytes.data()) + kLengthsBytes;
  std::size_t length_at = sizeof result.offset;
  for (std::string* const text : {&result.id, &result.url, &result.date, &result.path}) {
    const auto length = load_le<std::uint32_t>(&bytes[length_at]);
    text->assign(at, length);
    at += length;
    length_at += sizeof length;
  }
  return result;
}

std::uint64_t RevisitTable::lower_bound(const RecordLocation& record) const {
  std::uint64_t begin = 0, end = size_;
  while (begin < end) {
    const std::uint64_t middle = begin + (end - begin) / 2;
    RevisitEntry entry;
    load(middle, {&entry, 1});
    if (entry.record < record) {
      begin = middle + 1;
    } else {
      end = middle;
    }
  }
  return begin;
}

void RevisitTable::check_all_met(const RecordLocation& start) const {
  const std::uint64_t expected = size_ - lower_bound(start), met = met_.load();
  if (met == expected) return;
  throw IoError("the input changed while it was read: expected " + std::to_string(expected) +
                " places of revisits and of the records that they refer to, as in the pass before, found " +
                std::to_string(met) + ". Run the job again on files that stay as they are.");
}

RevisitTableWriter::RevisitTableWriter(TempSpace& temp)
    : entries_{temp.create("revisits")}, revisits_{temp.create("revisits")} {}

void RevisitTableWriter::Output::flush() {
  file->writer().append(bytes);
  written += bytes.size();
  bytes.clear();
}

std::uint64_t RevisitTableWriter::add(const Revisit& revisit) {
  const std::uint64_t place = revisits_.size();
  std::vector<std::uint8_t> bytes;
  append(bytes, revisit.offset);
  const std::array<std::string_view, 4> texts{revisit.id, revisit.url, revisit.date, revisit.path};
  for (const std::string_view text : texts) append(bytes, static_cast<std::uint32_t>(text.size()));
  for (const std::string_view text : texts) append(bytes, text);
  append(revisits_.bytes, static_cast<std::uint32_t>(bytes.size()));
  append(revisits_.bytes, crc_at(place, bytes));
  revisits_.bytes.insert(revisits_.bytes.end(), bytes.begin(), bytes.end());
  if (revisits_.bytes.size() >= kBufferBytes) revisits_.flush();
  return place;
}

void RevisitTableWriter::add(const RevisitEntry& entry) {
  std::vector<std::uint8_t>& bytes = entries_.bytes;
  const std::size_t begin = bytes.size();
  append(bytes, static_cast<std::uint32_t>(entry.record.file));
  append(bytes, entry.record.offset);
  append(bytes, entry.revisit);
  append(bytes, crc_at(count_++, std::span(bytes).subspan(begin)));
  if (bytes.size() >= kBufferBytes) entries_.flush();
}

std::unique_ptr<RevisitTable> RevisitTableWriter::finish() {
  entries_.flush();
  revisits_.flush();
  return std::make_unique<RevisitTable>(std::move(entries_.file), std::move(revisits_.file));
}

bool RevisitCursor::seek(const RecordLocation& record) {
  record_ = record;
  // With an entry before the record, the window also tells where no more entries come.
  if (!holds(record)) load(std::max<std::uint64_t>(table_.lower_bound(record), 1) - 1);
  const auto found = std::ranges::lower_bound(window_, record, {}, &RevisitEntry::record);
  at_ = static_cast<std::size_t>(found - window_.begin());
  return found != window_.end() && found->record == record;
}

std::optional<std::uint64_t> RevisitCursor::next() {
  if (at_ == window_.size() && !load(first_ + at_)) return std::nullopt;
  if (window_[at_].record != record_) return std::nullopt;
  table_.met_.fetch_add(1, std::memory_order_relaxed);
  return window_[at_++].revisit;
}

// Whether the window has the first entry of the record, or shows that there is none.
bool RevisitCursor::holds(const RecordLocation& record) const {
  if (window_.empty()) return false;
  const bool has_begin = first_ == 0 || window_.front().record < record;
  return has_begin && (window_.back().record >= record || first_ + window_.size() == table_.size());
}

// Returns whether there are any entries from number `first` on.
bool RevisitCursor::load(std::uint64_t first) {
  window_.resize(static_cast<std::size_t>(std::min(kWindowEntries, table_.size() - std::min(first, table_.size()))));
  table_.load(first, window_);
  first_ = first;
  at_ = 0;
  return !window_.empty();
}

}  // namespace spillway
