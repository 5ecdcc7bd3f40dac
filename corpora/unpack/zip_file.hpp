// The entries of a zip file, one after the other, read by libzip. A WACZ is a zip file with the WARC files of a crawl.
#pragma once

#include <cstdint>
#include <exception>
#include <memory>
#include <optional>
#include <string>

#include "corpora/unpack/packed_input.hpp"
#include "io/file/file_system.hpp"
#include "io/memory/budget.hpp"

struct zip;

namespace spillway {

class ZipFile {
 public:
  static constexpr std::size_t kDirectoryBytes = std::size_t{256} << 10;  // memory for a directory of usual length
  // Not reserved here: libzip with the libraries that it needs, and what it allocates.
  static constexpr std::size_t kOwnBytes = (std::size_t{2560} << 10) + kDirectoryBytes;

  // The memory for a zip file of `bytes` bytes: kOwnBytes, or more for a long directory. IoError.
  static std::uint64_t needed_bytes(const ReadableFile& file, std::uint64_t bytes);

  // Opens a zip file of `bytes` bytes. Its directory is kept in memory; what needed_bytes() has beyond `kept_bytes` is
  // reserved from the budget. A file that is no whole zip file has no entries, and a fault(). Throws IoError, also
  // where there is no libzip, and BudgetError for a directory that does not fit.
  ZipFile(std::unique_ptr<ReadableFile> file, std::uint64_t bytes, MemoryBudget& budget,
          std::uint64_t kept_bytes = kOwnBytes);
  ~ZipFile();
  ZipFile(const ZipFile&) = delete;
  ZipFile& operator=(const ZipFile&) = delete;

  std::uint64_t entry_count() const;
  // As stored: any bytes without NUL.
  std::string name(std::uint64_t entry) const;
  // The unpacked bytes of an entry, which need this file. They end where the entry is damaged. Each entry is opened
  // once: entries that together are longer than the file have a fault().
  std::unique_ptr<ByteSource> open(std::uint64_t entry);
  // What was wrong with the file, or with the entry that was read last.
  const std::optional<std::string>& fault() const { return fault_; }

 private:
  class Entry;
  struct Input {
    std::unique_ptr<ReadableFile> file;
    std::uint64_t bytes, position = 0;
    std::exception_ptr error = {};  // libzip does not let exceptions through
  };
  void take_error() const;
  std::optional<std::string> refusal(std::uint64_t entry);

  Input input_;
  std::uint64_t left_bytes_;  // that entries not yet opened may take
  Reservation memory_;
  zip* zip_ = nullptr;
  std::optional<std::string> fault_;
};

}  // namespace spillway
