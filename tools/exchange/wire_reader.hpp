// Reads the bytes of a foreign file in order, with their offsets for messages. A file packed by gzip or zstd is
// recognised by its content and unpacked; unlike a corpus, it is refused as a whole if any of it is damaged.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "corpora/unpack/unpacking_stream.hpp"
#include "io/file/file_system.hpp"
#include "io/memory/budget.hpp"

namespace spillway {

class WireReader {
 public:
  // Opens the file; "-" is standard input. `check` is called often; it throws to stop. Takes its buffers, and the
  // window of a zstd frame, from `budget`, which outlives it.
  WireReader(FileSystem& files, const std::string& path, MemoryBudget& budget, std::function<void()> check);
  ~WireReader();
  WireReader(const WireReader&) = delete;
  WireReader& operator=(const WireReader&) = delete;

  std::uint64_t offset() const { return window_offset_ + static_cast<std::uint64_t>(at_ - window_begin_); }
  bool at_end() { return at_ == window_end_ && !refill(); }
  // These throw FormatError at the end of the file. `what` names the value for the message.
  std::uint8_t byte(std::string_view what) {
    if (at_ == window_end_ && !refill()) fail(what, "the end of the file");
    return *at_++;
  }
  // At most 10 bytes and 64 bits, or throws FormatError.
  std::uint64_t varint(std::string_view what);
  void read(std::string& to, std::size_t bytes, std::string_view what);

  // Throws FormatError naming path, offset, what was expected and found, and the remedy.
  [[noreturn]] void fail(std::string_view expected, std::string_view found) const {
    fail_at(offset(), expected, found);
  }
  [[noreturn]] void fail_at(std::uint64_t offset, std::string_view expected, std::string_view found) const;

 private:
  bool refill();
  std::string path_;
  std::function<void()> check_;
  Buffer stored_, portion_, window_;
  Reservation codec_memory_;
  std::unique_ptr<UnpackedSource> source_;
  bool is_packed_ = false;
  const std::uint8_t *window_begin_ = nullptr, *at_ = nullptr, *window_end_ = nullptr;
  std::uint64_t window_offset_ = 0;
};

}  // namespace spillway
