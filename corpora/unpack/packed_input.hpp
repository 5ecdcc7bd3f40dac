// The stored bytes of one input, in order. Keeps some of the bytes already taken, because after a broken member the
// search for the next one starts among the bytes that the broken one took.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "io/file/file_system.hpp"
#include "io/memory/budget.hpp"

namespace spillway {

// A sequence of bytes.
class ByteSource {
 public:
  virtual ~ByteSource() = default;
  // Fills `out`; reads fewer bytes only at the end. Throws IoError, also for a file that shrank.
  virtual std::size_t read(std::span<std::uint8_t> out) = 0;
};

// A file of a known size.
class FileByteSource final : public ByteSource {
 public:
  FileByteSource(std::unique_ptr<ReadableFile> file, std::uint64_t size) : file_(std::move(file)), size_(size) {}
  std::size_t read(std::span<std::uint8_t> out) override;

 private:
  std::unique_ptr<ReadableFile> file_;
  std::uint64_t size_;
  std::uint64_t position_ = 0;
};

class StreamByteSource final : public ByteSource {
 public:
  explicit StreamByteSource(std::unique_ptr<ByteStream> stream) : stream_(std::move(stream)) {}
  std::size_t read(std::span<std::uint8_t> out) override;

 private:
  std::unique_ptr<ByteStream> stream_;
};

class PackedInput {
 public:
  static constexpr std::size_t kBufferBytes = std::size_t{256} << 10;
  static constexpr std::size_t kHistoryBytes = std::size_t{64} << 10;

  // `buffer`: kBufferBytes that outlive this object.
  PackedInput(std::unique_ptr<ByteSource> source, std::span<std::uint8_t> buffer)
      : source_(std::move(source)), buffer_(buffer) {}

  // Bytes that were read and not taken: at least `wanted` (at most kHistoryBytes), fewer only at the end.
  std::string_view available(std::size_t wanted = 1);
  // Also more bytes than are available; fewer at the end.
  void take(std::size_t bytes) {
    if (bytes > filled_ - at_) return skip(bytes);
    at_ += bytes;
  }
  // Bytes taken so far.
  std::uint64_t position() const { return buffer_offset_ + at_; }
  // The first position that rewind() can reach.
  std::uint64_t history_begin() const { return buffer_offset_; }
  // Requires: history_begin() <= position <= this->position().
  void rewind(std::uint64_t position) { at_ = static_cast<std::size_t>(position - buffer_offset_); }

 private:
  void refill();
  void skip(std::size_t bytes);
  std::unique_ptr<ByteSource> source_;
  std::span<std::uint8_t> buffer_;
  std::uint64_t buffer_offset_ = 0;  // of buffer_[0] in the input
  std::size_t at_ = 0, filled_ = 0;
  bool at_end_ = false;
};

}  // namespace spillway
