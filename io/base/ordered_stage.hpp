// A pipeline step: one thread that processes buffers in the order in which they arrive. Its one producer delivers them
// in order, so nothing is reordered here.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <thread>

namespace spillway {

// One thread at a time may call put() and finish(). Destruction without finish() discards the buffers that wait.
class OrderedStage {
 public:
  // The bytes stay unchanged until their last owner is gone.
  struct Bytes {
    std::span<const std::uint8_t> bytes;
    std::shared_ptr<const void> owner;
  };
  using Work = std::function<void(Bytes&&)>;

  // The thread of this stage calls `work` for one buffer after another. Throws std::system_error if the system has no
  // more threads.
  OrderedStage(std::size_t most_waiting, Work work);
  ~OrderedStage();
  OrderedStage(const OrderedStage&) = delete;
  OrderedStage& operator=(const OrderedStage&) = delete;

  // Waits while `most_waiting` buffers wait. Rethrows what `work` threw; after an error nothing more is processed, and
  // the buffers that wait are discarded.
  void put(Bytes buffer);
  // Waits until all buffers are processed. Rethrows as put() does.
  void finish();

 private:
  void run() noexcept;
  std::size_t most_waiting_;
  Work work_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Bytes> waiting_;
  bool is_busy_ = false, is_ending_ = false;
  std::exception_ptr error_;
  std::thread thread_;
};

}  // namespace spillway
