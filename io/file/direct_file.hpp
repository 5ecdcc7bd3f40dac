// Reads and writes past the page cache (O_DIRECT): of files that are used once, and larger than memory, the cache would
// only drop what other programs need. The system takes pages of memory and of the file alone; what does not begin and
// end with a page is copied by way of a buffer of the thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <string>

#include "io/file/descriptor.hpp"
#include "io/file/file_system.hpp"

namespace spillway {

// The size of the buffer that each thread which reads or writes keeps until the thread ends.
inline constexpr std::size_t kDirectBufferBytes = (std::size_t{1} << 20) + 8192;

// Opens a regular file; through the page cache where its file system cannot read directly. Throws as
// FileSystem::open().
std::unique_ptr<ReadableFile> open_direct_file(const std::string& path);

// Writes to a file at places. A page that several calls fill waits for the last of them: a write through the page cache
// would wait for all direct ones that are under way, and keep others from beginning.
class DirectWriter {
 public:
  // Memory for pages that wait, beside a buffer of each thread.
  static constexpr std::size_t kPagesBytes = std::size_t{2} << 20;

  // `descriptor`: a regular file that this process may write to; stays open as long as this object. is_open() tells
  // whether its file system can write directly.
  explicit DirectWriter(int descriptor);
  ~DirectWriter();
  DirectWriter(const DirectWriter&) = delete;
  DirectWriter& operator=(const DirectWriter&) = delete;
  bool is_open() const { return direct_.valid(); }
  // Thread-safe. Returns 0 or the number of the system's error.
  int write_at(std::uint64_t offset, std::span<const std::uint8_t> bytes);
  // Writes what waits. Requires: no write is under way. Returns as write_at().
  int flush();

 private:
  struct Page;
  int write_pages(std::uint64_t offset, std::span<const std::uint8_t> pages) const;
  int write_part(std::uint64_t offset, std::span<const std::uint8_t> bytes);
  std::unique_ptr<Page> add_part(std::uint64_t offset, std::span<const std::uint8_t> bytes, bool& is_kept);

  int cached_;
  FileDescriptor direct_;
  std::mutex mutex_;
  std::map<std::uint64_t, std::unique_ptr<Page>> pages_;  // that wait, by their offsets
};

}  // namespace spillway
