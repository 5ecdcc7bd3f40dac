// Buffers for unpacked bytes: a fixed number, reserved once, that pass from the reader thread to the parsers and back.
#pragma once

#include <condition_variable>
#include <memory>
#include <mutex>
#include <vector>

#include "io/memory/budget.hpp"

namespace spillway {

// Thread-safe. Lives as long as the buffers that were taken from it.
class UnpackBuffers : public std::enable_shared_from_this<UnpackBuffers> {
 public:
  struct GiveBack {
    std::shared_ptr<UnpackBuffers> owner;
    void operator()(Buffer* buffer) const noexcept;
  };
  // A buffer that returns to its owner when it is destroyed.
  using Taken = std::unique_ptr<Buffer, GiveBack>;

  UnpackBuffers(std::size_t count, std::size_t bytes, MemoryBudget& budget);

  // Waits for a free buffer. Returns nullptr after stop().
  Taken take();
  // Returns nullptr at once if none is free, or after stop().
  Taken try_take();
  void stop();

 private:
  Taken take_free();
  std::mutex mutex_;
  std::condition_variable returned_;
  std::vector<Buffer> all_;
  std::vector<Buffer*> free_;
  bool stopped_ = false;
};

}  // namespace spillway
