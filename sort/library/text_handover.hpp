// Sorted text on its way from the sort to the thread that reads it, without a copy: a write ends when its bytes have
// been read.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <span>

#include "sort/lines/block/output.hpp"

namespace spillway {

// One thread at a time writes, another one takes, any thread stops.
class TextHandover final : public LineOutput {
 public:
  bool has_places() const override { return false; }
  // Throws SortStopped.
  void write(std::span<const std::uint8_t> bytes) override;
  void write_at(std::uint64_t, std::span<const std::uint8_t> bytes) override { write(bytes); }

  // Waits until there is text, or no more will come. Returns whether there is text.
  bool wait();
  // The next text, whole lines, empty at the end. It lives until the next call.
  std::span<const std::uint8_t> take();
  // No more text will come.
  void end();
  // The same, and refuses all writes.
  void stop();

 private:
  bool is_ready() const { return is_ended_ || (!offered_.empty() && !is_taken_); }
  std::mutex mutex_;  // guards all of these
  std::condition_variable changed_;
  std::span<const std::uint8_t> offered_;
  bool is_taken_ = false, is_ended_ = false, is_stopped_ = false;
};

}  // namespace spillway
