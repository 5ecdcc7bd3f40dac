// Packed strings on their way from the thread that adds them to the one that sorts them: a bounded number of chunks.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "io/file/file_system.hpp"

namespace spillway {

// Ends the work of a sort whose owner does not want it any more.
struct SortStopped {};

// A buffer whose first `used` bytes count.
struct TextChunk {
  std::vector<std::uint8_t> bytes;
  std::size_t used = 0;
};

// One thread writes, another one reads, any thread stops.
class TextPipe {
 public:
  static constexpr std::size_t kChunkBytes = std::size_t{256} << 10, kMostChunks = 4;

  // Hands a chunk on, and replaces it by an empty one of kChunkBytes. Waits while kMostChunks are under way. Returns
  // false if the pipe was stopped.
  bool exchange(TextChunk& chunk);
  // The end of the text, after a last chunk.
  void close(TextChunk chunk);
  // Reads some bytes, as ByteStream does. Throws SortStopped.
  std::size_t read(std::span<std::uint8_t> out);
  // Wakes, and refuses, both.
  void stop();

 private:
  std::mutex mutex_;  // guards the four below
  std::condition_variable changed_;
  std::vector<TextChunk> full_, empty_;  // full_: in order
  std::size_t made_ = 0;                 // chunks, those of the two threads included
  bool is_closed_ = false, is_stopped_ = false;
  TextChunk current_;  // of the reader
  std::size_t at_ = 0;
};

// The pipe as an input of a sort. The pipe outlives it.
class TextPipeStream final : public ByteStream {
 public:
  explicit TextPipeStream(TextPipe& pipe) : pipe_(pipe) {}
  std::size_t read(std::span<std::uint8_t> out) override { return pipe_.read(out); }
  const std::string& path() const override { return path_; }

 private:
  TextPipe& pipe_;
  std::string path_ = "added strings";
};

}  // namespace spillway
