// Reads a section file (io/section/layout.hpp).
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "io/file/file_system.hpp"
#include "io/section/layout.hpp"

namespace spillway {

// Thread-safe; immutable except for the record of checked pages. Holds no descriptor if the file is mapped. A file that
// is truncated, or whose disk fails, while it is mapped reads as zeros from some place on, without an error: whoever
// gives out what bytes from at() say calls check_whole() in between.
class SectionReader {
 public:
  // Checks header, footer and size, and maps the file (or reads it whole if the file system cannot map). If
  // resident_bytes is not 0, pages go back to the system whenever more than resident_bytes of them were checked; later
  // calls read and check them again. Pointers from at() stay valid in any case.
  SectionReader(FileSystem& files, const std::string& directory, Section section, const SectionStats& expected,
                std::size_t resident_bytes = 0);

  const std::string& path() const { return path_; }
  std::uint64_t size() const { return data_bytes_; }

  // Returns `bytes` checked bytes of data at `offset`. Throws FormatError if they pass the end of the data.
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

  // Throws FormatError or IoError if bytes of the file have been lost since it was opened. Returns otherwise, and then
  // the bytes that were read before the call were those of the file. Takes a nanosecond.
  void check_whole() const {
    std::atomic_signal_fence(std::memory_order_acquire);  // this processor orders loads; the compiler has to
    if (*static_cast<const volatile std::uint8_t*>(last_mark_) != kLastMark) report_loss();
  }

  // Gives all pages of a reader with a limit back to the system.
  void release() const;

  // Errors report a loss of bytes of one of these sections rather than a fault found in this one, because zeros in one
  // section look like faults of another. The span outlives the reader.
  void set_siblings(std::span<const std::unique_ptr<SectionReader>> sections) { siblings_ = sections; }

  // Throws FormatError for a fault at `offset` of the data.
  [[noreturn]] void fail(std::uint64_t offset, std::string_view expected, std::string_view found) const;

  // Checks the hash of the file, then every page. Calls `progress` with the number of bytes of this file checked so
  // far.
  void check_all(const std::function<void(std::uint64_t)>& progress) const;

 private:
  bool is_checked(std::uint64_t page) const {
    return (checked_[page / 64].load(std::memory_order_relaxed) >> (page % 64) & 1) != 0;
  }
  // A byte of the footer that is not 0. Zeros always reach from some place to the end of the file, so they reach it.
  static constexpr std::size_t kLastMarkAt = 10;
  static constexpr std::uint8_t kLastMark = kPageBytes >> 16;
  static_assert(kLastMark != 0, "the third byte of the page size");
  [[noreturn]] void report_loss() const;
  [[noreturn]] void fail_in_file(std::uint64_t offset, std::string_view expected, std::string_view found) const;
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
  std::vector<std::uint8_t> owned_;  // the file's bytes, if it could not be mapped
  std::span<const std::uint8_t> bytes_;
  const std::uint8_t* last_mark_ = nullptr;
  std::span<const std::unique_ptr<SectionReader>> siblings_;
  const std::uint8_t* data_ = nullptr;
  std::uint64_t data_bytes_ = 0;
  std::uint32_t table_crc_ = 0;
  mutable std::atomic<bool> table_checked_{false};
  std::uint64_t most_resident_pages_;  // 0: no limit
  mutable std::atomic<std::uint64_t> resident_pages_{0};
  mutable std::vector<std::atomic<std::uint64_t>> checked_;
};

}  // namespace spillway
