// Writes a section file (io/section/layout.hpp).
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "io/base/checksum.hpp"
#include "io/base/varint.hpp"
#include "io/file/file_system.hpp"
#include "io/section/layout.hpp"

namespace spillway {

// Appends data. Not thread-safe, except that any thread may call bytes_written(). Destruction without finish() leaves
// an incomplete file.
class SectionWriter {
 public:
  // Creates `directory`/<section name>. `buffer_bytes` is a multiple of the page size. Page CRCs beyond `table_bytes`
  // are kept in a file `<name>.pages` until finish().
  SectionWriter(FileSystem& files, const std::string& directory, Section section, std::size_t buffer_bytes,
                std::size_t table_bytes = kTableBytes);
  ~SectionWriter();

  // Starts a thread that takes CRCs, hashes and writes, so that the caller goes on meanwhile; the bytes stay the same.
  // Its errors are thrown by a later append() or end_behind(). Does nothing if the system has no more threads. Up to
  // `most_waiting` blocks wait for it. Takes behind_bytes() of memory, besides blocks that are appended with an owner.
  // kTwo: another thread takes the checksums, which are a third of the work; each of the two reads the blocks from
  // memory. Requires: no such thread is running.
  enum class BehindThreads : std::uint8_t { kOne, kTwo };
  void start_behind(std::size_t most_waiting = kUsualWaiting, BehindThreads threads = BehindThreads::kOne);
  // Waits for the threads and ends them. finish() does so too.
  void end_behind();
  static std::size_t behind_bytes(std::size_t buffer_bytes, std::size_t most_waiting = kUsualWaiting);
  static constexpr std::size_t kUsualWaiting = 3;  // absorb bursts

  void append(std::span<const std::uint8_t> bytes) {
    if (bytes.size() <= buffer_bytes_ - used_ && !buffer_.empty()) {
      std::copy(bytes.begin(), bytes.end(), buffer_.data() + used_);
      used_ += bytes.size();
    } else {
      append_slowly(bytes);
    }
  }
  // Appends without copying, if that pays. The bytes must stay unchanged until `owner` and its copies are gone, which
  // is at the end of end_behind() at the latest.
  void append(std::span<const std::uint8_t> bytes, const std::shared_ptr<const void>& owner);
  template <typename T>
  void append_integer(T value) {
    append({reinterpret_cast<const std::uint8_t*>(&value), sizeof value});
  }
  void append_varint(std::uint64_t value) {
    std::uint8_t bytes[kMaxVarintBytes];
    append({bytes, write_varint(bytes, value)});
  }
  // Data appended so far: the offset of the next byte.
  std::uint64_t size() const { return flushed_ + used_; }
  std::uint64_t bytes_written() const { return written_.load(std::memory_order_relaxed); }

  // Writes the rest. After that file() is complete, ready to be synced and closed.
  SectionStats finish();
  WritableFile& file() { return *file_; }

  static constexpr std::size_t kTableBytes = std::size_t{16} << 10;  // holds the CRCs of 256 MiB

 private:
  struct Behind;
  void append_slowly(std::span<const std::uint8_t> bytes);
  void flush();
  void process(std::span<const std::uint8_t> data);
  void take_sums(std::span<const std::uint8_t> data);
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
  std::vector<std::uint32_t> page_crcs_;  // of the complete pages
  std::uint64_t page_count_ = 0;
  std::uint32_t page_crc_ = 0;  // of the incomplete page, over its page_bytes_ so far
  std::size_t page_bytes_ = 0;
  StreamingHash128 hash_;
  std::atomic<std::uint64_t> written_{0};
  std::unique_ptr<Behind> behind_;  // last member: its threads use the others
};

}  // namespace spillway
