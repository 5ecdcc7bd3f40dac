// One file of an index: {header, data, page CRCs, footer}. Data is contiguous, so a mapped section reads as one array;
// each 64 KiB page of it has a CRC32C bound to (section, page number, offset), checked before the first byte of the
// page is believed. The manifest holds the CRC of each footer, the footer that of the page table: a page or file of
// another index is noticed.
//
//   header  64: magic "SPWINDEX", u16 major, u16 minor, u32 incompatible, u32 compatible, u32 section, zeros, u32
//   CRC32C footer  32: u64 data bytes, u32 page bytes, u32 CRC32C of the table, u32 section, zeros, u32 CRC32C
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "io/base/checksum.hpp"
#include "io/base/varint.hpp"
#include "io/file/file_system.hpp"
#include "io/format/index.hpp"

namespace spillway {

// What the manifest knows of a section file.
struct SectionStats {
  std::uint64_t file_bytes = 0;
  Hash128 hash{};
  std::uint32_t footer_crc = 0;
  bool operator==(const SectionStats&) const = default;
};

// Appends data; not thread-safe, but bytes_written() may be asked by any thread. Destruction without finish() leaves an
// incomplete file.
class SectionWriter {
 public:
  // Creates `directory`/<section name>. `buffer_bytes` is a multiple of the page. Page CRCs beyond `table_bytes` wait
  // in a file `<name>.pages` until finish().
  SectionWriter(FileSystem& files, const std::string& directory, Section section, std::size_t buffer_bytes,
                std::size_t table_bytes = kTableBytes);
  ~SectionWriter();

  // From now on what was appended is hashed by one thread and written by another, while the caller goes on: with the
  // same bytes. What they meet is thrown by a later append() or end_behind(). Without effect where the system has no
  // threads. Takes behind_bytes() more, `most_owned` being the most that an owner of appended bytes holds. Requires: it
  // is not so already.
  void start_behind();
  // Waits for them, and ends them. finish() does so too.
  void end_behind();
  static std::size_t behind_bytes(std::size_t buffer_bytes, std::size_t most_owned = 0);

  void append(std::span<const std::uint8_t> bytes) {
    if (bytes.size() <= buffer_bytes_ - used_ && !buffer_.empty()) {
      std::copy(bytes.begin(), bytes.end(), buffer_.data() + used_);
      used_ += bytes.size();
    } else {
      append_slowly(bytes);
    }
  }
  // The same without a copy where that pays: the bytes stay as they are until `owner` and its copies are gone, which is
  // by the end of end_behind() at the latest.
  void append(std::span<const std::uint8_t> bytes, const std::shared_ptr<const void>& owner);
  template <typename T>
  void append_integer(T value) {
    append({reinterpret_cast<const std::uint8_t*>(&value), sizeof value});
  }
  void append_varint(std::uint64_t value) {
    std::uint8_t bytes[kMaxVarintBytes];
    append({bytes, write_varint(bytes, value)});
  }
  // Data so far: the offset of the next byte.
  std::uint64_t size() const { return flushed_ + used_; }
  std::uint64_t bytes_written() const { return written_.load(std::memory_order_relaxed); }

  // Writes the rest; then file() is complete, to be synced and closed.
  SectionStats finish();
  WritableFile& file() { return *file_; }

  static constexpr std::size_t kTableBytes = std::size_t{16} << 10;  // the CRCs of 256 MiB

 private:
  struct Behind;
  void append_slowly(std::span<const std::uint8_t> bytes);
  void flush();
  void seal(std::span<const std::uint8_t> data);
  void end_page();
  void spill_table();
  std::uint32_t write_table();
  void write(std::span<const std::uint8_t> bytes);
  void put_to_file(std::span<const std::uint8_t> bytes);

  FileSystem& files_;
  std::string table_path_;
  Section section_;
  std::unique_ptr<WritableFile> file_, table_file_;
  std::size_t buffer_bytes_, table_bytes_;
  std::vector<std::uint8_t> buffer_;  // allocated by the first append
  std::size_t used_ = 0;
  std::uint64_t flushed_ = 0;             // data bytes
  std::vector<std::uint32_t> page_crcs_;  // of the pages that are sealed to their ends
  std::uint64_t page_count_ = 0;
  std::uint32_t page_crc_ = 0;  // of the page that is not: of so many bytes
  std::size_t page_bytes_ = 0;
  StreamingHash128 hash_;
  std::atomic<std::uint64_t> written_{0};
  std::unique_ptr<Behind> behind_;  // the last member: its threads use the others
};

// Immutable but for the memory of which pages are checked; thread-safe. Holds no descriptor where the file is mapped.
class SectionReader {
 public:
  // Checks header, footer and size; maps the file (or reads it whole where the file system cannot map). With a window,
  // pages are given back to the system as soon as more than so many bytes of them were checked; they are read and
  // checked again when they are asked for again. What at() gave stays valid.
  SectionReader(FileSystem& files, const std::string& directory, Section section, const SectionStats& expected,
                std::size_t window_bytes = 0);

  const std::string& path() const { return path_; }
  std::uint64_t size() const { return data_bytes_; }

  // `bytes` bytes of data at `offset`, checked. Throws FormatError where they pass the end of the data.
  const std::uint8_t* at(std::uint64_t offset, std::uint64_t bytes) const {
    if (bytes > data_bytes_ || offset > data_bytes_ - bytes) refuse_range(offset, bytes);
    if (bytes != 0) {
      const std::uint64_t last = (offset + bytes - 1) / kPageBytes;
      for (std::uint64_t page = offset / kPageBytes; page <= last; ++page) {
        if (!is_checked(page)) check_page(page);
      }
    }
    return data_ + offset;
  }

  // Gives all pages of a reader with a window back to the system.
  void release() const;

  // Throws FormatError for something wrong at `offset` of the data.
  [[noreturn]] void fail(std::uint64_t offset, std::string_view expected, std::string_view found) const;

  // Checks the hash of the file, then every page. `progress` gets the bytes done of this file.
  void check_all(const std::function<void(std::uint64_t)>& progress) const;

 private:
  bool is_checked(std::uint64_t page) const {
    return (checked_[page / 64].load(std::memory_order_relaxed) >> (page % 64) & 1) != 0;
  }
  [[noreturn]] void refuse_range(std::uint64_t offset, std::uint64_t bytes) const;
  void check_header() const;
  void check_footer(std::uint32_t expected_crc);
  void check_table() const;
  void check_page(std::uint64_t page) const;
  std::span<const std::uint8_t> table() const;

  std::string path_;
  Section section_;
  SectionStats stats_;
  std::unique_ptr<ReadableFile> file_;
  std::vector<std::uint8_t> owned_;  // where the file could not be mapped
  std::span<const std::uint8_t> bytes_;
  const std::uint8_t* data_ = nullptr;
  std::uint64_t data_bytes_ = 0;
  std::uint32_t table_crc_ = 0;
  mutable std::atomic<bool> table_checked_{false};
  std::uint64_t window_pages_;  // 0: no limit
  mutable std::atomic<std::uint64_t> resident_pages_{0};
  mutable std::vector<std::atomic<std::uint64_t>> checked_;
};

}  // namespace spillway
