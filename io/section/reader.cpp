#include "io/section/reader.hpp"

#include <algorithm>

#include "io/base/byte_order.hpp"
#include "io/base/error.hpp"

namespace spillway {

SectionReader::SectionReader(FileSystem& files, const std::string& directory, Section section,
                             const SectionStats& expected, std::size_t resident_bytes)
    : path_(directory + "/" + std::string(section_name(section))),
      section_(section),
      stats_(expected),
      most_resident_pages_(resident_bytes == 0 ? 0 : std::max<std::size_t>(1, resident_bytes / kPageBytes)) {
  const auto status = files.status(path_);
  if (!status || status->type != FileType::kRegular) {
    throw_damaged(path_, 0, "a file that the manifest names", status ? name_of(status->type) : "nothing");
  }
  file_ = files.open(path_);
  const std::uint64_t size = file_->size();
  if (size != expected.file_bytes) {
    throw_damaged(path_, size, std::to_string(expected.file_bytes) + " bytes as the manifest says",
                  std::to_string(size));
  }
  if (size < kSectionHeaderBytes + kSectionFooterBytes) throw_damaged(path_, size, "header and footer", "the end");
  bytes_ = file_->map();
  if (bytes_.size() != size) {
    owned_.resize(size);
    file_->read_exactly(0, owned_);
    bytes_ = owned_;
  }
  data_ = bytes_.data() + kSectionHeaderBytes;
  last_mark_ = bytes_.data() + size - kSectionFooterBytes + kLastMarkAt;
  check_header();
  check_footer(expected.footer_crc);
  checked_ = std::vector<std::atomic<std::uint64_t>>(table().size() / 4 / 64 + 1);
}

void SectionReader::check_header() const {
  const std::uint8_t* header = bytes_.data();
  if (!std::equal(kSectionMagic.begin(), kSectionMagic.end(), header)) {
    fail_in_file(0, "the magic of an index file", "other bytes");
  }
  const auto crc = load_le<std::uint32_t>(header + 60), found = crc32c(0, {header, 60});
  if (crc != found) fail_in_file(60, "header CRC " + to_hex(found), to_hex(crc));
  const auto major = load_le<std::uint16_t>(header + 8);
  const auto incompatible = load_le<std::uint32_t>(header + 12);
  if (major != kIndexMajor || incompatible != 0) {
    throw FormatError(printable(path_) + " at byte 8: expected index format " + std::to_string(kIndexMajor) +
                      " without incompatible features, found " + std::to_string(major) + " with " +
                      to_hex(incompatible) + "; read it with the version that made it, or build the index again");
  }
  const auto section = load_le<std::uint32_t>(header + 20);
  if (section != static_cast<std::uint32_t>(section_)) {
    fail_in_file(20, "section " + std::to_string(static_cast<unsigned>(section_)), std::to_string(section));
  }
}

void SectionReader::check_footer(std::uint32_t expected_crc) {
  const std::uint64_t at = bytes_.size() - kSectionFooterBytes;
  const std::uint8_t* footer = bytes_.data() + at;
  const auto crc = load_le<std::uint32_t>(footer + 28), found = crc32c(0, {footer, 28});
  if (crc != found) fail_in_file(at + 28, "footer CRC " + to_hex(found), to_hex(crc));
  if (crc != expected_crc) fail_in_file(at + 28, "the manifest's footer CRC " + to_hex(expected_crc), to_hex(crc));
  data_bytes_ = load_le<std::uint64_t>(footer);
  const auto page_bytes = load_le<std::uint32_t>(footer + 8);
  table_crc_ = load_le<std::uint32_t>(footer + 12);
  if (page_bytes != kPageBytes) fail_in_file(at + 8, "pages of 65536 bytes", std::to_string(page_bytes));
  if (load_le<std::uint32_t>(footer + 16) != static_cast<std::uint32_t>(section_)) {
    fail_in_file(at + 16, "the section of the header", "another");
  }
  const std::uint64_t inner = at - kSectionHeaderBytes;
  if (data_bytes_ > inner || (data_bytes_ + kPageBytes - 1) / kPageBytes * 4 != inner - data_bytes_) {
    fail_in_file(at, "data and page table that fill the file", std::to_string(data_bytes_) + " data bytes");
  }
}

std::span<const std::uint8_t> SectionReader::table() const {
  const std::uint64_t begin = kSectionHeaderBytes + data_bytes_;
  return bytes_.subspan(begin, bytes_.size() - kSectionFooterBytes - begin);
}

void SectionReader::report_loss() const {
  fail_in_file(bytes_.size() - kSectionFooterBytes, "the footer as when the file was opened", "other bytes");
}

void SectionReader::fail_in_file(std::uint64_t offset, std::string_view expected, std::string_view found) const {
  file_->check_mapping();
  for (const auto& sibling : siblings_) sibling->file_->check_mapping();
  throw_damaged(path_, offset, expected, found);
}

void SectionReader::check_table() const {
  if (table_checked_.load(std::memory_order_acquire)) return;
  const std::uint32_t found = crc32c(0, table());
  if (found != table_crc_) {
    fail_in_file(kSectionHeaderBytes + data_bytes_, "page table CRC " + to_hex(table_crc_), to_hex(found));
  }
  table_checked_.store(true, std::memory_order_release);
  if (most_resident_pages_ != 0 && owned_.empty()) file_->release_pages();  // a table may be large
}

void SectionReader::release() const {
  if (most_resident_pages_ == 0 || !owned_.empty()) return;
  resident_pages_.store(0, std::memory_order_relaxed);
  for (auto& word : checked_) word.store(0, std::memory_order_relaxed);
  file_->release_pages();
}

void SectionReader::check_page(std::uint64_t page) const {
  check_table();
  if (most_resident_pages_ != 0 && resident_pages_.fetch_add(1, std::memory_order_relaxed) >= most_resident_pages_) {
    release();
    resident_pages_.store(1, std::memory_order_relaxed);
  }
  const std::uint64_t offset = page * kPageBytes;
  const std::uint64_t bytes = std::min<std::uint64_t>(kPageBytes, data_bytes_ - offset);
  const std::uint32_t found = crc32c(section_page_crc(section_, page), {data_ + offset, bytes});
  const auto expected = load_le<std::uint32_t>(table().data() + page * 4);
  if (found != expected) {
    fail_in_file(kSectionHeaderBytes + offset, "CRC " + to_hex(expected) + " of page " + std::to_string(page),
                 to_hex(found));
  }
  checked_[page / 64].fetch_or(std::uint64_t{1} << page % 64, std::memory_order_relaxed);
}

void SectionReader::refuse_range(std::uint64_t offset, std::uint64_t bytes) const {
  fail(offset, std::to_string(bytes) + " bytes", "the end of the data at " + std::to_string(data_bytes_));
}

void SectionReader::fail(std::uint64_t offset, std::string_view expected, std::string_view found) const {
  fail_in_file(kSectionHeaderBytes + offset, expected, found);
}

void SectionReader::check_all(const std::function<void(std::uint64_t)>& progress) const {
  StreamingHash128 hash;
  const std::size_t step = std::size_t{1} << 20;
  for (std::uint64_t at = 0; at < bytes_.size(); at += step) {
    const auto part = bytes_.subspan(at, std::min<std::uint64_t>(step, bytes_.size() - at));
    hash.update(part);
    progress(at + part.size());
  }
  if (hash.digest() != stats_.hash) {
    fail_in_file(0, "XXH3-128 " + to_hex(stats_.hash) + " as the manifest says", to_hex(hash.digest()));
  }
  check_table();
  for (std::uint64_t page = 0; page * kPageBytes < data_bytes_; ++page) {
    if (!is_checked(page)) check_page(page);
  }
}

}  // namespace spillway
